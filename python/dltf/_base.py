"""What all estimators share."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._compat import validate
from ._data import as_array
from ._progress import Reporter, make_reporter

__all__ = ["NativeEstimator", "seed_of", "threads_of"]


def seed_of(random_state: Any) -> int:
    """An integer is the seed itself, so that results are those of the program."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads_of(n_jobs: Any) -> int:
    """The number of threads; None and negative numbers: all cores (0)."""
    return 0 if n_jobs is None or n_jobs < 0 else int(n_jobs)


class NativeEstimator(BaseEstimator):
    """An estimator that computes in the library. The result does not depend on ``n_jobs``."""

    # Parameters that are options of the library under another name.
    _names: Mapping[str, str] = {}

    def _samples(self, X: Any, *, reset: bool, **how: Any) -> Any:
        """Samples as the library reads them: float32, float64, bytes or compressed rows stay as they are."""
        types = [np.float32, np.float64, np.uint8]
        return validate(self, as_array(X), reset=reset, dtype=types, accept_sparse="csr", **how)

    def _options(self, *parameters: str) -> dict[str, Any]:
        """The parameters of these names as options of the library."""
        values = {self._names.get(name, name): getattr(self, name) for name in parameters}
        if hasattr(self, "random_state"):
            values["seed"] = seed_of(self.random_state)
        return {**values, "threads": threads_of(self.n_jobs)}  # type: ignore[attr-defined]

    def _renamed(self) -> dict[str, str]:
        """The names of parameters by those of options, for messages."""
        own = {option: parameter for parameter, option in self._names.items()}
        return {"seed": "random_state", "threads": "n_jobs", **own}

    def _reporter(self, *, fitting: bool) -> Reporter:
        """Shows progress if wanted. The callback is that of `fit`."""
        return make_reporter(getattr(self, "callback", None) if fitting else None, self.verbose)  # type: ignore[attr-defined]

    def _check_fitted(self, attribute: str) -> None:
        check_is_fitted(self, attribute)

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"preserves_dtype": [np.float32]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
