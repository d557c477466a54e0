# The rules of scripts/abi, on the headers of a small library.

setup() {
  abi=$BATS_TEST_DIRNAME/../../scripts/abi
  command -v abidiff >/dev/null || skip "abidiff not found"
  cd "$BATS_TEST_TMPDIR"
  mkdir -p include/dltf
  echo '#include "dltf/core.h"' >include/dltf.h
  cat >include/dltf/core.h <<'HEADER'
#include <stddef.h>
#define DLTF_VERSION "0.3.0"
#define DLTF_API __attribute__((visibility("default")))
typedef enum dltf_kind { DLTF_KIND_A, DLTF_KIND_B, DLTF_KIND_COUNT } dltf_kind;
typedef struct dltf_options {
    size_t size; /* of this struct */
    int threads;
} dltf_options;
typedef struct dltf_result {
    double error;
} dltf_result;
typedef struct dltf_view {
    const float *values;
} dltf_view;
DLTF_API int dltf_run(dltf_view view, dltf_kind kind, const dltf_options *options);
/* A comment. */
DLTF_API void dltf_measure_sized(dltf_result *found, size_t found_size);
DLTF_API void dltf_stop(void);
HEADER
  check --update
}

check() { "$abi" --include include --release release.abi.xz "$@"; }
change() { sed -i "$1" include/dltf/core.h; }
# allows EDIT, rejects EDIT: whether the headers are compatible after it.
allows() { change "$1"; run check; [ "$status" -eq 0 ] || { echo "$output"; false; }; }
rejects() { change "$1"; run check; [ "$status" -eq 1 ] && [[ $output == *"would break"* ]] || { echo "$output"; false; }; }

@test "no change" { allows ''; }

@test "a function may be added, but not removed" {
  allows '$aDLTF_API void dltf_new(void);'
  rejects '/dltf_stop/d'
}

@test "arguments do not change" { rejects 's/dltf_stop(void)/dltf_stop(int now)/'; }

@test "options and results may grow at the end" {
  allows 's/    int threads;/&\n    int seed;\n    double rate;/'
  allows 's/    double error;/&\n    double rest;/'
}

@test "fields keep their order" { rejects 's/    int threads;/    double rate;\n&/'; }

@test "a struct that is passed without its size does not grow" { rejects 's/    const float .values;/&\n    int rows;/'; }

@test "values of an enum are added at its end" {
  allows 's/DLTF_KIND_B,/& DLTF_KIND_C,/'
  rejects 's/DLTF_KIND_A,/& DLTF_KIND_D,/'
}

@test "a new soname is a new interface" { rejects 's/0\.3\.0/0.4.0/'; }

@test "a library exports what the headers declare" {
  echo 'void dltf_stop(void) {}' | cc -xc -shared -fPIC - -o libdltf.so
  run check --library libdltf.so
  [ "$status" -eq 1 ]
  [[ $output == *"only in the headers or only in libdltf.so: "*"dltf_run@@DLTF_0.3"* ]]
}
