#!/usr/bin/env bats
# Errors in reports: relative error, explained variance, entries per code, unused atoms, epochs, against NumPy.
load common

@test "explained variance, entries per code and unused atoms agree with NumPy" {
  "$PYTHON" -c 'import numpy, scipy' 2>/dev/null || skip "NumPy or SciPy is not installed"
  "$PYTHON" - "$DLTF" "$toy/X.npy" <<'END'
import json, struct, subprocess, sys
import numpy as np, scipy.sparse

def dltf(*words):
    return json.loads(subprocess.run([sys.argv[1], *words, "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)

def near(a, b):
    return abs(a - b) < 2e-5 * max(1, abs(b))

def explained(flags, X, decoded, mean):
    """As a reader of the definition computes it. What decoding does not return of a sample is its own mean."""
    own = (X - mean).mean(axis=1, keepdims=True) if "--remove-mean" in flags else 0
    if "--unit-norm" in flags:
        X = scaled(X - mean - own)
    else:
        decoded = decoded + own
    return 1 - ((X - decoded) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()

def scaled(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)

def share(X):
    """Of the mean in the energy."""
    return (X.mean(axis=0) ** 2).sum() * len(X) / (X ** 2).sum()

def subtracted(flags, X):
    """Mean and offset that the model is to have: --center subtracts the mean first, the default that of preprocessed samples
    if it holds more than a tenth of the energy, as the offset if they are scaled."""
    nothing, first = np.zeros(X.shape[1]), X.mean(axis=0)
    if "--center" in flags:
        return first, nothing
    seen = X - X.mean(axis=1, keepdims=True) if "--remove-mean" in flags else X
    seen = scaled(seen) if "--unit-norm" in flags else seen
    assert not 0.05 < share(seen) < 0.2, share(seen)
    if "--no-center" in flags or share(seen) < 0.1:
        return nothing, nothing
    return (nothing, seen.mean(axis=0)) if "--unit-norm" in flags else (first, nothing)

def tensors(path):
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    parts = json.loads(raw[8:8 + size])
    return {name: np.frombuffer(raw[8 + size:], np.float32)[parts[name]["data_offsets"][0] // 4:parts[name]["data_offsets"][1] // 4]
            for name in parts if name != "__metadata__"}

X = (np.load(sys.argv[2])[:300] + np.linspace(0, 2, 16)).astype(np.float32)  # samples with a mean
np.save("x.npy", X)
X = X.astype(np.float64)
KINDS = (), ("--remove-mean",), ("--unit-norm",), ("--remove-mean", "--unit-norm")
for select in "abs", "positive":
    for flags in ((*center, *kind) for kind in KINDS for center in ((), ("--center",), ("--no-center",))):
        train = dltf("train", "x.npy", "-m", "40", "-k", "4", "--encoder", "learned", "--epochs", "3", "--select", select, *flags, "-o", "m")
        mean, offset = subtracted(flags, X)
        found = tensors("m")
        for name, expected in ("mean", mean), ("offset", offset):
            assert np.allclose(found.get(name, 0), expected, atol=1e-6), (select, flags, name)
        held = X[train["error_rows"]]
        np.save("held.npy", held.astype(np.float32))
        for refit, key in ((), "explained_variance"), (("--refit",), "refit_explained_variance"):
            encode = dltf("encode", "m", "held.npy", "-o", "c.npz", *refit)
            decode = dltf("decode", "m", "c.npz", "--original", "held.npy", "-o", "d.npy")
            codes = scipy.sparse.load_npz("c.npz")
            expected = explained(flags, held, np.load("d.npy"), mean)
            assert near(train[key], expected) and expected < 1, (select, flags, key, train[key], expected)
            for found in encode, decode:
                assert near(found["explained_variance"], expected), (select, flags, found, expected)
                assert found["entries_per_sample"] == codes.nnz / len(held), (select, flags, found)
            if not refit:
                used = len(np.unique(codes.indices))
                assert train["entries_per_sample"] == codes.nnz / len(held), train
                assert near(train["unused_share"], 1 - used / 40), (train["unused_share"], used)
                inspect = dltf("inspect", "m", "--data", "held.npy")
                for name in "explained_variance", "refit_explained_variance", "raw_error", "refit_error", "entries_per_sample", "unused_share":
                    assert near(inspect[name], train[name]), (select, flags, name, inspect[name], train[name])
        last = [row for row in train["history"] if row["refit_error"] is not None][-1]
        assert near(last["explained_variance"], train["explained_variance"]), last  # 30 held-out samples: so few are all measured
END
}

@test "train reports in epochs and samples, and says what was measured" {
  dltf synth -n 16 -m 24 -k 3 -N 1000 --noise 0.05 -o data -q
  run -0 --separate-stderr dltf train data/X.npy -m 24 -k 3 --encoder learned --epochs 10 -o m.safetensors --history h.csv
  [[ $output == *"epochs              10, samples seen 9,000"* ]]
  [[ $output == *"relative error      0."*", after refit 0."*", of 100 held-out samples"$'\n'* ]]
  [[ $output == *"explained variance  0."*", after refit 0."*$'\n'"entries per code    3"$'\n'"unused atoms"*"%, in no code of 100 held-out samples"* ]]
  [[ $output != *$'\n'iterations* && $output != *gradient* ]]
  run -0 dltf plot h.csv -o h.svg
  [[ $output == *"relative error 0."*", explained variance 0."*" at the end"* ]]
  [[ $(dltf plot h.csv -o h.svg --json | value '0 < d["histories"][0]["refit_explained_variance"] < 1') == True ]]
  [[ $(dltf train data/X.npy -m 24 -k 3 --encoder learned --epochs 10 -o m.safetensors --json -q |
    value 'd["epochs"], d["samples_seen"]') == "(10.0, 9000)" ]]
  # A tenth held out, so a batch has 250 of 900 samples. Time runs out within the first round: nothing was learned from.
  [[ $(dltf train data/X.npy -m 24 -k 3 --encoder learned --epochs 1000 --seconds 1e-9 -o m.safetensors --json -q |
    value 'd["outcome"], d.get("samples_seen", 0) < 900000') == "('time limit', True)" ]]
  run -0 --separate-stderr dltf train data/X.npy -m 24 -k 3 --encoder distilled --steps 20 --polish 1 --finetune 0 -o m.safetensors
  [[ $output == *"iterations          20 minibatch steps, 1 polish iteration, 1 encoder fit"$'\n'* ]]
  [[ $output == *"%, in no code of 1,000 training samples"* && $output != *epochs* ]]
  run -0 --separate-stderr dltf train data/X.npy -m 24 -k 3 --for omp --steps 5 --iterations 2 -o m.safetensors
  [[ $output == *"by --coder omp      relative error 0."*", explained variance 0."* ]]
  run -0 --separate-stderr dltf train - -m 24 -k 3 -o m.safetensors <data/X.npy
  [[ $output == *", of the last 50 held-out samples"*"explained variance  0."*"%, in no code of the last 50 held-out samples"* ]]
}

@test "the explained variance of equal samples is undefined" {
  for ((i = 0; i < 20; i++)); do echo 1,2,3; done >same.csv
  run -0 --separate-stderr dltf train same.csv -m 2 -k 1 --encoder learned --epochs 2 -o m.safetensors
  [[ $output == *"explained variance  undefined: all samples are equal"$'\n'* ]]
  run -0 dltf encode m.safetensors same.csv -o c.npz
  [[ $output == *"explained variance  undefined: all samples are equal"* ]]
  [[ $(dltf decode m.safetensors c.npz --original same.csv --json | value 'd["explained_variance"]') == None ]]
  [[ $(dltf inspect m.safetensors --data same.csv --json | value 'd["refit_explained_variance"]') == None ]]
  [[ $(dltf train same.csv -m 2 -k 1 --encoder learned --epochs 2 -o m.safetensors --json -q |
    value 'd["explained_variance"], d["refit_explained_variance"]') == "(None, None)" ]]
}
