"""Differences between versions of scikit-learn, from 1.2 on."""
from __future__ import annotations

import inspect
from typing import Any

from sklearn.utils import check_array as _check_array

__all__ = ["check_array", "validate"]

# Renamed in 1.6. The library itself looks for NaN and infinity, and names the row and the column.
FINITE = "ensure_all_finite" if "ensure_all_finite" in inspect.signature(_check_array).parameters else "force_all_finite"

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6

    def validate_data(estimator: Any, X: Any, **how: Any) -> Any:
        return estimator._validate_data(X, **how)


def check_array(X: Any, **how: Any) -> Any:
    return _check_array(X, **{FINITE: False}, **how)


def validate(estimator: Any, X: Any, *, reset: bool, **how: Any) -> Any:
    """Checks samples, and sets or checks the number and the names of features."""
    return validate_data(estimator, X, reset=reset, **{FINITE: False}, **how)
