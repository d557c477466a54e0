#!/usr/bin/env bats
# scripts/check-layers itself: it passes the tree as it is, and names file and line of every include against the rules.
bats_require_minimum_version 1.5.0

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# A copy of the sources, with a header in two layers that probes may include.
setup() {
  cd "$BATS_TEST_TMPDIR" || return
  cp -r "$root"/{src,include,micro,experiments,cli,examples} .
  echo "int low;" >src/base/probe.h
  echo "int high;" >src/learning/probe.h
}

# probe FILE LINE...: adds a file to the copy, or lines to one.
probe() {
  local file=$1
  shift
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$@" >>"$file"
}

# refused LINE: the check fails and prints this line, then the summary, and nothing else.
refused() {
  run -1 --separate-stderr "$root/scripts/check-layers" .
  echo "$output"
  [[ ${#lines[@]} == 2 && ${lines[0]} == "$1" && ${lines[1]} == "layers: "*" 1 violations" && -z $stderr ]]
}

@test "the tree as it is" {
  run -0 "$root/scripts/check-layers" .
  [[ ${#lines[@]} == 1 && $output =~ ^layers:\ [0-9]+\ files,\ [0-9]+\ includes,\ 0\ violations$ ]]
}

@test "includes that point downward, within a folder and to the system" {
  probe src/learning/probe.c '#include "learning/probe.h"' '#include "probe.h"' '#include "base/probe.h"' '#include <math.h>'
  probe src/linalg/probe.c '#include <cblas.h>' '#include "base/probe.h"'
  probe examples/probe.c '#include <dltf.h>'
  run -0 "$root/scripts/check-layers" .
}

@test "sub-folders: from outside with their folder, from inside by the table" {
  echo "int inner;" >src/learning/gradient/probe.h
  probe src/denoise/probe.c '#include "learning/gradient/probe.h"'
  probe src/learning/stages/probe.c '#include "learning/gradient/probe.h"'
  run -0 "$root/scripts/check-layers" .
  probe src/learning/paper/probe.c '#include "learning/gradient/probe.h"'
  refused "src/learning/paper/probe.c:1: src/learning/paper may not include learning/gradient/probe.h"
}

@test "the whole interface inside of the library" {
  probe src/coding/probe.c '#include "dltf.h"'
  refused "src/coding/probe.c:1: src/coding may not include dltf.h"
}

# object FILE LINE: a source, and its object file where CMake would put it.
object() {
  mkdir -p "build/CMakeFiles/all.dir/$(dirname "$1")"
  echo "$2" >"$1"
  "${CC:-cc}" -c "$1" -o "build/CMakeFiles/all.dir/$1.o"
}

@test "an upward call, which no include shows" {
  cp -r "$root/scripts" .
  object src/base/probe.c 'int low(void) { return 1; }'
  object src/learning/probe.c 'int low(void); int high(void) { return low(); }'
  run -0 scripts/check-calls build
  object src/data/probe.c 'int high(void); int middle(void) { return high(); }'
  run -1 scripts/check-calls build
  [[ ${lines[0]} == "src/data may not call high of src/learning" && ${lines[1]} == "calls: "*" 1 violations" ]]
  rm src/data/probe.c # a file that is gone leaves its object
  run -0 scripts/check-calls build
  run -1 scripts/check-calls empty
}

@test "an upward include" {
  probe src/base/probe.c '#include "base/probe.h"' '' '#include "learning/probe.h"'
  refused "src/base/probe.c:3: src/base may not include learning/probe.h"
}

@test "a folder that the table does not know, named once" {
  probe src/unknown/probe.c '/* first line */' '#include <math.h>' '#include "base/probe.h"'
  refused "src/unknown/probe.c:2: src/unknown has no line in the table of scripts/check-layers"
}

@test "a foreign library outside its folder, however the line is written" {
  probe src/coding/probe.c '' '  #  include  <cblas.h> /* why */'
  refused "src/coding/probe.c:2: only src/linalg may include cblas.h"
}

@test "a path through the parent folder" {
  probe src/learning/probe.c '#include "../base/probe.h"'
  refused "src/learning/probe.c:1: src/learning may not include ../base/probe.h"
}

@test "insides of the library in a program" {
  probe cli/probe.c '#include <dltf.h>' '#include "base/probe.h"'
  refused "cli/probe.c:2: cli may not include base/probe.h"
}

@test "every violation is listed" {
  probe src/base/probe.c '#include "learning/probe.h"' '#include <png.h>'
  probe examples/probe.c '#include "learning/probe.h"'
  run -1 "$root/scripts/check-layers" .
  [[ ${#lines[@]} == 4 && ${lines[3]} == *" 3 violations" ]]
}

@test "a tree without includes is no success" {
  rm -r src include micro experiments cli examples
  mkdir src include micro experiments cli examples
  run -1 "$root/scripts/check-layers" .
  [[ $output == "layers: 0 files, 0 includes, 0 violations" ]]
}
