"""Wrong arguments give an exception with a sentence, and never a crash."""
import numpy as np
import pytest
import scipy.sparse

import dltf

ESTIMATORS = {
    "DLTF": lambda: dltf.DLTF(4, 2, encoder="tied", random_state=0),
    "KSVD": lambda: dltf.KSVD(4, 2, random_state=0),
    "SparseEncoder": lambda: dltf.SparseEncoder(np.eye(4), 2),
    "KMeans": lambda: dltf.KMeans(3, random_state=0),
    "LandmarkClustering": lambda: dltf.LandmarkClustering(3, random_state=0),
    "Hasher": lambda: dltf.Hasher(8, method="lsh", random_state=0),
}
nan, infinite = np.ones((30, 4)), np.ones((30, 4))
nan[3, 1], infinite[29, 3] = np.nan, -np.inf
ODD = {
    "nothing": None, "number": 3.0, "text": "text", "empty list": [], "vector": np.ones(4), "cube": np.ones((3, 3, 3)),
    "no rows": np.ones((0, 4)), "no columns": np.ones((4, 0)), "NaN": nan, "infinity": infinite, "complex": np.ones((5, 4)) * 1j,
    "objects": np.array([["a", "b", "c", "d"]] * 5, dtype=object), "texts": np.full((5, 4), "x"), "ragged": [[1, 2], [3]],
    "dict": {"a": 1}, "sparse NaN": scipy.sparse.csr_matrix(nan),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("name", ESTIMATORS)
def test_samples(name, value):
    X = np.random.default_rng(0).normal(size=(60, 4))
    if name != "SparseEncoder":  # learns nothing from samples, and does not look at their values
        with pytest.raises((ValueError, TypeError)) as caught:
            ESTIMATORS[name]().fit(value)
        assert str(caught.value)
    fitted = ESTIMATORS[name]().fit(X)
    with pytest.raises((ValueError, TypeError)) as caught:
        fitted.transform(value)
    assert str(caught.value)


def test_place_of_nan():
    with pytest.raises(ValueError, match="row 3, column 1"):
        dltf.KMeans(3).fit(nan)


PARAMETERS = [
    ("DLTF", "n_components", [-1, 0.5, "x", 2**40, []]), ("DLTF", "n_nonzero_coefs", [-1, 99, "x", 2**70]),
    ("DLTF", "encoder", ["", "x", 3]), ("DLTF", "center", ["x", 7]), ("DLTF", "max_iter", [-1, "x"]),
    ("DLTF", "dict_init", ["x", np.ones(3), np.full((4, 4), np.nan), np.zeros((4, 4))]), ("DLTF", "random_state", [-1, "x"]),
    ("DLTF", "options", [{"x": 1}, {"theta": "x"}, {"method": "omp", "encoder": "learned"}]),
    ("DLTF", "memory_limit", ["x", -1]), ("DLTF", "n_jobs", [10**9]), ("KSVD", "error", [-1.0, np.nan]),
    ("KSVD", "update", ["x"]), ("KMeans", "n_clusters", [0, -1, 99, "x"]), ("KMeans", "tol", [-1.0, np.nan]),
    ("KMeans", "n_init", [0]), ("LandmarkClustering", "n_landmarks", [-1, 1000]), ("LandmarkClustering", "power", [np.nan]),
    ("Hasher", "n_bits", [0, 7, -8, 10**9]), ("Hasher", "method", ["x"]), ("SparseEncoder", "coder", ["x"]),
    ("SparseEncoder", "n_nonzero_coefs", [99, -1]), ("SparseEncoder", "model", ["no such file", np.ones(3), 7]),
]


@pytest.mark.parametrize("name,parameter,value", [(n, p, v) for n, p, values in PARAMETERS for v in values],
                         ids=lambda value: str(value)[:12])
def test_parameters(name, parameter, value):
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises((ValueError, TypeError, OSError, MemoryError)) as caught:
        ESTIMATORS[name]().set_params(**{parameter: value}).fit_transform(X)
    assert str(caught.value)


def test_names_in_messages():
    with pytest.raises(ValueError, match="^n_components: -1"):
        dltf.DLTF(-1).fit(np.ones((5, 4)))
    with pytest.raises(ValueError, match="^n_clusters: "):
        dltf.KMeans(-1).fit(np.ones((5, 4)))


@pytest.mark.parametrize("call", [
    lambda: dltf.Model(np.eye(3), 7), lambda: dltf.Model(np.eye(3), 0), lambda: dltf.Model(np.zeros((3, 3)), 1),
    lambda: dltf.Model(np.eye(3), 1, encoder=np.eye(4)), lambda: dltf.Model(np.eye(3), 1, bias=np.ones(4)),
    lambda: dltf.Model(np.eye(3), 1, select="x"), lambda: dltf.Model(np.eye(3), 1, thing=1), lambda: dltf.Model("x", 1),
    lambda: dltf.Model.from_bytes(b""), lambda: dltf.Model.from_bytes(b"x" * 100), lambda: dltf.Model.load("/"),
    lambda: dltf.Model(np.eye(3), 1).save("/no/such/folder/x"), lambda: dltf.Model(np.eye(3), 1).decode(np.ones((2, 9))),
    lambda: dltf.Model(np.eye(3), 1).encode(np.ones((2, 9))), lambda: dltf.Model(np.eye(3), 1).encode(np.ones(3)),
    lambda: dltf.certify(None), lambda: dltf.certify(dltf.Model(np.eye(3), 1), np.ones((2, 9))),
    lambda: dltf.certify(dltf.Model(np.eye(3), 1), np.eye(3), known=np.ones((9, 9))), lambda: dltf.denoise(np.ones((0, 4))),
    lambda: dltf.denoise(np.full((30, 30), np.nan)), lambda: dltf.denoise(np.ones((30, 30)), -5), lambda: dltf.denoise("x"),
    lambda: dltf.denoise(np.ones((30, 30)), 5, patch=99), lambda: dltf.HammingIndex(np.ones((0, 0), np.uint8)),
    lambda: dltf.HammingIndex(None), lambda: dltf.HammingIndex(np.ones((3, 2), np.uint8), method="x").kneighbors(np.ones((1, 2), np.uint8)),
    lambda: dltf.HammingIndex(np.ones((3, 2), np.uint8)).kneighbors(np.ones((1, 3), np.uint8)),
    lambda: dltf.HammingIndex(np.ones((3, 2), np.uint8)).radius_neighbors(np.ones((1, 2), np.uint8), -1),
])
def test_functions(call):
    with pytest.raises((ValueError, TypeError, OSError)) as caught:
        call()
    assert str(caught.value)
