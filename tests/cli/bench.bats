#!/usr/bin/env bats
# The benchmark programs: usage errors, arrays, and peers that must find the same codes. Timings are not checked.
load common

bench=${DLTF%/*}/dltf-bench

@test "dltf-bench reports usage errors" {
  local words
  for words in "" "nothing" "encode prox" "--fast encode" "encode -o" "prox --arrays ."; do
    # shellcheck disable=SC2086 # words
    run -2 --separate-stderr "$bench" $words
    [[ -z $output && $stderr == "dltf-bench: "*"; try dltf-bench --help" ]]
  done
  run -1 --separate-stderr "$bench" encode --arrays nowhere
  [[ -z $output && $stderr == "dltf-bench: nowhere/A.X.npy: cannot create"* ]]
}

@test "peers find the codes that we find" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "Python cannot load a library with sanitizers"
  "$PYTHON" -c 'import numpy' || skip "NumPy is not installed"
  "$PYTHON" "$BATS_TEST_DIRNAME/../../bench/peers" --build "${DLTF%/bin/dltf}" --rounds 1 --samples 50 --shapes AD -o peers.json
  "$PYTHON" - <<'TEXT'
import json, platform
text = open("peers.json").read()
report = json.loads(text)
rows = report["rows"]
assert {row["shape"] for row in rows} == {"A", "D"} and {row["peer"] for row in rows} >= {"sgemm", "dltf", "numpy"}
for row in rows:
    assert row["us_per_sample"] > 0 and row["ratio_to_sgemm"] > 0, row
    if row["peer"] in ("numpy", "torch", "faiss"):
        assert row["same_supports"] > 0.9, row  # sums are rounded in a different order
host = report["host"]
assert set(host) == {"cpu", "cores", "architecture", "os", "kernels", "blas", "build"} and all(host.values()), host
assert platform.node() not in host.values()
TEXT
}

@test "dltf-bench lists its benchmarks, as --help does" {
  local names
  names=$("$bench" --list)
  [[ $names == encode* && $(wc -w <<<"$names") -ge 5 ]]
  [[ $("$bench" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p') == "$names" ]]
  # Each has committed results; so has peers, and nothing else.
  [[ $(cd "$BATS_TEST_DIRNAME/../../bench/results" && ls -1 -- *.json) == $(printf '%s.json\n' $names peers | sort) ]]
}

@test "a benchmark prints a table, or one JSON object with the same rows" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  "$bench" ksvd -o ksvd.json >table
  [[ $(value 'd["benchmark"], d["rounds"], [r["update"] for r in d["rows"]]' <ksvd.json) == "('ksvd', 3, ['exact', 'approximate'])" ]]
  grep -q '^CPU of one thread.* Best of 3 rounds\.$' table
  grep -q '^update .* ms_per_iteration ' table
  [[ $(grep -c -e '^exact ' -e '^approximate ' table) == 2 ]]
}
