"""Sparse data: files of scipy.sparse.save_npz give the same models and codes as the dense array, byte for byte.

Usage: sparse_interop.py DLTF FOLDER. Exits with 77 (skipped) if NumPy or SciPy is not installed.
"""
import os
import pathlib
import subprocess
import sys

try:
    import numpy as np
    import scipy.sparse as sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

program = os.path.abspath(sys.argv[1])
pathlib.Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
os.chdir(sys.argv[2])
rng = np.random.default_rng(1)


def dltf(*words):
    subprocess.run([program, *map(str, words), "-q"], check=True)


def fails(message, *words):
    result = subprocess.run([program, *words], capture_output=True, text=True)
    assert result.returncode in (1, 2) and message in result.stderr, (words, result)


def results(data, *options):
    """Bytes of a model and of codes by two coders."""
    dltf("train", data, "-m", 20, "-k", 3, "--encoder", "tied", "--steps", 10, "--iterations", 4, "-o", "model", *options)
    dltf("encode", "model", data, "-o", "codes.npz")
    dltf("encode", "model", data, "--coder", "omp", "--refit", "-o", "omp.npz")
    return [pathlib.Path(name).read_bytes() for name in ("model", "codes.npz", "omp.npz")]


def compare(matrix, *options, compressed=True):
    np.save("dense.npy", matrix.toarray())
    sparse.save_npz("sparse.npz", matrix, compressed=compressed)
    assert results("dense.npy", *options) == results("sparse.npz", *options), (matrix.dtype, options)


def save_raw(path, data, indices, indptr, shape, form="csr"):
    np.savez(path, data=data, indices=indices, indptr=indptr, shape=shape, format=form.encode())


X = sparse.random(400, 30, 0.2, "csr", random_state=rng)
X.data -= 0.5
compare(X)
compare(X.astype(np.float32), "--center", "--unit-norm", compressed=False)
compare(X.astype(np.float32), "--encoder", "tied", "--remove-mean", "--threads", "3")
for kind in (np.int8, np.uint8, np.int64):
    compare((abs(X) * 100).astype(kind))

# Wide indices, unsorted columns, explicit zeros; duplicates are added in the precision of the file.
wide = X.copy()
wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
compare(wide)
for kind in (np.float32, np.float64):
    columns = rng.integers(0, 30, 400 * 12)
    values = rng.normal(size=columns.size).astype(kind)
    values[::7] = 0
    save_raw("raw.npz", values, columns, np.arange(0, columns.size + 1, 12), [400, 30])
    messy = sparse.load_npz("raw.npz")
    assert not messy.has_canonical_format
    np.save("dense.npy", messy.toarray())
    assert results("dense.npy") == results("raw.npz")

# Measures and other commands that read samples.
sparse.save_npz("sparse.npz", X)
np.save("dense.npy", X.toarray())
dltf("train", "dense.npy", "-m", 20, "-k", 3, "--encoder", "tied", "--steps", 10, "--iterations", 4, "-o", "model")
dltf("encode", "model", "dense.npy", "-o", "codes.npz")
for name in ("dense.npy", "sparse.npz"):
    dltf("hash", "train", name, "--method", "lsh", "--bits", 16, "-o", name + ".hasher")
    dltf("hash", "encode", name + ".hasher", name, "-o", name + ".bits.npy")
assert pathlib.Path("dense.npy.bits.npy").read_bytes() == pathlib.Path("sparse.npz.bits.npy").read_bytes()
reports = [subprocess.run([program, "decode", "model", "codes.npz", "--original", name, "-o", "out.npy", "--json"],
                          capture_output=True, check=True).stdout for name in ("dense.npy", "sparse.npz")]
assert reports[0] == reports[1] and b"relative_error" in reports[0]

# A stream, in pieces that begin anywhere.
with open("sparse.npz", "rb") as file:
    subprocess.run([program, "encode", "model", "-", "-o", "piped.npz", "-q"], stdin=file, check=True)
assert pathlib.Path("piped.npz").read_bytes() == pathlib.Path("codes.npz").read_bytes()

# Several files, and a limit of memory.
sparse.save_npz("top.npz", X[:150])
sparse.save_npz("rest.npz", X[150:])
whole = pathlib.Path("model").read_bytes()
for options in (["top.npz", "rest.npz"], ["sparse.npz", "--memory", "200M"]):
    dltf("train", *options, "-m", 20, "-k", 3, "--encoder", "tied", "--steps", 10, "--iterations", 4, "-o", "parts")
    assert pathlib.Path("parts").read_bytes() == whole, options

# Refusals.
for form in ("csc", "coo", "bsr", "dia"):
    sparse.save_npz("other.npz", X.asformat(form))
    fails(f"other.npz: is a sparse matrix in '{form}' format: convert with matrix.tocsr()", "train", "other.npz")
one, two, three = [1.0], [0, 1], [1, 3]
for message, arrays in {
    "row 0 has index 3, out of range for 3 columns": (one, [3], two, three),
    "row 0 has index -1, out of range": (one, [-1], two, three),
    "'indptr' has 3 elements for 1 rows": (one, [0], [0, 1, 1], three),
    "'indptr' element 1 is 2": (one, [0], [0, 2], three),
    "'indptr' element 2 is 0": ([1.0, 2.0], [0, 1], [0, 1, 0], [2, 3]),
    "'indptr' element 0 is 1": (one, [0], [1, 1], three),
    "'data' has 2 elements, but 'indices' has 1": ([1.0, 2.0], [0], two, three),
    "shape 1 x 0 is out of range": (one, [0], two, [1, 0]),
    "shape 1 x 3000000000 is out of range": (one, [0], two, [1, 3000000000]),
    "array 'shape' must have two elements": (one, [0], two, [1, 3, 1]),
    "contains no rows": ([0.0][:0], np.zeros(0, np.int32), [0], [0, 3]),
    "row 0, column 2 is NaN": ([np.nan], [2], two, three),
    "integers beyond 2^53": ([2**60], [0], two, three),
    "array 'data' has an unexpected type or shape": (["a"], [0], two, three),
}.items():
    save_raw("bad.npz", *map(np.asarray, arrays))
    fails(message, "train", "bad.npz", "-m", "1", "-k", "1")
    if "NaN" not in message:  # a wrong number of columns is found first
        fails(message, "encode", "model", "bad.npz", "-o", "none.npz")
fails("columns, but the model expects 30", "encode", "model", "codes.npz", "-o", "none.npz")
fails("expected packed bits (uint8) but found a sparse matrix", "hash", "index", "sparse.npz")
labels = sparse.csr_matrix(np.ones((400, 1)))
sparse.save_npz("labels.npz", labels)
fails("labels.npz: is a sparse matrix: expected one label per sample", "cluster", "dense.npy", "-c", "2", "--labels", "labels.npz")
print("sparse and dense files give the same models, codes and measures")
