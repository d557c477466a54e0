"""Functions of images and models: denoise, certify."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np

from ._base import seed_of, threads_of
from ._compat import check_array
from ._data import as_array, borrow, csr_to_codes
from ._library import lib
from ._model import Model
from ._native import Handle, Options, array_at, call, check, contents, make, texts, values_of
from ._progress import make_reporter

__all__ = ["certify", "denoise", "model_of"]


def model_of(model: Any) -> Model:
    """The model itself, or that of a fitted estimator."""
    if isinstance(model, Model):
        return model
    if isinstance(getattr(model, "model_", None), Model):
        return model.model_
    raise ValueError(f"model: expected a dltf.Model or a fitted estimator, but found {type(model).__name__}")


def denoise(image: Any, sigma: Optional[float] = None, *, method: str = "dltf", model: Any = None,
            n_components: Optional[int] = None, n_nonzero_coefs: Optional[int] = None, patch: int = 8, stride: int = 1,
            stages: Optional[int] = None, random_state: Any = 0, n_jobs: Optional[int] = None, verbose: bool = False,
            callback: Any = None, return_info: bool = False) -> Any:
    """Removes Gaussian noise from an image.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, 3)
        On the scale 0 (black) to 255 (white).
    sigma : float, optional
        Standard deviation of the noise; by default it is estimated.
    method : {"dltf", "ksvd", "paper"}
    model : Model or fitted estimator, optional
        A dictionary of patches, instead of one learned from the image.
    n_components, n_nonzero_coefs : int, optional
        Atoms, and atoms per patch at most.
    patch, stride : int
        Side of the patches and distance between them, in pixels.
    stages : int, optional
        2: denoise again, with bases learned from the first result.
    random_state, n_jobs, verbose, callback
        As in :class:`DLTF`.
    return_info : bool
        Also return a dict with ``sigma``, ``patches``, ``seconds``, ...

    Returns
    -------
    clean : array of float32, of the shape of the image

    Examples
    --------
    >>> import numpy as np, dltf
    >>> rng = np.random.default_rng(0)
    >>> clean = np.where(np.arange(64) < 32, 60.0, 180.0) * np.ones((64, 1))
    >>> noisy = clean + rng.normal(scale=20, size=clean.shape)
    >>> bool(np.mean((dltf.denoise(noisy, 20) - clean) ** 2) < 0.1 * np.mean((noisy - clean) ** 2))
    True
    """
    noisy = make_image(image)
    names = {"m": "n_components", "k": "n_nonzero_coefs", "seed": "random_state", "threads": "n_jobs"}
    options = {"sigma": sigma, "method": method, "m": n_components, "k": n_nonzero_coefs, "patch": patch, "stride": stride,
               "stages": stages, "seed": seed_of(random_state), "threads": threads_of(n_jobs)}
    clean, info = Handle("image"), Handle("values")
    call(lib.dltf_bind_denoise, noisy, None if model is None else model_of(model), Options("denoise", options, names),
         ctypes.byref(clean.address), ctypes.byref(info.address), reporter=make_reporter(callback, verbose), names=names)
    result = read_image(clean, np.ndim(image))
    return (result, values_of(info)) if return_info else result


def make_image(image: Any) -> Handle:
    pixels = np.asarray(as_array(image), dtype=np.float32)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] != 3):
        raise ValueError(f"image: expected an array of shape (height, width) or (height, width, 3), but found {pixels.shape}")
    planes = pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, 2, 0)
    if not np.all(np.isfinite(planes)):
        raise ValueError("image: contains NaN or infinity")
    channels, height, width = planes.shape
    handle = Handle("image")
    check(lib.dltf_image_new(width, height, channels, 32, ctypes.byref(handle.address)))
    array_at(lib.dltf_image_pixels(handle), np.float32, planes.shape, handle)[:] = planes
    return handle


def read_image(image: Handle, dimensions: int) -> np.ndarray:
    found = contents(image)
    planes = found["planes"].reshape(found["channels"], found["height"], found["width"])
    return planes[0].copy() if dimensions == 2 else np.ascontiguousarray(np.moveaxis(planes, 0, 2))


def certify(model: Any, X: Any = None, *, known: Any = None, candidates: Any = None, n_nonzero_coefs: Optional[int] = None,
            noise: Optional[float] = None, mu_e: Optional[float] = None, amplitude: Optional[float] = None,
            signs: bool = False, n_jobs: Optional[int] = None) -> dict[str, Any]:
    """When is the support of a code guaranteed to be right? ``docs/guarantees.md`` states and proves the theorems.

    Parameters
    ----------
    model : Model or fitted estimator
    X : array or sparse matrix of shape (n_samples, n_features), optional
        Samples to certify; without them only the model is.
    known, candidates : codes of shape (n_samples, n_components), optional
        True codes; codes whose supports are to be proven, by default the model's own.
    n_nonzero_coefs : int, optional
        Entries of a code, by default those of the model.
    noise, mu_e : float, optional
        Bounds on the norm of the noise, and on its inner products with rows of the encoder.
    amplitude : float, optional
        Magnitude of all entries of a code, by default 1.
    signs : bool
        Entries may be negative.

    Returns
    -------
    certificate : dict
        Of the model: coherence ``mu``, largest certified k (``without_noise.theorem1``, ...). With `X` also ``samples``,
        a dict of boolean arrays with one element per sample: ``proven``, ``theorem1``, ...

    Examples
    --------
    >>> import numpy as np, dltf
    >>> model = dltf.Model(np.eye(4), 1)
    >>> round(dltf.certify(model)["mu"], 6)
    0.0
    >>> dltf.certify(model, np.eye(4))["samples"]["proven"]
    array([ True,  True,  True,  True])
    """
    names = {"k": "n_nonzero_coefs", "threads": "n_jobs"}
    own = model_of(model)
    options = Options("certify", {"k": n_nonzero_coefs, "noise": noise, "mu_e": mu_e, "amplitude": amplitude, "signs": signs,
                                  "threads": threads_of(n_jobs)}, names)
    certificate = values_of(make("values", lib.dltf_bind_model_certify, own, options, names=names))
    if X is not None:
        certificate["samples"] = certify_samples(own, X, known, candidates, options, names)
    return certificate


def certify_samples(model: Model, X: Any, known: Any, candidates: Any, options: Options, names: dict) -> dict[str, np.ndarray]:
    X = check_array(as_array(X), accept_sparse="csr", dtype=[np.float32, np.float64, np.uint8])
    flags = list(texts(lib.dltf_flag_name))
    found = np.zeros((X.shape[0], len(flags)), np.uint8)
    given = [None if codes is None else csr_to_codes(codes) for codes in (known, candidates)]
    call(lib.dltf_bind_samples_certify, model, borrow(X), *given, options, found.ctypes.data, len(flags), names=names)
    return {flag: found[:, i].astype(bool) for i, flag in enumerate(flags)}
