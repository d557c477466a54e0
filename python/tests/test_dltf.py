"""DLTF and KSVD: learning, coding, what scikit-learn does with estimators."""
import copy
import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import dltf

TIED = {"encoder": "tied", "random_state": 0}


def same(A, B):
    return A.shape == B.shape and (A != B).nnz == 0


def test_codes(X, fitted):
    Z = fitted.transform(X)
    assert scipy.sparse.isspmatrix_csr(Z) and Z.shape == (400, 24) and Z.dtype == np.float32
    assert np.all(np.diff(Z.indptr) == 3)
    scores = X @ fitted.encoder_.T - fitted.bias_
    for row, code in zip(scores, Z):
        assert set(np.argsort(-np.abs(row))[:3]) == set(code.indices)
        np.testing.assert_allclose(row[code.indices], code.data, rtol=1e-4, atol=1e-5)


def test_attributes(X, fitted):
    np.testing.assert_allclose(np.linalg.norm(fitted.components_, axis=1), 1, rtol=1e-5)
    assert np.shares_memory(fitted.W_, fitted.components_.base if fitted.components_.base is not None else fitted.components_)
    assert fitted.n_components_ == 24 and fitted.n_nonzero_coefs_ == 3 and fitted.n_features_in_ == 12
    assert len(fitted.history_["stage"]) == fitted.n_iter_ == len(fitted.history_["relative_error"])
    assert 0 < fitted.quality_["raw_error"] < 1 and fitted.outcome_ in ("converged", "iteration-limit")
    assert list(fitted.get_feature_names_out()[:2]) == ["dltf0", "dltf1"]
    with pytest.raises(ValueError):
        fitted.components_[0, 0] = 1


def test_inverse(X, fitted):
    Z = fitted.transform(X)
    decoded = fitted.inverse_transform(Z)
    np.testing.assert_allclose(decoded, Z @ fitted.components_ + fitted.mean_, atol=1e-5)
    np.testing.assert_array_equal(decoded, fitted.inverse_transform(Z.toarray()))
    shuffled = scipy.sparse.csr_matrix(Z)
    shuffled.indices, shuffled.data = shuffled.indices[::-1].copy(), shuffled.data[::-1].copy()
    assert fitted.inverse_transform(shuffled).shape == X.shape
    expected = 1 - np.sum((X - decoded) ** 2) / np.sum((X - X.mean(axis=0)) ** 2)
    assert fitted.score(X) == pytest.approx(expected, rel=1e-4)


def test_threads_do_not_matter(X, fitted):
    one = dltf.DLTF(24, 3, n_jobs=1, **TIED).fit(X)
    np.testing.assert_array_equal(one.components_, fitted.components_)


@pytest.mark.parametrize("convert", [
    np.asfortranarray, lambda X: X.astype(np.float64), lambda X: X.tolist(), lambda X: X[:, ::-1][:, ::-1],
    scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix, lambda X: X.astype(">f4"),
    lambda X: np.repeat(X, 2, axis=0)[::2], lambda X: pandas.DataFrame(X).to_numpy(),
])
def test_layouts(X, fitted, convert):
    assert same(fitted.transform(convert(X)), fitted.transform(X))


def test_half_precision_and_bytes(X, fitted):
    half = X.astype(np.float16)
    assert same(fitted.transform(half), fitted.transform(half.astype(np.float32)))
    whole = np.clip(50 * X, 0, 255).astype(np.uint8)
    assert same(fitted.transform(whole), fitted.transform(whole.astype(np.float32)))


def test_array_protocol(X, fitted):
    class Columns:
        """As polars: only `__array__`."""

        shape = X.shape

        def __array__(self, dtype=None, copy=None):
            return X if dtype is None else X.astype(dtype)

        def __len__(self):
            return len(X)

    assert same(fitted.transform(Columns()), fitted.transform(X))


def test_pandas(X):
    frame = pandas.DataFrame(X, columns=[f"pixel {i}" for i in range(12)])
    estimator = dltf.DLTF(24, 3, sparse_output=False, **TIED).set_output(transform="pandas").fit(frame)
    codes = estimator.transform(frame)
    assert list(codes.columns[:2]) == ["dltf0", "dltf1"] and list(estimator.feature_names_in_[:1]) == ["pixel 0"]


