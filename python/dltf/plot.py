"""Pictures of models, with matplotlib: atoms, history, density, error against k."""
from __future__ import annotations

from typing import Any, Iterable, Optional

import numpy as np

from ._functions import model_of
from ._html import tiles

__all__ = ["atoms", "density", "error_against_k", "history"]


def axes_or_new(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("dltf.plot needs matplotlib: install it, or pass axes of your own") from None
    return plt.subplots()[1]


def atoms(estimator: Any, *, columns: int = 16, axes: Any = None) -> Any:
    """Atoms of square images, each from its own most negative value (black) to its most positive one (white)."""
    picture = tiles(model_of(estimator).get()["dictionary"], columns)
    if picture is None:
        raise ValueError("atoms: the number of features is not a square, so that atoms are not square images")
    axes = axes_or_new(axes)
    axes.imshow(picture, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    axes.set_axis_off()
    return axes


def history(estimator: Any, value: str = "relative_error", *, axes: Any = None) -> Any:
    """A value of the history against the iteration, one line for each stage of training."""
    records = estimator.history_
    if value not in records or value == "stage":
        raise ValueError(f"value: {value!r} is not one of {', '.join(name for name in records if name != 'stage')}")
    axes = axes_or_new(axes)
    for stage in dict.fromkeys(records["stage"]):
        at = np.flatnonzero((records["stage"] == stage) & np.isfinite(records[value]))
        if len(at):
            axes.plot(at, records[value][at], marker="." if len(at) < 50 else None, label=stage)
    axes.set_xlabel("iteration")
    axes.set_ylabel(value.replace("_", " "))
    axes.legend()
    return axes


def density(estimator: Any, X: Any, *, axes: Any = None) -> Any:
    """How often each atom is used: the share of the samples whose code has it, in descending order."""
    uses = np.bincount(model_of(estimator).encode(np.asarray(X)).indices, minlength=model_of(estimator).get()["m"])
    axes = axes_or_new(axes)
    axes.semilogy(np.sort(uses)[::-1] / len(X))
    axes.set_xlabel("atom, by use")
    axes.set_ylabel("share of samples")
    return axes


def error_against_k(estimator: Any, X: Any, ks: Optional[Iterable[int]] = None, *, axes: Any = None) -> Any:
    """Relative error of codes with 1, 2, 4, ... entries: scores, and least-squares values on the same supports."""
    model = model_of(estimator)
    most = 2 * model.get()["k"]
    given = sorted(set(ks)) if ks is not None else [2**i for i in range(most.bit_length()) if 2**i <= model.get()["m"]]
    axes = axes_or_new(axes)
    for refit, label in ((False, "scores"), (True, "least squares")):
        errors = [model.measure(np.asarray(X), {"k": k, "refit": refit})["relative_error"] for k in given]
        axes.plot(given, errors, marker="o", label=label)
    axes.set_xlabel("entries of a code, k")
    axes.set_ylabel("relative error")
    axes.legend()
    return axes
