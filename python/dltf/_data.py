"""Arrays of NumPy, SciPy and others as matrices of the library, and codes as SciPy's compressed rows."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import scipy.sparse

from ._library import lib
from ._native import Handle, check, contents

__all__ = ["as_array", "borrow", "codes_to_csr", "csr_to_codes"]

# The library reads these types, with any strides, without a copy.
DENSE_TYPES = (np.float32, np.float64, np.uint8)
SPARSE_TYPES = (np.float32, np.float64)


def as_array(X: Any) -> Any:
    """Tensors of PyTorch as arrays, without a copy if they are on the CPU; lists as arrays of the type that NumPy
    chooses, so that a list gives the same result as the array. Everything else is left to scikit-learn's checks."""
    if isinstance(X, (list, tuple)):
        return np.asarray(X)
    if hasattr(X, "detach") and hasattr(X, "cpu"):
        X = X.detach().cpu()
        try:
            return X.numpy()
        except TypeError:  # bfloat16
            return X.float().numpy()
    return X


def borrow(X: Any) -> Handle:
    """A view of a two-dimensional array, or of compressed rows. Only other types are copied, to float32."""
    return borrow_csr(X) if scipy.sparse.issparse(X) else borrow_dense(np.asarray(X))


def borrow_dense(X: np.ndarray) -> Handle:
    if X.dtype.type not in DENSE_TYPES or not X.dtype.isnative:
        X = X.astype(np.float32)
    if any(stride % X.itemsize for stride in X.strides) or not X.flags.aligned:
        X = np.ascontiguousarray(X).copy()
    strides = (stride // X.itemsize for stride in X.strides)
    handle = Handle("array", keep=X)
    check(lib.dltf_array_borrow(X.ctypes.data, X.dtype.name.encode(), *X.shape, *strides, ctypes.byref(handle.address)))
    return handle


def borrow_csr(X: Any) -> Handle:
    X = X.tocsr()
    values = X.data if X.data.dtype.type in SPARSE_TYPES else X.data.astype(np.float32)
    index = X.indices.dtype
    indptr = X.indptr.astype(index, copy=False)
    handle = Handle("array", keep=(X, values, indptr))
    check(lib.dltf_array_borrow_csr(*X.shape, X.nnz, indptr.ctypes.data, X.indices.ctypes.data, index.name.encode(),
                                    values.ctypes.data, values.dtype.name.encode(), ctypes.byref(handle.address)))
    return handle


def codes_to_csr(codes: Handle) -> scipy.sparse.csr_matrix:
    """Codes of the library as compressed rows, in the memory of the library."""
    found = contents(codes)
    return scipy.sparse.csr_matrix((found["values"], found["indices"], found["indptr"]), shape=(found["rows"], found["cols"]))


def csr_to_codes(Z: Any) -> Handle:
    """Codes, dense or sparse, for the library: without zeros, in the order of atoms."""
    Z = scipy.sparse.csr_matrix(Z, dtype=np.float32)
    if not Z.has_canonical_format or not np.all(Z.data):
        Z = Z.copy()
        Z.sum_duplicates()
        Z.eliminate_zeros()
    handle = Handle("codes")
    check(lib.dltf_bind_codes_new(borrow_csr(Z), ctypes.byref(handle.address)))
    return handle
