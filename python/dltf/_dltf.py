"""DLTF: dictionaries learned for thresholded features."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional, Union

import numpy as np

from ._base import threads_of
from ._coding import ModelEstimator
from ._learner import Online, learn
from ._model import Model
from ._torch import from_torch

__all__ = ["DLTF", "DictionaryEstimator"]

SWITCH = {True: "yes", False: "no"}
# Options that learning from a stream has, too (dltf_online_new).
ONLINE = frozenset("m k seed threads select init center remove_mean unit_norm validation memory".split())


class DictionaryEstimator(ModelEstimator):
    """An estimator that learns its dictionary."""

    _names = {"n_components": "m", "n_nonzero_coefs": "k", "max_iter": "iterations", "tol": "tolerance",
              "validation_fraction": "validation", "dict_init": "init", "time_limit": "seconds", "memory_limit": "memory"}

    n_components: Optional[int]
    n_nonzero_coefs: Optional[int]
    dict_init: Any
    options: Optional[Mapping[str, Any]]

    def _training_options(self) -> dict[str, Any]:
        raise NotImplementedError

    def _start(self, columns: int) -> tuple[Optional[Model], dict[str, Any]]:
        """The model to start from, if `dict_init` is one or an array of atoms; otherwise the option `init`."""
        init = self.dict_init
        if init is None or isinstance(init, str):
            return None, {"init": init}
        if isinstance(init, Model):
            return init, {}
        atoms = np.asarray(init, dtype=np.float32)
        if atoms.ndim != 2 or atoms.shape[1] != columns:
            raise ValueError(f"dict_init: expected atoms of {columns} entries, but found an array of shape {atoms.shape}")
        k = self.n_nonzero_coefs or max(1, min(30, columns // 8, len(atoms) // 4))
        return Model(atoms, k), {"m": len(atoms)}

    def fit(self, X: Any, y: Any = None):
        """Learns a dictionary.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float32, float64 and bytes are not copied, whatever their strides.
        y : ignored

        Returns
        -------
        self
            After a KeyboardInterrupt the estimator has the model of the iterations done until then.
        """
        X = self._samples(X, reset=True, ensure_min_samples=2)
        if getattr(self, "remove_mean", False) and X.shape[1] == 1:
            raise ValueError("remove_mean: leaves nothing of samples with n_features = 1")
        start, chosen = self._start(X.shape[1])
        options = {**self._training_options(), **chosen, **(self.options or {})}
        learned = learn(X, start, options, self._reporter(fitting=True), self._renamed())
        self.model_, self.history_, self.quality_ = learned.model, learned.history, learned.quality
        self.outcome_, self.n_iter_ = learned.outcome, len(learned.history["stage"])
        self.__dict__.pop("_online", None)
        if learned.interruption is not None:
            raise learned.interruption
        return self


class DLTF(DictionaryEstimator):
    """Dictionary learning for thresholded features z = max_k(E x - b): one product and the k largest scores.

    The paper's letters are aliases: m is `n_components`, k is `n_nonzero_coefs`, W is `W_`, the transpose of
    `components_`.

    Parameters
    ----------
    n_components : int, optional
        Atoms (m). By default twice the features, at most 512 and a tenth of the samples.
    n_nonzero_coefs : int, optional
        Entries of a code (k). By default an eighth of the features, at most 30 and a quarter of the atoms.
    encoder : {"auto", "tied", "tight", "dual", "distilled", "learned", "best"}
        What scores are computed with: the dictionary itself (tied, the paper's feature), a map derived from it, or one
        that is learned with it, as in a TopK autoencoder.
    select : {"abs", "positive"}
        Keep the scores of largest magnitude, or the largest positive ones.
    center : {"auto", True, False}
        Subtract the mean of the samples first.
    remove_mean, unit_norm : bool
        Subtract the mean of its own entries from each sample; scale each sample to norm 1.
    max_iter : int, optional
        Iterations of the tied encoder.
    epochs : float, optional
        Passes over the samples of the learned encoder.
    dict_init : {"samples", "gaussian"}, array of atoms, or Model, optional
        The first dictionary.
    tol : float, optional
        A stage ends when the relative change of its objective is smaller.
    validation_fraction : float, optional
        Share of the samples that is held out to measure errors.
    time_limit : float, optional
        Seconds after which the learned encoder is finished.
    memory_limit : str, optional
        Memory for training, such as ``"2G"``.
    refit : bool
        Values of codes by least squares instead of scores.
    sparse_output : bool
        `transform` returns a SciPy CSR matrix, otherwise an array.
    random_state : int, RandomState instance, optional
        An integer is the seed of the library: the model is that of ``dltf train --seed``.
    n_jobs : int, optional
        Threads; None and -1: all cores. The result does not depend on it.
    verbose : bool
        Show progress, by tqdm if it is installed.
    callback : callable, optional
        Called with a :class:`Progress` some times a second. A true result ends learning, with the model so far.
    options : dict, optional
        Further options of ``dltf train``, such as ``{"theta": 0.01}``.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
    encoder_, bias_, mean_ : arrays
    model_ : Model
    history_ : dict of arrays
        One element per iteration: ``stage``, ``relative_error``, ``objective``, ``seconds``, ...
    quality_ : dict
        Errors on held-out samples: ``raw_error``, ``raw_explained``, ``refit_error``, ...
    outcome_ : str
        ``"converged"``, ``"iteration-limit"``, ``"interrupted"``, ``"time-limit"`` or ``"error-grew"``.
    n_iter_ : int
        Records of the history; after `partial_fit`, gradient steps.

    Examples
    --------
    >>> import numpy as np
    >>> from dltf import DLTF
    >>> X = np.random.default_rng(0).normal(size=(500, 16)).astype(np.float32)
    >>> Z = DLTF(32, 3, encoder="tied", random_state=0).fit_transform(X)
    >>> Z.shape, Z.nnz
    ((500, 32), 1500)
    """

    def __init__(self, n_components=None, n_nonzero_coefs=None, *, encoder="auto", select="abs", center="auto",
                 remove_mean=False, unit_norm=False, max_iter=None, epochs=None, dict_init=None, tol=None,
                 validation_fraction=None, time_limit=None, memory_limit=None, refit=False, sparse_output=True,
                 random_state=None, n_jobs=None, verbose=False, callback: Optional[Callable] = None, options=None):
        self.n_components = n_components
        self.n_nonzero_coefs = n_nonzero_coefs
        self.encoder = encoder
        self.select = select
        self.center = center
        self.remove_mean = remove_mean
        self.unit_norm = unit_norm
        self.max_iter = max_iter
        self.epochs = epochs
        self.dict_init = dict_init
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.refit = refit
        self.sparse_output = sparse_output
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.options = options

    def _training_options(self) -> dict[str, Any]:
        options = self._options("n_components", "n_nonzero_coefs", "encoder", "select", "remove_mean", "unit_norm", "max_iter",
                                "epochs", "tol", "validation_fraction", "time_limit", "memory_limit")
        options["center"] = SWITCH.get(self.center, self.center)
        return options

    def _coding_options(self) -> dict[str, Any]:
        return {"refit": bool(self.refit), "threads": threads_of(self.n_jobs)}

    def partial_fit(self, X: Any, y: Any = None):
        """Learns from the next samples of a stream, in one pass and constant memory.

        Encoder and dictionary are learned by gradients (``encoder="learned"``). The result does not depend on how the
        stream is divided into calls. Parameters of other ways to learn are not used: `encoder`, `max_iter`, `epochs`, `tol`,
        `time_limit`, `options`. `fit` forgets what was learned so.
        """
        first = "_online" not in self.__dict__
        X = self._samples(X, reset=first)
        if first:
            start, chosen = self._start(X.shape[1])
            own = {name: value for name, value in self._training_options().items() if name in ONLINE}
            options = {**own, "encoder": "learned", **chosen}
            self._online = Online(X.shape[1], start, options, self._renamed())
        self._online.add(X)
        self.model_ = self._online.model()
        self.n_iter_ = self._online.view()["steps"]
        return self

    @classmethod
    def from_model(cls, model: Model, **parameters: Any) -> DLTF:
        """A fitted estimator with the model of a file, of another estimator, or of arrays."""
        found = model.get()
        estimator = cls(found["m"], found["k"], **parameters)
        estimator.model_ = model
        estimator.n_features_in_ = found["n"]
        return estimator

    @classmethod
    def from_torch(cls, encoder: Any, decoder: Any, n_nonzero_coefs: int, *, select: str = "positive", subtract_bias: bool = True,
                   **parameters: Any) -> DLTF:
        """A fitted estimator with the codes of a TopK autoencoder: ``nn.Linear(n, m)`` and ``nn.Linear(m, n)``.

        The columns of the decoder must have norm 1. `subtract_bias`: the bias of the decoder is subtracted from samples
        before they are encoded.
        """
        model = from_torch(encoder, decoder, n_nonzero_coefs, select=select, subtract_bias=subtract_bias)
        return cls.from_model(model, select=select, **parameters)

    @classmethod
    def load(cls, path: Union[str, os.PathLike], **parameters: Any) -> DLTF:
        """A fitted estimator with the model of a file, as `save` and the program write them."""
        return cls.from_model(Model.load(path), **parameters)
