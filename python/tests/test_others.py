"""Clusters, hashes, images, certificates."""
import copy
import pickle

import numpy as np
import pytest
import sklearn.cluster
from sklearn.metrics import adjusted_rand_score

import dltf


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(4), 60)
    return (5 * rng.normal(size=(4, 6))[labels] + rng.normal(size=(240, 6))).astype(np.float32), labels


def test_kmeans(blobs):
    X, labels = blobs
    kmeans = dltf.KMeans(4, random_state=0).fit(X)
    assert adjusted_rand_score(labels, kmeans.labels_) == 1 and kmeans.converged_
    np.testing.assert_array_equal(kmeans.predict(X), kmeans.labels_)
    assert kmeans.score(X) == pytest.approx(-kmeans.inertia_, rel=1e-5)
    np.testing.assert_array_equal(kmeans.transform(X).argmin(axis=1), kmeans.labels_)
    theirs = sklearn.cluster.KMeans(4, n_init=10, random_state=0).fit(X)
    assert kmeans.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5)


def test_kmeans_from_centers(blobs):
    X, labels = blobs
    kmeans = dltf.KMeans(4, init=X[[0, 60, 120, 180]]).fit(X)
    np.testing.assert_array_equal(kmeans.labels_, labels)
    with pytest.raises(ValueError, match="init: expected an array of shape"):
        dltf.KMeans(4, init=X[:3]).fit(X)
    with pytest.raises(ValueError, match="init"):
        dltf.KMeans(4, init="random").fit(X)


def test_spherical_kmeans_with_zeros(blobs):
    X = blobs[0].copy()
    X[7] = 0
    kmeans = dltf.KMeans(4, spherical=True, random_state=0).fit(X)
    assert kmeans.labels_[7] == 0
    np.testing.assert_allclose(np.linalg.norm(kmeans.cluster_centers_, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(kmeans.predict(X), kmeans.labels_)


def test_landmarks(blobs):
    X, labels = blobs
    found = dltf.LandmarkClustering(4, n_landmarks=50, random_state=0).fit(X)
    assert adjusted_rand_score(labels, found.labels_) > 0.9
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    assert found.landmarks_.shape == (50, 6) and found.transform(X).shape == (240, 12)


@pytest.mark.parametrize("method", ["lsh", "sh", "sph", "sparseh", "itq", "dltf", "neighbour"])
def test_hasher(X, method, tmp_path):
    bits = 8 if method in ("itq", "sh") else 16
    hasher = dltf.Hasher(bits, method=method, n_iter=20 if method in ("sph", "itq", "neighbour") else None, random_state=0).fit(X)
    hashes = hasher.transform(X)
    assert hashes.shape == (400, bits // 8) and hashes.dtype == np.uint8
    hasher.save(tmp_path / "hasher")
    for again in (pickle.loads(pickle.dumps(hasher)), dltf.Hasher.load(tmp_path / "hasher")):
        np.testing.assert_array_equal(again.transform(X), hashes)


@pytest.mark.parametrize("method", ["auto", "flat", "multi-index"])
def test_index(method, tmp_path):
    rng = np.random.default_rng(0)
    database, queries = rng.integers(0, 256, (2, 500, 4), dtype=np.uint8)
    index = dltf.HammingIndex(database, method=method)
    distances = np.unpackbits(database[None] ^ queries[:, None], axis=2).sum(axis=2)
    order = np.argsort(distances, axis=1, kind="stable")[:, :7]
    index.save(tmp_path / "index")
    for used in (index, copy.deepcopy(index), dltf.HammingIndex.load(tmp_path / "index")):
        near, rows = used.kneighbors(queries, 7)
        np.testing.assert_array_equal(rows, order)
        np.testing.assert_array_equal(near, np.take_along_axis(distances, order, axis=1))
    near, rows = index.radius_neighbors(queries, 8)
    for i in range(500):
        assert set(rows[i]) == set(np.flatnonzero(distances[i] <= 8)) and np.all(np.diff(near[i]) >= 0)
    assert len(index) == 500
    with pytest.raises(ValueError, match="501 neighbours"):
        index.kneighbors(queries, 501)
    with pytest.raises(ValueError, match="uint8"):
        dltf.HammingIndex(database.astype(float))


@pytest.mark.parametrize("shape", [(40, 48), pytest.param((40, 48, 3), marks=pytest.mark.long)])
def test_denoise(shape):
    rng = np.random.default_rng(0)
    clean = np.broadcast_to(np.linspace(0, 200, 48).reshape(48, *[1] * (len(shape) - 2)), shape)
    noisy = clean + rng.normal(scale=15, size=shape)
    found, info = dltf.denoise(noisy, 15, return_info=True)
    assert found.shape == shape and found.dtype == np.float32 and info["sigma"] == 15
    assert np.mean((found - clean) ** 2) < 0.3 * np.mean((noisy - clean) ** 2)
    with pytest.raises(ValueError, match="image: expected"):
        dltf.denoise(noisy[0, 0])


def test_certify():
    rng = np.random.default_rng(0)
    model = dltf.Model(np.eye(8) + 0.01 * rng.normal(size=(8, 8)), 2)
    codes = np.zeros((30, 8))
    for row in codes:
        row[rng.choice(8, 2, replace=False)] = 1
    certificate = dltf.certify(model, model.decode(codes), known=codes)
    W = model.get()["dictionary"]
    assert certificate["mu"] == pytest.approx(np.max(np.abs(W @ W.T) - np.eye(8)), rel=1e-3)
    assert set(certificate["samples"]) >= {"covered", "theorem1", "feature", "proven"}
    assert all(certificate["samples"][flag].all() for flag in ("covered", "feature", "theorem1"))
    with pytest.raises(ValueError, match="model: expected"):
        dltf.certify(W)


def test_evaluate(fitted, X):
    found = dltf.evaluate(fitted, X)
    Z = fitted.transform(X)
    assert found["explained_variance"] == pytest.approx(fitted.score(X), rel=1e-6) and found["l0"] == 3
    np.testing.assert_array_equal(found["uses"], np.bincount(Z.indices, minlength=24))
    assert dltf.evaluate(fitted.model_, X, options={"k": 1})["l0"] == 1


def test_top_samples(fitted, X):
    Z = abs(fitted.transform(X)).toarray()
    for atom, top in enumerate(dltf.top_samples(fitted, X, 5)):
        assert top.uses == np.count_nonzero(Z[:, atom]) and len(top.rows) == min(5, top.uses)
        np.testing.assert_array_equal(np.abs(top.values), np.sort(Z[:, atom])[::-1][:len(top.rows)])


@pytest.mark.parametrize("name", ["saelens", "sparsify"])
def test_autoencoder_files(X, name, tmp_path):
    rng = np.random.default_rng(0)
    model = dltf.Model(rng.normal(size=(24, 12)), 3, encoder=rng.normal(size=(24, 12)), bias=rng.normal(size=24), select="positive")
    getattr(dltf, f"to_{name}")(model, tmp_path / "sae")
    again = getattr(dltf, f"from_{name}")(tmp_path / "sae")
    np.testing.assert_allclose(again.encode(X).toarray(), model.encode(X).toarray(), rtol=1e-5, atol=1e-5)
    assert dltf.DLTF.from_model(again).transform(X).shape == (400, 24)
    with pytest.raises(ValueError):
        getattr(dltf, f"to_{name}")(dltf.Model(np.eye(3), 1), tmp_path / "signed")
    with pytest.raises((OSError, ValueError)):
        dltf.from_saelens(tmp_path / "none")
