"""K-SVD, and dictionaries for codes by orthogonal matching pursuit."""
from __future__ import annotations

from typing import Any

from ._base import threads_of
from ._dltf import SWITCH, DictionaryEstimator

__all__ = ["KSVD"]


class KSVD(DictionaryEstimator):
    """Dictionary learning by K-SVD; `transform` computes codes by orthogonal matching pursuit.

    Parameters
    ----------
    n_components : int, optional
        Atoms (m).
    n_nonzero_coefs : int, optional
        Entries of a code (k), at most.
    error : float, optional
        A code is complete when its squared residual is at most this, or has `n_nonzero_coefs` entries.
    max_iter : int
        Iterations of K-SVD.
    update : {"approximate", "exact"}
        Atoms by one power iteration, or by a singular value decomposition.
    minibatch : bool
        Begin with a dictionary from minibatches: faster for many samples (``dltf train --method omp``).
    center, remove_mean, dict_init, tol, validation_fraction, memory_limit, sparse_output, random_state, n_jobs, verbose,
    callback, options
        As in :class:`DLTF`.

    Examples
    --------
    >>> import numpy as np
    >>> from dltf import KSVD
    >>> X = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)
    >>> ksvd = KSVD(16, 3, max_iter=5, random_state=0).fit(X)
    >>> ksvd.components_.shape
    (16, 8)
    """

    def __init__(self, n_components=None, n_nonzero_coefs=None, *, error=None, max_iter=40, update="approximate", minibatch=False,
                 center="auto", remove_mean=False, dict_init=None, tol=None, validation_fraction=None, memory_limit=None,
                 sparse_output=True, random_state=None, n_jobs=None, verbose=False, callback=None, options=None):
        self.n_components = n_components
        self.n_nonzero_coefs = n_nonzero_coefs
        self.error = error
        self.max_iter = max_iter
        self.update = update
        self.minibatch = minibatch
        self.center = center
        self.remove_mean = remove_mean
        self.dict_init = dict_init
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.memory_limit = memory_limit
        self.sparse_output = sparse_output
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.options = options

    def _training_options(self) -> dict[str, Any]:
        options = self._options("n_components", "n_nonzero_coefs", "error", "max_iter", "update", "remove_mean", "tol",
                                "validation_fraction", "memory_limit")
        options["method"] = "omp" if self.minibatch else "ksvd"
        options["center"] = SWITCH.get(self.center, self.center)
        return options

    def _coding_options(self) -> dict[str, Any]:
        return {"coder": "omp", "error": self.error, "threads": threads_of(self.n_jobs)}
