"""What a model does on data: measures of reconstruction, and which samples each atom stands for."""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional

import numpy as np

from ._base import seed_of, threads_of
from ._compat import check_array
from ._data import as_array, borrow
from ._functions import model_of
from ._library import lib
from ._native import Handle, Options, contents, make, values_of

__all__ = ["TopSamples", "evaluate", "top_samples"]

NAMES = {"k": "n_nonzero_coefs", "threads": "n_jobs", "seed": "random_state", "top": "n_top", "random": "n_random"}


def samples_of(X: Any) -> Handle:
    return borrow(check_array(as_array(X), accept_sparse="csr", dtype=[np.float32, np.float64, np.uint8]))


def coding(options: Optional[Mapping[str, Any]], n_jobs: Optional[int]) -> Options:
    return Options("encode", {**(options or {}), "threads": threads_of(n_jobs)}, NAMES)


def evaluate(model: Any, X: Any, *, options: Optional[Mapping[str, Any]] = None, n_jobs: Optional[int] = None) -> dict[str, Any]:
    """The measures of sparse autoencoders, under the names that they have there.

    Parameters
    ----------
    model : Model or fitted estimator
    X : array or sparse matrix of shape (n_samples, n_features)
    options : dict, optional
        Options of ``dltf encode``, such as ``{"k": 16, "coder": "omp"}``; by default samples are coded as the model does.

    Returns
    -------
    measures : dict
        ``explained_variance``, ``mse``, ``l0``, ``l1``, ``cossim``, ``l2_ratio``, ``frac_alive``, ..., and ``uses``, an array
        with the number of samples that use each atom.

    Examples
    --------
    >>> import numpy as np, dltf
    >>> found = dltf.evaluate(dltf.Model(np.eye(3), 1), np.eye(3))
    >>> found["l0"], found["uses"].tolist()
    (1.0, [1, 1, 1])
    """
    values = make("values", lib.dltf_bind_evaluate, model_of(model), samples_of(X), coding(options, n_jobs), names=NAMES)
    return values_of(values)


class TopSamples(NamedTuple):
    """The samples that an atom stands for: their rows, and the values of the atom in their codes."""

    rows: np.ndarray
    values: np.ndarray
    uses: int
    """How many samples use the atom."""


def top_samples(model: Any, X: Any, n_top: int = 10, *, options: Optional[Mapping[str, Any]] = None,
                n_jobs: Optional[int] = None) -> list[TopSamples]:
    """For each atom the samples with the largest values of it, in one pass over the samples.

    Parameters
    ----------
    model, X, options
        As in :func:`evaluate`.
    n_top : int
        Samples of each atom, at most.

    Examples
    --------
    >>> import numpy as np, dltf
    >>> dltf.top_samples(dltf.Model(np.eye(2), 1), np.array([[1.0, 0], [3, 0], [0, 2]]))[0].rows
    array([1, 0])
    """
    chosen = Options("top", {"top": n_top, "random": 0, "interval": 0}, NAMES)
    found = contents(make("top", lib.dltf_bind_top_find, model_of(model), samples_of(X), coding(options, n_jobs), chosen, names=NAMES))
    ends = found["top_indptr"][1:-1]
    rows, values = np.split(found["top_rows"], ends), np.split(found["top_values"], ends)
    return [TopSamples(r.copy(), v.copy(), int(u)) for r, v, u in zip(rows, values, found["uses"])]
