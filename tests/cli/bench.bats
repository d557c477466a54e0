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

# bats test_tags=long
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

# bats test_tags=long
@test "networks train as well as those of PyTorch" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "Python cannot load a library with sanitizers"
  "$PYTHON" -c 'import torch' || skip "PyTorch is not installed"
  "$PYTHON" "$BATS_TEST_DIRNAME/../../bench/networks" --build "${DLTF%/bin/dltf}" --rounds 2 --batches 3 -o networks.json
  "$PYTHON" - <<'TEXT'
import json
rows = json.load(open("networks.json"))["rows"]
assert {row["network"] for row in rows} == {"classifier", "autoencoder"}
assert {row["peer"] for row in rows} == {"sgemm", "dltf", "torch"}
for row in rows:
    assert row["batch_ms"] > 0 and row["ratio_to_sgemm"] > 0, row
    if row["network"] == "autoencoder" and row["peer"] != "sgemm":  # after six steps of Adam
        assert 20 < row["loss"] < 140, row  # zero as output: 784/6 = 131; different random weights
TEXT
}

# bats test_tags=long
@test "searchers find the same distances" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "Python cannot load a library with sanitizers"
  "$PYTHON" -c 'import faiss' || skip "Faiss is not installed"
  "$PYTHON" "$BATS_TEST_DIRNAME/../../bench/searchers" --build "${DLTF%/bin/dltf}" --rounds 1 --scale .01 -o searchers.json >table
  grep -q "us .*to dltf" table
  "$PYTHON" - <<'TEXT'
import json
rows = json.load(open("searchers.json"))["rows"]
assert {row["peer"] for row in rows} == {"dltf", "faiss", "faiss-counting"} and {row["bits"] for row in rows} == {64, 256}
assert all(row["same_distances"] and row["us_per_query"] > 0 for row in rows), rows
TEXT
}

@test "learners are compared by the same measures" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow here"
  "$PYTHON" -c 'import torch, sklearn' || skip "PyTorch or scikit-learn is not installed"
  local learners=$BATS_TEST_DIRNAME/../../bench/learners
  unset DLTF_DATA # the patches are to be missing
  "$PYTHON" "$learners" --build "${DLTF%/bin/dltf}" --sets synthetic,patches-8x8 --samples 800 --steps 16 --epochs 4,8 --speed \
    --small --rounds 1 -o learners.json >table 2>errors
  grep -q "patches-8x8 are left out: --data must name" errors
  grep -q "CPU us per training sample, n = 16, m = 32, k = 2: .* (PyTorch)" table
  "$PYTHON" - <<'TEXT'
import json
report = json.load(open("learners.json"))
rows = report["rows"]
assert [row["learner"] for row in rows] == ["dltf"] * 2 + ["torch"] * 3 + ["sklearn"], rows
for row in rows:
    assert row["data"] == "synthetic" and row["held_out_samples"] == 200 and row["cpu_seconds"] > 0, row
    assert 0 < row["refit_error"] <= row["raw_error"] < 2 and 0 <= row["unused"] < 1, row
assert rows[1]["raw_error"] < 0.6 and rows[4]["raw_error"] < rows[2]["raw_error"], rows
assert report["speed"][0]["torch_us"] > 0, report["speed"]
TEXT
  "$PYTHON" "$learners" --build "${DLTF%/bin/dltf}" --sets synthetic --samples 400 --grid -o learners.json >table
  grep -q "PyTorch with 4 times its CPU time" table
  "$PYTHON" - <<'TEXT'
import json
rows = json.load(open("learners.json"))["grid"]
assert [(row["m"], row["k"]) for row in rows] == [(m, k) for m in (32, 128, 512) for k in (2, 8)], rows
for row in rows:
    assert all(0 < row[f"{learner}_refit_error"] <= row[f"{learner}_raw_error"] for learner in ("dltf", "torch")), row
    assert row["torch_cpu_seconds"] > 0 and row["dltf_cpu_seconds"] > 0, row
TEXT
  # A second run keeps what it does not measure. The errors of ours are those that the program itself reports.
  "$PYTHON" "$learners" --build "${DLTF%/bin/dltf}" --sets none -o learners.json --json >again.json
  [[ $(value 'len(d["rows"]), len(d["grid"]), len(d["speed"])' <again.json) == "(6, 6, 1)" ]]
  dltf synth -n 64 -m 128 -k 8 -N 800 --noise 0.1 -o problem -q
  dltf train problem/X.npy -m 128 -k 8 --encoder learned --epochs 8 -o model.safetensors -q
  "$PYTHON" -c 'import numpy as np; np.save("test.npy", np.load("problem/Xtest.npy")[:200])'
  dltf encode model.safetensors test.npy -o codes.npz --json -q >raw.json
  dltf encode model.safetensors test.npy -o codes.npz --refit --json -q >refit.json
  "$PYTHON" - <<'TEXT'
import json
row = json.load(open("learners.json"))["rows"][1]
for key in ("raw", "refit"):
    reported = json.load(open(key + ".json"))["relative_error"]
    assert abs(row[key + "_error"] - reported) < 2e-3 * reported, (key, row, reported)
TEXT
}

# bats test_tags=long
@test "k-means reaches the inertia of scikit-learn" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow here"
  "$PYTHON" -c 'import numpy, sklearn' || skip "scikit-learn is not installed"
  unset DLTF_DATA
  [[ -d /usr/share/datasets/fashion-mnist ]] || skip "dataset-fashion-mnist is not installed"
  "$PYTHON" "$BATS_TEST_DIRNAME/../../bench/kmeans" --build "${DLTF%/bin/dltf}" --samples 500 --clusters 5 --restarts 5 --rounds 1 \
    -o kmeans.json >table
  grep -q '^fashion-mnist 500 x 784, c = 5: .* inertia ' table
  [[ $(value '[(r["samples"], r["clusters"], abs(r["inertia_ratio"] - 1) < .02) for r in d["rows"]]' <kmeans.json) == "[(500, 5, True)]" ]]
}

@test "dltf-bench lists its benchmarks, as --help does" {
  local names
  names=$("$bench" --list)
  [[ $names == encode* && $(wc -w <<<"$names") -ge 5 ]]
  [[ $("$bench" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p') == "$names" ]]
  # Each has committed results; so have the scripts, and nothing else.
  [[ $(cd "$BATS_TEST_DIRNAME/../../bench/results" && ls -1 -- *.json) == $(printf '%s.json\n' $names encode-avx2 peers learners networks kmeans searchers streams ranks | sort) ]]
}

@test "a benchmark prints a table, or one JSON object with the same rows" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  "$bench" ksvd -o ksvd.json >table
  [[ $(value 'd["benchmark"], d["rounds"], [r["update"] for r in d["rows"]]' <ksvd.json) == "('ksvd', 3, ['exact', 'approximate'])" ]]
  grep -q '^CPU of one thread.* Best of 3 rounds\.$' table
  grep -q '^update .* ms_per_iteration ' table
  [[ $(grep -c -e '^exact ' -e '^approximate ' table) == 2 ]]
}
