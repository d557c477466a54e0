"""dltf evaluate and dltf top against NumPy in double precision, for every kind of preprocessing.

Usage: evaluate_interop.py DLTF FOLDER. Exits with 77 (skipped) if NumPy or SciPy is not installed.
"""
import json
import os
import subprocess
import sys

try:
    import numpy as np
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

N, n, m, k = 700, 24, 40, 4
PREPROCESSING = {
    "none": ["--no-center"],
    "center": ["--center"],
    "remove-mean": ["--remove-mean", "--no-center"],
    "unit-norm": ["--unit-norm", "--no-center"],
    "all": ["--center", "--remove-mean", "--unit-norm"],
}


def dltf(program, *words):
    done = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)
    return done.stdout


def read_model(path):
    """The tensors of a safetensors file, in double, and its notes."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        content = file.read()
    notes = header.pop("__metadata__")
    tensors = {}
    for name, tensor in header.items():
        first, last = tensor["data_offsets"]
        tensors[name] = np.frombuffer(content[first:last], "<f4").reshape(tensor["shape"]).astype(float)
    return tensors, notes


def samples():
    random = np.random.default_rng(5)
    D = random.standard_normal((30, n))
    Z = random.exponential(1, (N, 30)) * (random.random((N, 30)) < 0.1)
    X = Z @ D + 0.05 * random.standard_normal((N, n)) + 3 * random.standard_normal(n)
    X[7] = 0
    return X.astype(np.float32)


def preprocess(X, model, remove_mean, unit_norm):
    """The samples that are coded, and those that reconstructions are compared with."""
    x = X - model.get("mean", 0)
    if remove_mean:
        x = x - x.mean(axis=1, keepdims=True)
    target = X
    if unit_norm:
        norms = np.linalg.norm(x, axis=1, keepdims=True)
        x = target = x / np.where(norms > 0, norms, 1)
    return x - model.get("offset", 0), target


def measures(x, target, W, Z):
    def errors(Z):
        d = ((x - Z @ W) ** 2).sum()
        return 1 - d / ((target - target.mean(axis=0)) ** 2).sum(), d / (x**2).sum()

    fitted = np.zeros_like(Z)
    for i, z in enumerate(Z):
        S = np.flatnonzero(z)
        fitted[i, S] = np.linalg.lstsq(W[S].T, x[i], rcond=None)[0]
    out = target - (x - Z @ W)
    norm_in, norm_out = np.linalg.norm(target, axis=1), np.linalg.norm(out, axis=1)
    both, products = (norm_in > 0) & (norm_out > 0), (target * out).sum(axis=1)
    used = (Z != 0).sum(axis=0)
    return {
        "samples": N,
        "explained_variance": errors(Z)[0],
        "relative_error": errors(Z)[1],
        "refit_explained_variance": errors(fitted)[0],
        "refit_relative_error": errors(fitted)[1],
        "refit_samples": N,
        "mse": ((target - out) ** 2).sum(axis=1).mean(),
        "cossim": (products[both] / norm_in[both] / norm_out[both]).mean(),
        "l2_norm_in": norm_in.mean(),
        "l2_norm_out": norm_out.mean(),
        "l2_ratio": (norm_out[norm_in > 0] / norm_in[norm_in > 0]).mean(),
        "relative_reconstruction_bias": (out**2).sum() / products.sum(),
        "l0": (Z != 0).sum(axis=1).mean(),
        "l1": np.abs(Z).sum(axis=1).mean(),
        "frac_alive": (used > 0).mean(),
    }


def check_evaluation(found, expected, what):
    wrong = {name: (found[name], value) for name, value in expected.items()
             if not np.isclose(found[name], value, rtol=1e-5, atol=1e-6)}
    assert not wrong, f"{what}: {wrong}"


def check_examples(found, z, rows, count, largest):
    """Samples of an atom whose values are z: of these rows, as many as there are, the largest or any."""
    got = [(e["row"], e["value"]) for e in found]
    assert len(got) == min(count, len(rows)) and len(set(got)) == len(got), (got, rows)
    assert all(row in rows and np.isclose(value, z[row]) for row, value in got), (got, rows)
    if largest:
        order = sorted(rows, key=lambda row: (-abs(z[row]), row))
        assert [row for row, _ in got] == order[:count], (got, order[:count])


def check_atom(atom, feature, Z):
    z = Z[:, atom["atom"]]
    used = np.flatnonzero(z)
    magnitudes = np.abs(z[used])
    assert atom["uses"] == len(used) and np.isclose(feature["frac_nonzero"], len(used) / N)
    if len(used) == 0:
        return
    assert np.isclose(atom["mean"], magnitudes.mean()) and np.isclose(atom["largest"], magnitudes.max())
    check_examples(atom["top"], z, list(used), 6, True)
    check_examples(atom["random"], z, list(used), 4, False)
    for interval in atom["intervals"]:
        inside = used[(magnitudes >= interval["min"]) & (magnitudes < interval["max"])]
        assert interval["uses"] == len(inside)
        check_examples(interval["samples"], z, list(inside), 2, False)
    assert sum(interval["uses"] for interval in atom["intervals"]) == len(used)
    values, heights = feature["freq_hist_data_bar_values"], feature["freq_hist_data_bar_heights"]
    edges = np.arange(len(values) + 1) * 2 * values[0]
    assert (np.histogram(magnitudes, edges)[0] == heights).all() and sum(heights) == len(used)
    top = [a for a in feature["activations"] if a["bin_contains"] == -1]
    assert [a["tokens"] for a in top] == [[str(e["row"])] for e in atom["top"]]
    with np.errstate(invalid="ignore"):
        pearson = np.nan_to_num(np.corrcoef(Z.T)[atom["atom"]])
    pearson[atom["atom"]] = 0
    best = np.sort(pearson)[::-1][:5]
    assert np.allclose(feature["correlated_features_pearson"], best[best > 0], atol=1e-6)
    assert np.allclose(pearson[feature["correlated_features_indices"]], best[best > 0], atol=1e-6)


def check_top(program, folder, model, data, Z):
    matrix = os.path.join(folder, "top.npz")
    words = ["--most-used", m, "--top", 6, "--random", 4, "--json", "-o", matrix]
    found = json.loads(dltf(program, "top", model, data, *words, "--threads", 1))
    again = json.loads(dltf(program, "top", model, data, *words, "--threads", 2))
    assert found["atoms"] == again["atoms"] and found["features"] == again["features"]
    uses = (Z != 0).sum(axis=0)
    assert [a["atom"] for a in found["atoms"]] == sorted(range(m), key=lambda j: (-uses[j], j))
    for atom, feature in zip(found["atoms"], found["features"]):
        assert feature["feature_index"] == atom["atom"]
        check_atom(atom, feature, Z)
    saved = scipy.sparse.load_npz(matrix)
    assert saved.shape == (m, N)
    for atom in found["atoms"]:
        assert set(saved[atom["atom"]].indices) == {e["row"] for e in atom["top"]}


def check(program, folder, name, flags, select):
    data, model, codes = (os.path.join(folder, file) for file in ("X.npy", "model.safetensors", "codes.npz"))
    dltf(program, "train", data, "-m", m, "-k", k, "--encoder", "learned", "--epochs", 3, "--select", select, *flags,
         "-o", model, "-q")
    dltf(program, "encode", model, data, "-o", codes, "-q")
    Z = scipy.sparse.load_npz(codes).toarray().astype(float)
    tensors, _ = read_model(model)
    x, target = preprocess(np.load(data).astype(float), tensors, "--remove-mean" in flags, "--unit-norm" in flags)
    found = json.loads(dltf(program, "evaluate", model, data, "--json"))
    check_evaluation(found, measures(x, target, tensors["dictionary"], Z), f"{name}, {select}")
    density = (Z != 0).mean(axis=0)
    assert np.isclose(found["feature_density_quantiles"]["1"], density.max()), "density"
    check_top(program, folder, model, data, Z)


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "X.npy"), samples())
    for name, flags in PREPROCESSING.items():
        for select in ("abs", "positive"):
            check(program, folder, name, flags, select)
    print(f"{2 * len(PREPROCESSING)} models agree with NumPy")


main(*sys.argv[1:])
