"""Codes with a given dictionary."""
from __future__ import annotations

from typing import Any, Union

import numpy as np
from sklearn.base import BaseEstimator, clone

from ._base import threads_of
from ._coding import ModelEstimator
from ._dltf import DLTF
from ._model import Model

__all__ = ["SparseEncoder"]


class SparseEncoder(ModelEstimator):
    """Codes samples with a model, by any coder of the library.

    Parameters
    ----------
    model : Model, array of atoms, path, or estimator, optional
        What to code with. An estimator, such as :class:`KSVD` or by default :class:`DLTF`, is cloned and fitted by
        `fit`; to use one that has been fitted, pass its ``model_``.
    n_nonzero_coefs : int, optional
        Entries of a code (k). By default those of the model; for an array of atoms a quarter of them, at most 30.
    coder : {"threshold", "omp", "iht", "niht", "htp", "incoherent", "shortlist"}
        ``"threshold"`` is the model's own feature; the others work more per sample, on its dictionary.
    select : {"model", "abs", "positive"}
        Keep the scores of largest magnitude, or the largest positive ones.
    refit : bool
        Values by least squares on the support.
    error : float, optional
        Of omp: a code is complete when its squared residual is at most this.
    passes : int, optional
        Of iht, niht and htp: the maximum.
    coherence, threshold : float, optional
        Of incoherent: the largest inner product of two atoms in a code; the smallest score.
    candidates, lists : int, optional
        Of shortlist: the length of the list; 2 for a second one, from the residual.
    sparse_output : bool
        `transform` returns a SciPy CSR matrix, otherwise an array.
    n_jobs, verbose
        As in :class:`DLTF`.

    Examples
    --------
    >>> import numpy as np
    >>> from dltf import SparseEncoder
    >>> atoms = np.array([[1, 0], [0, 1], [0.6, 0.8]])
    >>> SparseEncoder(atoms, 1, coder="omp").fit_transform(np.array([[1.2, 1.6]])).toarray().round(4)
    array([[0., 0., 2.]], dtype=float32)
    """

    _names = {"n_nonzero_coefs": "k"}

    def __init__(self, model: Union[Model, Any] = None, n_nonzero_coefs=None, *, coder="threshold", select="model", refit=False,
                 error=None, passes=None, coherence=None, threshold=None, candidates=None, lists=None, sparse_output=True,
                 n_jobs=None, verbose=False):
        self.model = model
        self.n_nonzero_coefs = n_nonzero_coefs
        self.coder = coder
        self.select = select
        self.refit = refit
        self.error = error
        self.passes = passes
        self.coherence = coherence
        self.threshold = threshold
        self.candidates = candidates
        self.lists = lists
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None):
        """Takes or makes the model, and checks that it is one for samples like X."""
        X = self._samples(X, reset=True)
        self.model_ = self._make_model(X)
        expected = self.model_.get()["n"]
        if X.shape[1] != expected:
            raise ValueError(f"X has {X.shape[1]} features, but the model expects {expected}")
        return self

    def _make_model(self, X: Any) -> Model:
        if isinstance(self.model, Model):
            return self.model
        if self.model is None or isinstance(self.model, BaseEstimator):
            learner = DLTF(random_state=0) if self.model is None else clone(self.model)
            return learner.fit(X).model_
        if isinstance(self.model, np.ndarray):
            atoms = len(self.model)
            return Model(self.model, self.n_nonzero_coefs or max(1, min(30, atoms // 4)))
        return Model.load(self.model)

    def _coding_options(self) -> dict[str, Any]:
        names = ("coder", "select", "refit", "error", "passes", "coherence", "threshold", "candidates", "lists")
        return {"k": self.n_nonzero_coefs, **{name: getattr(self, name) for name in names}, "threads": threads_of(self.n_jobs)}
