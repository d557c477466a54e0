"""Clustering: k-means, and k-means of landmark codes."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
import scipy.sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

from ._base import NativeEstimator, threads_of
from ._data import borrow
from ._library import lib
from ._native import Handle, Options, call, contents, from_values, make
from ._progress import Reporter

__all__ = ["KMeans", "LandmarkClustering"]


def train(X: Any, init: Any, options: dict[str, Any], names: dict[str, str], reporter: Reporter) -> dict[str, Any]:
    """k-means from seeded centers, or from given ones."""
    chosen = Options("cluster", options, names)
    if init is None:
        handle = make("clusters", lib.dltf_bind_clusters_train, borrow(X), chosen, reporter=reporter, names=names)
    else:
        handle = make("clusters", lib.dltf_bind_clusters_train_from, borrow(X), borrow(init), chosen, reporter=reporter,
                      names=names)
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in contents(handle).items()}


def with_direction(X: Any) -> np.ndarray:
    """Which samples are not all zero."""
    if scipy.sparse.issparse(X):
        X = X.copy()
        X.eliminate_zeros()
        return np.diff(X.indptr) > 0
    return np.any(X, axis=1)


def assign(centers: np.ndarray, X: Any, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest center of each sample, and the distance to it."""
    labels, distances = np.empty(X.shape[0], np.int32), np.empty(X.shape[0], np.float64)
    call(lib.dltf_bind_centers_assign, borrow(centers), borrow(X), 0, threads, labels.ctypes.data, distances.ctypes.data)
    return labels, distances


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, NativeEstimator):
    """k-means: greedy k-means++ seeding, then Lloyd's iteration with Elkan's bounds.

    Parameters
    ----------
    n_clusters : int
    init : {"k-means++"} or array of shape (n_clusters, n_features)
    n_init : int
        Runs from different seeds, of which the best is kept; 1 with given centers.
    max_iter : int
    tol : float
        Stop when the squared movement of the centers, relative to the mean variance of a feature, is at most this.
    spherical : bool
        Scale samples and centers to norm 1: clusters of directions. Samples that are all zero have none: they are not
        learned from, and belong to the first cluster.
    random_state, n_jobs, verbose, callback
        As in :class:`DLTF`.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
    labels_ : array of shape (n_samples,)
    inertia_ : float
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> from dltf import KMeans
    >>> X = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8]])
    >>> kmeans = KMeans(2, random_state=0).fit(X)
    >>> bool(kmeans.labels_[0] == kmeans.labels_[1] != kmeans.labels_[2])
    True
    """

    _names = {"n_clusters": "clusters", "n_init": "restarts", "max_iter": "iterations", "tol": "tolerance"}

    def __init__(self, n_clusters=8, *, init="k-means++", n_init=10, max_iter=300, tol=1e-4, spherical=False,
                 random_state=None, n_jobs=None, verbose=False, callback=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.spherical = spherical
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _centers(self, columns: int) -> Optional[np.ndarray]:
        if isinstance(self.init, str):
            if self.init != "k-means++":
                raise ValueError(f"init: expected 'k-means++' or an array of centers, but found {self.init!r}")
            return None
        centers = np.asarray(self.init, dtype=np.float32)
        if centers.shape != (self.n_clusters, columns):
            raise ValueError(f"init: expected an array of shape {(self.n_clusters, columns)}, but found {centers.shape}")
        return centers

    def fit(self, X: Any, y: Any = None):
        """Finds clusters of samples."""
        X = self._samples(X, reset=True)
        kept = with_direction(X) if self.spherical else np.ones(X.shape[0], bool)
        options = self._options("n_clusters", "n_init", "max_iter", "tol", "spherical")
        found = train(X if kept.all() else X[kept], self._centers(X.shape[1]), options, self._renamed(), self._reporter(fitting=True))
        self.cluster_centers_ = found["centers"]
        self.labels_ = np.zeros(len(kept), np.int32)
        self.labels_[kept] = found["assignment"]
        self.inertia_, self.n_iter_ = found["inertia"], found["iterations"]
        self.converged_ = bool(found["converged"])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The nearest center of each sample."""
        self._check_fitted("cluster_centers_")
        return self._assign(X)[0]

    def transform(self, X: Any) -> np.ndarray:
        """Distances to all centers, of shape (n_samples, n_clusters)."""
        self._check_fitted("cluster_centers_")
        X = self._samples(X, reset=False)
        if self.spherical:
            X = normalize(X)
        return euclidean_distances(X, self.cluster_centers_).astype(np.float32, copy=False)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the inertia of samples."""
        self._check_fitted("cluster_centers_")
        return -float(np.sum(self._assign(X)[1] ** 2))

    def _assign(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        X = self._samples(X, reset=False)
        return assign(self.cluster_centers_, normalize(X) if self.spherical else X, threads_of(self.n_jobs))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


class Landmarks:
    """Landmark codes of the library, which can be pickled."""

    def __init__(self, handle: Handle):
        self._handle = handle

    def apply(self, X: Any, threads: int) -> np.ndarray:
        coordinates = np.empty((X.shape[0], contents(self._handle)["d"]), np.float32)
        call(lib.dltf_bind_landmarks_apply, self._handle, borrow(X), threads, coordinates.ctypes.data)
        return coordinates

    @classmethod
    def from_parts(cls, parts: dict[str, Any]) -> Landmarks:
        return cls(from_values("landmarks", parts))

    def parts(self) -> dict[str, Any]:
        return {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in contents(self._handle).items()}

    def __reduce__(self):
        return Landmarks.from_parts, (self.parts(),)


class LandmarkClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, NativeEstimator):
    """Clusters that need not be round: k-means in coordinates in which neighbours are close.

    Samples are coded by their nearest landmarks; coordinates are leading singular vectors of the codes. Samples that are
    all zero have no landmarks: they are not learned from, and have the coordinates 0.

    Parameters
    ----------
    n_clusters : int
    n_landmarks : int, optional
        Landmarks (m); by default 400, at most the number of samples.
    n_nonzero_coefs : int, optional
        Landmarks per code (k); by default 4.
    n_components : int, optional
        Coordinates (d); by default three times the number of clusters, at most the number of landmarks.
    power : float
        Of the singular values that weight the coordinates; larger: smoother.
    n_init, random_state, n_jobs, verbose, callback
        As in :class:`KMeans`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    cluster_centers_ : array of shape (n_clusters, n_components), in these coordinates
    landmarks_ : array of shape (n_landmarks, n_features)
    """

    _names = {"n_landmarks": "m", "n_nonzero_coefs": "k", "n_components": "d", "n_clusters": "clusters", "n_init": "restarts"}

    def __init__(self, n_clusters=8, *, n_landmarks=None, n_nonzero_coefs=None, n_components=None, power=2.0, n_init=10,
                 random_state=None, n_jobs=None, verbose=False, callback=None):
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_nonzero_coefs = n_nonzero_coefs
        self.n_components = n_components
        self.power = power
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None):
        """Learns landmarks and coordinates, then finds clusters."""
        X = self._samples(X, reset=True, ensure_min_samples=2)
        kept = with_direction(X)
        m = min(400, int(kept.sum())) if self.n_landmarks is None else self.n_landmarks
        chosen = {"m": m, "k": min(4, m) if self.n_nonzero_coefs is None else self.n_nonzero_coefs,
                  "d": min(3 * self.n_clusters, m) if self.n_components is None else self.n_components, "power": self.power}
        options = {**self._options(), **chosen}
        made = make("landmarks", lib.dltf_bind_landmarks_train, borrow(X if kept.all() else X[kept]), Options("landmark", options, self._renamed()),
                    reporter=self._reporter(fitting=True), names=self._renamed())
        self._landmarks = Landmarks(made)
        found = train(self._landmarks.apply(X, options["threads"]), None, self._options("n_clusters", "n_init"),
                      self._renamed(), self._reporter(fitting=True))
        self.cluster_centers_, self.labels_ = found["centers"], found["assignment"]
        self.landmarks_ = self._landmarks.parts()["dictionary"]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of samples, of shape (n_samples, n_components), rows of norm 1."""
        self._check_fitted("cluster_centers_")
        return self._landmarks.apply(self._samples(X, reset=False), threads_of(self.n_jobs))

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each sample."""
        return assign(self.cluster_centers_, self.transform(X), threads_of(self.n_jobs))[0]

    @property
    def _n_features_out(self) -> int:
        return self.cluster_centers_.shape[1]
