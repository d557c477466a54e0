#!/usr/bin/env bats
# The progress line: its parts at every width of the terminal, for terminals only.
load common

# The stage that draws has no end; the error is that of the stage before.
screen() {
  local widths=()
  while [[ $1 != -- ]]; do widths+=("$1") && shift; done
  shift
  "$PYTHON" "$BATS_TEST_DIRNAME/screen.py" "${widths[@]}" -- "$DLTF" train "$toy/X.npy" -m 24 -k 3 --encoder tied --steps 10 \
    --batch 200 --iterations 100000000 --tolerance 0 -o t.safetensors "$@"
}

@test "the progress line fits the terminal, also after it was resized" {
  screen 200 40 20 80 -- >lines
  "$PYTHON" - <<'END'
import re
lines = [line.rstrip("\n").split("\t") for line in open("lines")]
assert [int(columns) for columns, _ in lines] == [200, 200, 40, 40, 20, 20, 80, 80], lines
forms = {200: r"learning \[[#.]{16}\] +\d+%  [\d.]+ (s|min|h) left  tied \d+  refit error [\d.]+  coherence [\d.]+",
         80: r"learning.* +\d+%  [\d.]+ (s|min|h) left.*  refit error [\d.]+",
         40: r"learning +\d+%  [\d.]+ (s|min|h) left", 20: r"learning +\d+%"}
for columns, line in lines:
    assert len(line) < int(columns), (columns, line)
    assert re.fullmatch(forms[int(columns)], line), (columns, line)
END
}

# bats test_tags=long
@test "very narrow terminals" {
  screen 5 1 2 100 -- >lines
  [[ $(cut -f2 lines | tr '\n' '|' | sed 's/learning.*//') == "0%|0%|||0|0|" ]]
}

# bats test_tags=long
@test "without a size of the terminal, COLUMNS or 80" {
  COLUMNS=33 screen 0 -- >lines
  [[ $(cut -f2 lines | awk '{ print length($0) < 33 && / left$/ }' | sort -u) == 1 ]]
  unset COLUMNS
  screen 0 -- >lines
  [[ $(cut -f2 lines | awk '{ print length($0) < 80 && /refit error/ }' | sort -u) == 1 ]]
  COLUMNS=wide screen 0 -- >lines
  [[ $(cut -f2 lines | awk '{ print length($0) < 80 && /refit error/ }' | sort -u) == 1 ]]
}

@test "the progress line is for terminals only, and leaves no trace" {
  command -v script >/dev/null || skip "there is no script(1)"
  # More steps until training takes longer than the delay of the bar.
  for ((steps = 1000; steps < 100000000; steps *= 2)); do
    command="'$DLTF' train '$toy/X.npy' -m 24 -k 3 --steps $steps --batch 200 --iterations 0 -o t.safetensors"
    script -qec "$command" /dev/null >screen </dev/null
    grep -q "left" screen && break
  done
  grep -q "learning.*%.*left" screen
  # Output after the last drawing starts by erasing it.
  [[ $(tr '\r' '\n' <screen | grep -A1 "left" | tail -1) == $'\e[K'* ]]
  script -qec "$command -q" /dev/null >screen </dev/null
  [[ ! -s screen ]]
}
