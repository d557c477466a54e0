"""Sparse autoencoders in the files of other programs."""
from __future__ import annotations

import os
from typing import Any, Optional, Union

from ._functions import model_of
from ._library import lib
from ._model import Model
from ._native import call, make

__all__ = ["from_gemma_scope", "from_saelens", "from_sparsify", "to_gemma_scope", "to_saelens", "to_sparsify"]

Path = Union[str, "os.PathLike[str]"]


def load(folder: Path, factor: Optional[float] = None) -> Model:
    """The autoencoder in a folder: the files in it say which program wrote it.

    Parameters
    ----------
    folder : path
        With cfg.json and sae_weights.safetensors (SAELens), cfg.json and sae.safetensors (sparsify), or params.npz
        (Gemma Scope).
    factor : float, optional
        What samples are multiplied by, where cfg.json says ``expected_average_only_in`` and no file has the number.
    """
    return Model._of(make("model", lib.dltf_model_import, os.fsencode(folder), factor or 0.0))


from_saelens = from_sparsify = from_gemma_scope = load


def save(model: Any, format_: bytes, folder: Path) -> None:
    call(lib.dltf_model_export, model_of(model), format_, os.fsencode(folder))


def to_saelens(model: Any, folder: Path) -> None:
    """Writes a model, or that of a fitted estimator, for SAELens; ValueError if SAELens cannot compute the same codes."""
    save(model, b"saelens", folder)


def to_sparsify(model: Any, folder: Path) -> None:
    """The same for sparsify."""
    save(model, b"sparsify", folder)


def to_gemma_scope(model: Any, folder: Path) -> None:
    """The same for Gemma Scope."""
    save(model, b"gemma-scope", folder)