@pytest.mark.parametrize("duplicate", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_pickle_and_copy(X, fitted, duplicate):
    assert same(duplicate(fitted).transform(X), fitted.transform(X))


def test_clone_is_not_fitted(X, fitted):
    with pytest.raises(NotFittedError):
        clone(fitted).transform(X)


def test_files(X, fitted, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    again = dltf.DLTF.load(tmp_path / "model.safetensors")
    assert same(again.transform(X), fitted.transform(X))
    assert again.model_.to_bytes() == (tmp_path / "model.safetensors").read_bytes()
    assert again.model_.notes()["option.m"] == "24"
    with pytest.raises(OSError, match="none.safetensors"):
        dltf.DLTF.load(tmp_path / "none.safetensors")
    (tmp_path / "bad").write_bytes(b"no model")
    with pytest.raises(ValueError):
        dltf.DLTF.load(tmp_path / "bad")


def test_pipeline_and_search(X):
    y = (X[:, 0] > 0).astype(int)
    pipeline = make_pipeline(dltf.DLTF(24, 3, **TIED), LogisticRegression())
    assert cross_val_score(pipeline, X, y, cv=2).mean() > 0.7


@pytest.mark.long
def test_search_in_processes(X):
    search = GridSearchCV(dltf.DLTF(24, refit=True, **TIED), {"n_nonzero_coefs": [1, 4]}, cv=2, n_jobs=2).fit(X)
    assert search.best_params_ == {"n_nonzero_coefs": 4}


def test_partial_fit(X):
    whole = dltf.DLTF(24, 3, random_state=0)
    pieces = dltf.DLTF(24, 3, encoder="tied", max_iter=3, epochs=1, tol=1, options={"steps": 5}, random_state=0)
    stream = np.vstack([X] * 60)
    whole.partial_fit(stream)
    for at in range(0, len(stream), 7000):
        pieces = pickle.loads(pickle.dumps(pieces.partial_fit(stream[at:at + 7000])))
    np.testing.assert_array_equal(whole.components_, pieces.components_)
    assert whole.n_iter_ == pieces.n_iter_ > 0
    with pytest.raises(ValueError, match="features"):
        whole.partial_fit(X[:, :3])


def test_start(X, fitted):
    for init in (fitted.components_, fitted.model_):
        again = dltf.DLTF(n_nonzero_coefs=3, dict_init=init, options={"steps": 0}, max_iter=1, **TIED).fit(X)
        assert again.n_components_ == 24
        assert np.all(np.abs(np.sum(again.components_ * fitted.components_, axis=1)) > 0.9)
    with pytest.raises(ValueError, match="dict_init"):
        dltf.DLTF(dict_init=np.eye(3)).fit(X)
    assert dltf.DLTF(24, 3, dict_init="gaussian", **TIED).fit(X).n_components_ == 24


@pytest.mark.parametrize("parameters", [{"select": "positive"}, {"center": True}, {"remove_mean": True}, {"unit_norm": True},
                                        {"refit": True}, {"sparse_output": False}, {"validation_fraction": 0.2}])
def test_parameters(X, parameters):
    estimator = dltf.DLTF(24, 3, **parameters, **TIED).fit(X)
    Z = estimator.transform(X)
    assert isinstance(Z, np.ndarray) == (not parameters.get("sparse_output", True))
    assert estimator.score(X) > 0.3 and estimator.inverse_transform(Z).shape == X.shape


def test_ksvd(X):
    ksvd = dltf.KSVD(24, 3, max_iter=10, random_state=0).fit(X)
    assert ksvd.score(X) > 0.8 and np.all(np.diff(ksvd.transform(X).indptr) <= 3)
    target = dltf.KSVD(24, 12, error=1.0, max_iter=5, random_state=0).fit(X)
    residual = X - target.inverse_transform(target.transform(X))
    assert np.all(np.sum(residual**2, axis=1) <= 1.0001)


@pytest.mark.parametrize("coder", ["threshold", "omp", "iht", "niht", "htp", "incoherent", "shortlist"])
def test_coders(X, fitted, coder):
    encoder = dltf.SparseEncoder(fitted.model_, coder=coder).fit(X)
    Z = encoder.transform(X)
    assert Z.shape == (400, 24) and np.diff(Z.indptr).max() <= 3
    assert same(clone(encoder).fit(X).transform(X), Z)


def test_sparse_encoder_models(X, fitted, tmp_path):
    fitted.save(tmp_path / "model")
    atoms = fitted.components_
    for model in (fitted.model_, atoms, str(tmp_path / "model"), dltf.DLTF(24, 3, **TIED)):
        Z = dltf.SparseEncoder(model, 3, coder="omp").fit_transform(X)
        assert same(Z, dltf.SparseEncoder(fitted.model_, coder="omp").fit_transform(X))
    with pytest.raises(ValueError, match="X has 3 features, but the model expects 12"):
        dltf.SparseEncoder(atoms).fit(X[:, :3])
