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

@test "learners are measured as the program measures its models" {
  "$PYTHON" -c 'import numpy' || skip "NumPy is not installed"
  dltf synth -n 16 -m 32 -k 3 -N 400 --noise 0.1 -o problem -q
  "$PYTHON" - "$BATS_TEST_DIRNAME/../../bench" "${DLTF%/bin/dltf}" <<'TEXT'
import json, subprocess, sys, types
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import numpy as np
from learning import data, measures, ours
arguments = types.SimpleNamespace(build=sys.argv[2], scratch=".")
X, test = (np.load(f"problem/{name}.npy").astype(np.float32) + np.float32(0.5) for name in ("X", "Xtest"))
np.save("X.npy", X)
np.save("test.npy", test)
for select in data.SELECT:
    for how in data.PREPROCESS:
        run = ours.train(arguments, len(X), 32, 3, select, how, epochs=20, seed=1)
        assert run["exit_code"] == 0 and run["us_per_sample"] > 0 and run["wall_seconds"] > 0, run
        model = ours.read_model(arguments)
        assert (model.select, model.k) == (select, 3) and model.unit_norm == (how == "unit-norm"), how
        assert np.any(model.offset) == (how == "unit-norm") and np.any(model.mean) == (how != "unit-norm"), how  # centered by default
        found = measures.measure(model, X, test, how)
        # Of the same residuals, the program reports shares of the energy that its model sees, and of the variance of the data.
        energy, energy_seen = ((rows ** 2).sum(dtype=np.float64) for rows in
                               (list(data.preprocess(how, X, test))[1], model.inputs(test)[0]))
        for key, words in (("raw", ()), ("refit", ("--refit",))):
            encoded = subprocess.run([arguments.build + "/bin/dltf", "encode", "model.safetensors", "test.npy", "-o", "codes.npz",
                                      "--json", "-q", *words], check=True, stdout=subprocess.PIPE)
            report = json.loads(encoded.stdout)
            reported = report["relative_error"] * energy_seen / energy
            assert abs(found[key + "_error"] - reported) < 2e-3 * reported, (select, how, key, found, reported)
            left = 1 - report["explained_variance"]
            assert how == "remove-mean" or abs(found[key + "_variance_left"] - left) < 2e-3 * left, (select, how, key, found, left)
        entries = len(np.load("codes.npz")["data"]) / len(test)
        assert abs(found["entries"] - entries) < 0.01 and 0 <= found["unused"] < 1, (found, entries)
# The variance is that of the held-out samples; without a mean it is their energy.
centered = test - test.mean(axis=0)
assert abs(measures.shares(1, 1, centered)["raw_variance_left"] - 1 / (centered ** 2).sum()) < 1e-6
assert abs(measures.shares(1, 1, test)["raw_variance_left"] - 1 / (centered ** 2).sum()) < 1e-6
# A mean of the model shifts the samples; an error is the same in each space, except for the scale of --unit-norm.
W = np.eye(2, dtype=np.float32)
shifted = measures.Model(W, W, 0, 1, "positive", mean=np.float32([1, 0]))
rows = np.float32([[1, -2], [1, 4], [3, 0]])  # as seen by the model: no entry, exact, exact
raw, refit, entries = measures.errors(shifted, rows)
assert (raw, round(refit, 6), entries) == (4, 4, 2 / 3) and measures.unused_share(shifted, rows[:2], rows[2:]) == 0
assert measures.unused_share(shifted, rows[:2]) == 0.5
scaled = measures.Model(W, W, 0, 1, "abs", mean=np.float32([1, 0]), unit_norm=True)
assert abs(measures.errors(scaled, np.float32([[4, 4]]), "unit-norm")[0] - 9 / 32) < 1e-6  # 3 of (3, 4) is left; ||x||^2 = 32
offset = measures.Model(W, W, 0, 1, "positive", unit_norm=True, offset=np.float32([0.6, 0]))
assert abs(measures.errors(offset, np.float32([[3, 4], [6, 8]]), "unit-norm")[0]) < 1e-6  # (0.6, 0.8) - (0.6, 0)
TEXT
}

