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


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "X.npy"), samples())
    for name, flags in PREPROCESSING.items():
        for select in ("abs", "positive"):
            check(program, folder, name, flags, select)
    print(f"{2 * len(PREPROCESSING)} models agree with NumPy")


main(*sys.argv[1:])
