"""Binary codes, and search among them."""
from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ._base import NativeEstimator, threads_of
from ._data import borrow
from ._library import lib
from ._native import Handle, Options, call, contents, make, to_bytes

__all__ = ["Hasher", "HammingIndex"]


class NativeHasher:
    """A hasher of the library, which can be pickled."""

    def __init__(self, handle: Handle):
        self._handle = handle

    @property
    def _as_parameter_(self):
        return self._handle.address

    @classmethod
    def from_bytes(cls, data: bytes) -> NativeHasher:
        return cls(make("hasher", lib.dltf_hasher_read, data, len(data)))

    def __reduce__(self):
        return NativeHasher.from_bytes, (to_bytes(lib.dltf_hasher_write, self._handle),)


class Hasher(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NativeEstimator):
    """Maps samples to binary codes, such that similar samples have similar codes.

    Parameters
    ----------
    n_bits : int
        A multiple of 8.
    method : {"neighbour", "itq", "lsh", "sh", "sph", "sparseh", "dltf"}
        How bits are computed; ``"neighbour"`` finds neighbours best.
    n_nonzero_coefs : int, optional
        Of sparseh and dltf: bits that are 1 (k).
    max_samples : int, optional
        Learn from at most this many samples, chosen at random; by default 100,000.
    n_iter : int, optional
        Of sph, itq and neighbour.
    random_state, n_jobs, verbose, callback
        As in :class:`DLTF`.

    Examples
    --------
    >>> import numpy as np
    >>> from dltf import Hasher, HammingIndex
    >>> X = np.random.default_rng(0).normal(size=(500, 16)).astype(np.float32)
    >>> hashes = Hasher(16, method="itq", random_state=0).fit_transform(X)
    >>> hashes.shape, hashes.dtype
    ((500, 2), dtype('uint8'))
    >>> distances, indices = HammingIndex(hashes).kneighbors(hashes[:3], 1)
    >>> distances.ravel()
    array([0, 0, 0], dtype=int32)
    """

    _names = {"n_bits": "bits", "n_nonzero_coefs": "k", "max_samples": "samples", "n_iter": "iterations"}

    def __init__(self, n_bits=64, *, method="neighbour", n_nonzero_coefs=None, max_samples=None, n_iter=None,
                 random_state=None, n_jobs=None, verbose=False, callback=None):
        self.n_bits = n_bits
        self.method = method
        self.n_nonzero_coefs = n_nonzero_coefs
        self.max_samples = max_samples
        self.n_iter = n_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None):
        """Learns from samples."""
        X = self._samples(X, reset=True, ensure_min_samples=2)
        options = self._options("n_bits", "method", "n_nonzero_coefs", "max_samples", "n_iter")
        chosen = Options("hash", options, self._renamed())
        self.hasher_ = NativeHasher(make("hasher", lib.dltf_bind_hasher_train, borrow(X), chosen, reporter=self._reporter(fitting=True),
                                         names=self._renamed()))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Packed bits, shape (n_samples, n_bits / 8) of uint8; ``numpy.unpackbits(..., bitorder="little")`` unpacks."""
        self._check_fitted("hasher_")
        X = self._samples(X, reset=False)
        hashes = np.empty((X.shape[0], self._n_features_out), np.uint8)
        call(lib.dltf_bind_hasher_apply, self.hasher_, borrow(X), threads_of(self.n_jobs), hashes.ctypes.data,
             reporter=self._reporter(fitting=False))
        return hashes

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a file that the program reads."""
        self._check_fitted("hasher_")
        call(lib.dltf_hasher_save, self.hasher_, os.fsencode(path))

    @classmethod
    def load(cls, path: Union[str, os.PathLike], **parameters: Any) -> Hasher:
        """A fitted hasher, from a file that `save` or the program wrote."""
        handle = make("hasher", lib.dltf_hasher_load, os.fsencode(path))
        found = contents(handle)
        hasher = cls(found["bits"], method=found["method"], **parameters)
        hasher.hasher_, hasher.n_features_in_ = NativeHasher(handle), found["n"]
        return hasher

    @property
    def _n_features_out(self) -> int:
        return contents(self.hasher_._handle)["bits"] // 8

    def _more_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": []}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class HammingIndex:
    """Exact search among binary codes by Hamming distance.

    Parameters
    ----------
    hashes : array of shape (n_samples, n_bytes) of uint8
        Packed bits, as :class:`Hasher` and ``numpy.packbits`` make them. They are not copied if they are contiguous.
    method : {"auto", "flat", "multi-index"}
        Compare with every row, or look up substrings; ``"auto"``: the cheaper one for each search, of those that
        `add_tables` has made possible.
    n_jobs : int, optional
        Threads; None and -1: all cores.
    """

    def __init__(self, hashes: Any, *, method: str = "auto", n_jobs: Optional[int] = None):
        self.hashes, self.method, self.n_jobs = as_hashes("hashes", hashes), method, n_jobs
        self._handle = make("index", lib.dltf_bind_index_new, borrow(self.hashes), keep=self.hashes)
        if method == "multi-index":
            self.add_tables()

    def add_tables(self) -> HammingIndex:
        """Builds the tables of multi-index hashing, for searches with a small radius among many rows."""
        call(lib.dltf_bind_index_add_tables, self._handle, threads_of(self.n_jobs))
        return self

    def _search(self, queries: Any, **options: Any) -> dict[str, Any]:
        chosen = Options("search", {**options, "method": self.method, "threads": threads_of(self.n_jobs)})
        names = {"k": "n_neighbors"}
        return contents(make("neighbours", lib.dltf_bind_search, self._handle, borrow(as_hashes("queries", queries)), chosen,
                             names=names))

    def kneighbors(self, queries: Any, n_neighbors: int = 5, return_distance: bool = True) -> Any:
        """The nearest rows of each query, by ascending distance; of equally distant rows the first.

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors) of int32, if `return_distance`
        indices : array of shape (n_queries, n_neighbors) of int64
        """
        if n_neighbors < 1:
            raise ValueError(f"n_neighbors: {n_neighbors} is not positive")
        found = self._search(queries, k=int(n_neighbors))
        shape = (found["queries"], found["k"])
        indices = found["indices"].reshape(shape)
        return (found["distances"].reshape(shape), indices) if return_distance else indices

    def radius_neighbors(self, queries: Any, radius: int, return_distance: bool = True) -> Any:
        """All rows within a distance of each query, by ascending distance.

        Returns
        -------
        distances, indices : lists of arrays, one for each query; `distances` if `return_distance`
        """
        found = self._search(queries, radius=int(radius))
        ends = found["indptr"][1:-1]
        indices = np.split(found["indices"], ends)
        return (np.split(found["distances"], ends), indices) if return_distance else indices

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes hashes and tables to a file that the program reads."""
        call(lib.dltf_index_save, self._handle, os.fsencode(path))

    @classmethod
    def load(cls, path: Union[str, os.PathLike], *, method: str = "auto", n_jobs: Optional[int] = None) -> HammingIndex:
        """An index from such a file, which is mapped and not read, or from a file with a matrix of bytes."""
        index = cls.__new__(cls)
        index._handle = make("index", lib.dltf_index_load, os.fsencode(path))
        index.hashes, index.method, index.n_jobs = contents(index._handle)["hashes"], method, n_jobs
        return index

    def __len__(self) -> int:
        return len(self.hashes)

    def __reduce__(self):
        return rebuild_index, (self.hashes, self.method, self.n_jobs)


def rebuild_index(hashes: np.ndarray, method: str, n_jobs: Optional[int]) -> HammingIndex:
    return HammingIndex(hashes, method=method, n_jobs=n_jobs)


def as_hashes(name: str, hashes: Any) -> np.ndarray:
    array = np.asarray(hashes)
    if array.dtype != np.uint8 or array.ndim != 2:
        raise ValueError(f"{name}: expected a two-dimensional array of uint8, but found {array.ndim} dimensions of {array.dtype}")
    return array