@test "results of learners are kept, merged and flagged" {
  "$PYTHON" -c 'import numpy' || skip "NumPy is not installed"
  "$PYTHON" - "$BATS_TEST_DIRNAME/../../bench" <<'TEXT'
import json, sys, types
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import numpy as np
from learning import atoms, data, grid, store
row = {"data": "mnist", "n": 8, "m": 16, "k": 2, "select": "positive", "preprocess": "none", "training_samples": 400,
       "dltf_raw_error": np.float64(0.95), "dltf_refit_error": 0.2, "dltf_unused": 0.1, "torch_raw_error": 0.5,
       "torch_refit_error": 0.3}
assert grid.flags(row) == ["diverged", "unused", "raw behind"], grid.flags(row)
assert grid.flags({**row, "training_samples": 300, "dltf_raw_error": None}) == ["diverged", "raw behind"]
assert grid.flags({**row, "dltf_raw_error": 0.4, "dltf_unused": 0.01}) == []
row["flags"] = grid.flags(row)
assert any("diverged" in line for line in grid.table([row])) and "positive, 1 cells: diverged 1" in "\n".join(grid.table([row]))
json.dump({"grid": [{"data": "mnist", "m": 16}]}, open("r.json", "w"))  # of an older version
first, second = (store.Store("r.json", False, {"benchmark": "learners"}) for _ in range(2))
key = {"data": "mnist", "select": "positive"}
first.replace("grid", key, [{**row, "dltf_raw_error": float("nan")}])
second.replace("grid", {**key, "select": "abs"}, [{**row, "select": "abs"}])  # has not seen the row of the first
kept = json.load(open("r.json"))["grid"]
assert [(r["select"], r["dltf_raw_error"]) for r in kept] == [("abs", 0.95), ("positive", None)], kept
assert second.has("grid", key) and not second.has("grid", key, "rate") and not second.has("grid", {**key, "m": 8})
assert not store.Store("r.json", True, {}).has("grid", key)
rows = atoms.with_ratios([{"refit_error": error} for error in (0.1, 0.05, 0.06)])
assert [r.get("worse") for r in rows] == [None, False, True], rows
# The generated sets depend on their seed alone, and scale.
for name, n in (("log-normal", 64), ("activations", 256), ("word-vectors", 100)):
    request = types.SimpleNamespace(samples=80)
    train, test = data.load(name, request)
    again = next(iter(data.load(name, request)))
    large, _ = data.load(name, request, scale=2, seed=1)
    assert train.shape == (80, n) and test.shape == (20, n) and large.shape == (160, 2 * n) and (train == again).all(), name
    assert abs((train.astype(float) ** 2).sum() / 80 - 1) < 1e-5 and (train[:, :n] != large[:80, :n]).any(), name
TEXT
}

# bats test_tags=long
@test "learners are compared by the same measures" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow here"
  "$PYTHON" -c 'import torch, sklearn' || skip "PyTorch or scikit-learn is not installed"
  local learners=("$PYTHON" "$BATS_TEST_DIRNAME/../../bench/learners" --build "${DLTF%/bin/dltf}" -o learners.json)
  unset DLTF_DATA # the patches are to be missing
  "${learners[@]}" --sets synthetic,patches-8x8 --samples 800 --steps 16 --epochs 4,8 --speed --small --rounds 1 --figures . >table 2>errors
  grep -q "patches-8x8 is left out: --data must name" errors
  grep -q "^Steps alone: CPU us per training sample" table
  "$PYTHON" - <<'TEXT'
