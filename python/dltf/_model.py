"""A learned model: a dictionary, how to encode with it, and where it comes from."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Mapping, Optional, Union

import numpy as np
import scipy.sparse

from ._data import borrow, codes_to_csr, csr_to_codes
from ._library import lib
from ._native import Handle, Options, call, contents, from_values, make, texts, to_bytes, values_of
from ._progress import Reporter

__all__ = ["Model"]

Path = Union[str, "os.PathLike[str]"]


class Model:
    """A dictionary with its encoder.

    Estimators have one as ``model_``. It cannot be changed, and can be pickled, copied and shared by threads.

    Parameters
    ----------
    dictionary : array of shape (m, n)
        Atoms, as rows. They are scaled to norm 1.
    n_nonzero_coefs : int
        Entries of a code (k).
    encoder : array of shape (m, n), optional
        The scores of a sample are its inner products with these rows; by default with the atoms themselves.
    bias : array of shape (m,), optional
        Subtracted from the scores.
    mean : array of shape (n,), optional
        Subtracted from samples first.
    select : {"abs", "positive"}
        A code keeps the scores of largest magnitude, or the largest positive ones.
    **parts
        Further parts of a model, under the names of :meth:`get`.

    Examples
    --------
    >>> import numpy as np, dltf
    >>> model = dltf.Model(np.eye(3), 1)
    >>> model.encode(np.array([[0.1, -2.0, 1.0]])).toarray()
    array([[ 0., -2.,  0.]], dtype=float32)
    """

    def __init__(self, dictionary: Any, n_nonzero_coefs: int, *, encoder: Any = None, bias: Any = None, mean: Any = None,
                 select: str = "abs", **parts: Any):
        arrays = {"dictionary": dictionary, "encoder": encoder, "bias": bias, "mean": mean}
        given = {name: as_float32(name, value) for name, value in arrays.items()}
        given.update({name: as_float32(name, value) if isinstance(value, (list, np.ndarray)) else value
                      for name, value in parts.items()})
        self._handle = from_values("model", {**given, "k": int(n_nonzero_coefs), "select": select})

    @classmethod
    def _of(cls, handle: Handle) -> Model:
        model = cls.__new__(cls)
        model._handle = handle
        return model

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return self._handle.address

    @classmethod
    def load(cls, path: Path) -> Model:
        """Reads a file of the program: ``model.safetensors``."""
        return cls._of(make("model", lib.dltf_model_load, os.fsencode(path)))

    def save(self, path: Path) -> None:
        """Writes a file that the program reads."""
        call(lib.dltf_model_save, self, os.fsencode(path))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """From the bytes of such a file."""
        return cls._of(make("model", lib.dltf_model_read, data, len(data)))

    def to_bytes(self) -> bytes:
        """The bytes of such a file."""
        return to_bytes(lib.dltf_model_write, self._handle)

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    def get(self) -> dict[str, Any]:
        """All parts, under the names of ``dltf_model_view``. Arrays are views of the model, not to be written to."""
        found = contents(self._handle)
        for value in found.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        return found

    def notes(self) -> dict[str, str]:
        """Provenance: options of training and a checksum of the data."""
        names = texts(lib.dltf_model_note_name, self)
        return {name: lib.dltf_model_note(self, name.encode()).decode() for name in names}

    def encode(self, X: Any, options: Optional[Mapping[str, Any]] = None, *, reporter: Optional[Reporter] = None,
               names: Mapping[str, str] = {}) -> scipy.sparse.csr_matrix:
        """Codes of samples, as compressed rows. ``options``: those of the command ``dltf encode``."""
        return codes_to_csr(self._codes(X, options, reporter=reporter, names=names))

    def _codes(self, X: Any, options: Optional[Mapping[str, Any]] = None, **how: Any) -> Handle:
        chosen = Options("encode", options or {}, how.get("names") or {})
        return make("codes", lib.dltf_bind_encode, self, borrow(X), chosen, **how)

    def decode(self, Z: Any) -> np.ndarray:
        """Samples from codes, dense or sparse."""
        codes = csr_to_codes(Z)
        samples = np.empty((Z.shape[0], self.get()["n"]), np.float32)
        call(lib.dltf_decode, self, codes, samples.ctypes.data)
        return samples

    def measure(self, X: Any, options: Optional[Mapping[str, Any]] = None, *, threads: int = 0, **how: Any) -> dict[str, float]:
        """How well the codes of samples reconstruct the samples: relative_error, explained_variance, entries."""
        samples = borrow(X)
        chosen = Options("encode", options or {}, how.get("names") or {})
        codes = make("codes", lib.dltf_bind_encode, self, samples, chosen, **how)
        return values_of(make("values", lib.dltf_bind_reconstruction_measure, self, samples, codes, threads))

    def __repr__(self) -> str:
        found = self.get()
        encoder = "an encoder" if "encoder" in found else "tied"
        return f"<dltf.Model: {found['m']} atoms of {found['n']} entries, k = {found['k']}, {encoder}>"


def as_float32(name: str, value: Any) -> Optional[np.ndarray]:
    if value is None:
        return None
    array = np.ascontiguousarray(value, dtype=np.float32)
    wanted = 2 if name in ("dictionary", "encoder") else 1
    if array.ndim != wanted:
        raise ValueError(f"{name}: expected an array of {wanted} dimension{'s' * (wanted > 1)}, but found {array.ndim}")
    return array
