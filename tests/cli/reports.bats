#!/usr/bin/env bats
# Errors in reports: relative error, explained variance, entries per code, unused atoms, epochs, against NumPy.
load common

@test "explained variance, entries per code and unused atoms agree with NumPy" {
  "$PYTHON" -c 'import numpy, scipy' 2>/dev/null || skip "NumPy or SciPy is not installed"
  "$PYTHON" - "$DLTF" "$toy/X.npy" <<'END'
import json, subprocess, sys
import numpy as np, scipy.sparse

def dltf(*words):
    return json.loads(subprocess.run([sys.argv[1], *words, "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)

def near(a, b):
    return abs(a - b) < 2e-5 * max(1, abs(b))

def explained(flags, X, decoded, mean):
    """As a reader of the definition computes it. What decoding does not return of a sample is its own mean."""
    X, decoded = X.astype(np.float64), decoded.astype(np.float64)
    own = (X - mean).mean(axis=1, keepdims=True) if "--remove-mean" in flags else 0
    if "--unit-norm" in flags:
        X = X - mean - own
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    else:
        decoded = decoded + own
    return 1 - ((X - decoded) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()

X = np.load(sys.argv[2])[:500] + np.linspace(0, 2, 16, dtype=np.float32)  # samples with a mean
np.save("x.npy", X)
for select in "abs", "positive":
    for flags in (), ("--center",), ("--remove-mean",), ("--unit-norm",), ("--center", "--remove-mean", "--unit-norm"):
        train = dltf("train", "x.npy", "-m", "40", "-k", "4", "--encoder", "learned", "--epochs", "3", "--select", select, *flags, "-o", "m")
        mean = np.zeros(16)
        rows = train["error_rows"]
        if "--center" in flags:  # that of all samples
            mean = X.astype(np.float64).mean(axis=0)
        held = X[rows]
        np.save("held.npy", held)
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
        assert near(last["explained_variance"], train["explained_variance"]), last  # 50 samples: all that are held out
END
}

@test "train reports in epochs and samples, and says what was measured" {
  dltf synth -n 16 -m 24 -k 3 -N 1000 --noise 0.05 -o data -q
  run -0 --separate-stderr dltf train data/X.npy -m 24 -k 3 --encoder learned --epochs 10 -o m.safetensors --history h.csv
  [[ $output == *"epochs              10, samples seen 9,000"* ]]
  [[ $output == *"relative error      0."*", after refit 0."*", of 100 held-out samples"$'\n'* ]]
  [[ $output == *"explained variance  0."*", after refit 0."*$'\n'"entries per code    3"$'\n'"unused atoms"*"% (of 100 held-out samples)"* ]]
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
  [[ $output == *"% (of 1,000 training samples)"* && $output != *epochs* ]]
  run -0 --separate-stderr dltf train data/X.npy -m 24 -k 3 --for omp --steps 5 --iterations 2 -o m.safetensors
  [[ $output == *"by --coder omp      relative error 0."*", explained variance 0."* ]]
  run -0 --separate-stderr dltf train - -m 24 -k 3 -o m.safetensors <data/X.npy
  [[ $output == *", of the last 50 held-out samples"*"explained variance  0."*"% (of the last 50 held-out samples)"* ]]
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