import json
report = json.load(open("learners.json"))
rows = report["rows"]
assert [row["learner"] for row in rows] == ["dltf"] * 2 + ["torch"] * 3 + ["sklearn"] + ["dltf"] * 2 + ["torch"] * 3, rows
assert [row["select"] for row in rows] == ["abs"] * 6 + ["positive"] * 5, rows
for row in rows:
    assert row["data"] == "synthetic" and row["held_out_samples"] == 200 and row["us_per_sample"] > 0, row
    assert 0 < row["refit_error"] <= row["raw_error"] < 2 and 0 <= row["unused"] < 1 and 0 < row["entries"] <= 8, row
    assert row["refit_error"] < row["refit_variance_left"], row  # the samples have a mean
assert all(rows[i]["raw_error"] < 0.6 for i in (1, 7)) and rows[4]["raw_error"] < rows[2]["raw_error"], rows
assert [(row["m"], row["select"]) for row in report["scaling"]] == [(16, "abs"), (32, "abs"), (16, "positive"), (32, "positive")]
assert len(report["speed"]) == len(report["runs"]) == 2 and report["speed"][0]["torch_us"] > 0, report["speed"]
for row in report["runs"]:
    assert row["speedup"] > 0 and row["ratio"] > 0 and row["torch_steps"] == 2 and not row["torch_extrapolated"], row
TEXT
  "${learners[@]}" --sets synthetic --samples 400 --grid --cells AE --preprocess none,center >table
  grep -q "PyTorch with 4 times its CPU time" table
  grep -q "8 cells, 8 of them compared with PyTorch" table
  "${learners[@]}" --sets log-normal --samples 100 --foreign --cells A --preprocess unit-norm --select positive >table
  "${learners[@]}" --sets log-normal --samples 200 --more-atoms --select positive >table
  grep -q "^More atoms, k fixed" table
  "$PYTHON" - <<'TEXT'
import json
report = json.load(open("learners.json"))
assert [(row["m"], row["select"], row["preprocess"]) for row in report["grid"]] == [
    (m, select, how) for select in ("abs", "positive") for how in ("none", "center") for m in (32, 512)], report["grid"]
for row in report["grid"]:
    assert all(0 < row[f"{learner}_refit_error"] <= row[f"{learner}_raw_error"] for learner in ("dltf", "torch")), row
    assert row["torch_cpu_seconds"] > 0 and row["torch_tuning_cpu_seconds"] > 0 and row["dltf_cpu_seconds"] > 0, row
(row,) = report["foreign"]
assert (row["n"], row["m"], row["k"], row["training_samples"], row["scale"], row["seed"]) == (128, 64, 4, 200, 2, 1), row
assert [row["m"] for row in report["more_atoms"]] == [8, 8, 8, 16, 33, 66], report["more_atoms"]
assert report["more_atoms"][1]["ratio"] == 1, report["more_atoms"]
TEXT
  # A second run measures nothing that the file has.
  "${learners[@]}" --sets synthetic --samples 400 --grid --cells AE --preprocess none,center --json >again.json 2>errors
  run ! grep -v "OpenBLAS does not know" errors
  [[ $(value 'len(d["rows"]), len(d["grid"]), len(d["speed"])' <again.json) == "(11, 8, 2)" ]]
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
  [[ $(cd "$BATS_TEST_DIRNAME/../../bench/results" && ls -1 -- *.json) == $(printf '%s.json\n' $names encode-avx2 peers learners networks kmeans searchers streams ranks micro octave python_peers | sort) ]]
}

@test "a benchmark prints a table, or one JSON object with the same rows" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  "$bench" ksvd -o ksvd.json >table
  [[ $(value 'd["benchmark"], d["rounds"], [r["update"] for r in d["rows"]]' <ksvd.json) == "('ksvd', 3, ['exact', 'approximate'])" ]]
  grep -q '^CPU of one thread.* Best of 3 rounds\.$' table
  grep -q '^update .* ms_per_iteration ' table
  [[ $(grep -c -e '^exact ' -e '^approximate ' table) == 2 ]]
}
