"""The coder omp against scikit-learn's orthogonal_mp_gram: same supports, up to ties within rounding.

Usage: omp_interop.py DLTF FOLDER. Exits with 77 (skipped) if NumPy, SciPy or scikit-learn is not installed.
"""
import json
import os
import subprocess
import sys

try:
    import numpy as np
    import scipy.sparse
    from sklearn.linear_model import orthogonal_mp_gram
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SAMPLES = 300 if os.environ.get("DLTF_TEST_SMALL") == "1" else 2000


def dltf(program, *words):
    subprocess.run([program, *words, "-q"], check=True, stdout=subprocess.DEVNULL)


def read_dictionary(path):
    """The tensor 'dictionary' of a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        first, last = header["dictionary"]["data_offsets"]
        content = file.read()[first:last]
    return np.frombuffer(content, "<f4").reshape(header["dictionary"]["shape"])


def margin(W, x, support_size):
    """The smallest gap between the best and second-best atom in any step, relative to the norm of the sample."""
    smallest, support, r = np.inf, [], x
    for _ in range(support_size):
        scores = np.abs(W @ r)
        scores[support] = 0
        order = np.argsort(scores)
        smallest = min(smallest, scores[order[-1]] - scores[order[-2]])
        support.append(order[-1])
        r = x - W[support].T @ np.linalg.lstsq(W[support].T, x, rcond=None)[0]
    return smallest / np.linalg.norm(x)


def compare(program, folder, n, m, k):
    toy, model, codes = (os.path.join(folder, name) for name in ("toy", "toy.safetensors", "toy.npz"))
    shape = ["-m", str(m), "-k", str(k)]
    dltf(program, "synth", "-n", str(n), *shape, "-N", str(SAMPLES), "--noise", "0.1", "-o", toy)
    dltf(program, "train", f"{toy}/X.npy", *shape, "--steps", "20", "--iterations", "2", "-o", model)
    dltf(program, "encode", model, f"{toy}/Xtest.npy", "--coder", "omp", "-o", codes)
    X = np.load(f"{toy}/Xtest.npy").astype(float)
    W = read_dictionary(model).astype(float)
    theirs = orthogonal_mp_gram(W @ W.T, W @ X.T, n_nonzero_coefs=k).T
    ours = scipy.sparse.load_npz(codes).toarray()
    others = np.flatnonzero(((ours != 0) != (theirs != 0)).any(axis=1))
    wrong = [i for i in others if margin(W, X[i], k) > 1e-5]
    same = np.setdiff1d(np.arange(len(X)), others)
    difference = np.abs(ours - theirs)[same].max()
    print(f"n={n} m={m} k={k}: {len(same)} of {len(X)} supports are the same, {len(others)} differ, "
          f"{len(wrong)} of them without a near-tie; values within {difference:.1e}")
    assert not wrong, wrong
    assert len(others) <= len(X) // 100
    assert difference < 1e-4


def main():
    program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for shape in ((16, 32, 3), (64, 128, 8), (40, 30, 5)):
        compare(program, folder, *shape)


main()
