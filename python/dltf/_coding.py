"""Estimators that have a model: coding, decoding, scores, and what the model consists of."""
from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import estimator_html_repr

from ._base import NativeEstimator, threads_of
from ._compat import check_array
from ._data import as_array
from ._html import describe
from ._model import Model
from ._torch import to_torch

__all__ = ["ModelEstimator"]


class ModelEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NativeEstimator):
    """Codes samples with ``model_``, which `fit` of a subclass makes."""

    model_: Model
    sparse_output: bool
    n_jobs: Optional[int]

    def _coding_options(self) -> dict[str, Any]:
        """Options of task encode."""
        return {"threads": threads_of(self.n_jobs)}

    def transform(self, X: Any) -> Any:
        """Codes of samples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : CSR matrix of shape (n_samples, n_components) of float32, or an array if ``sparse_output`` is false
        """
        self._check_fitted("model_")
        X = self._samples(X, reset=False)
        Z = self.model_.encode(X, self._coding_options(), reporter=self._reporter(fitting=False), names=self._renamed())
        return Z if self.sparse_output else Z.toarray()

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Samples from codes, dense or sparse: an array of float32, shape (n_samples, n_features)."""
        self._check_fitted("model_")
        Z = check_array(as_array(Z), accept_sparse="csr", dtype=np.float32)
        if Z.shape[1] != self._n_features_out:
            raise ValueError(f"Z has {Z.shape[1]} columns, but the dictionary has {self._n_features_out} atoms")
        return self.model_.decode(Z)

    def score(self, X: Any, y: Any = None) -> float:
        """Explained variance of samples by their codes: 1 for perfect reconstruction."""
        self._check_fitted("model_")
        X = self._samples(X, reset=False)
        options, threads = self._coding_options(), threads_of(self.n_jobs)
        return self.model_.measure(X, options, threads=threads, names=self._renamed())["explained_variance"]

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the model to a file that the program ``dltf`` reads."""
        self._check_fitted("model_")
        self.model_.save(path)

    def to_torch(self) -> Any:
        """An ``nn.Module`` of PyTorch that computes the same codes: `encode`, `decode` and `forward`, which does both."""
        self._check_fitted("model_")
        return to_torch(self.model_)

    def _repr_html_(self) -> str:
        return describe(self) if hasattr(self, "model_") else estimator_html_repr(self)

    def _repr_mimebundle_(self, **_how: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def components_(self) -> np.ndarray:
        """Dictionary of shape (n_components, n_features), rows of norm 1."""
        return self.model_.get()["dictionary"]

    @property
    def encoder_(self) -> np.ndarray:
        """Scores are inner products with these rows; the dictionary itself if tied."""
        found = self.model_.get()
        return found.get("encoder", found["dictionary"])

    @property
    def bias_(self) -> np.ndarray:
        """Subtracted from the scores, shape (n_components,)."""
        found = self.model_.get()
        return found["bias"] if "bias" in found else np.zeros(found["m"], np.float32)

    @property
    def mean_(self) -> np.ndarray:
        """Subtracted from samples, shape (n_features,)."""
        found = self.model_.get()
        return found["mean"] if "mean" in found else np.zeros(found["n"], np.float32)

    @property
    def W_(self) -> np.ndarray:
        """The paper's W: atoms as columns."""
        return self.components_.T

    @property
    def n_components_(self) -> int:
        """Number of atoms: the paper's m."""
        return self.model_.get()["m"]

    @property
    def n_nonzero_coefs_(self) -> int:
        """Entries of a code: the paper's k."""
        return self.model_.get()["k"]

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
