"""scikit-learn's own checks, for every estimator and every option that changes its behaviour."""
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import dltf

TIED = {"encoder": "tied", "random_state": 0}
QUICK = [dltf.DLTF(**TIED), dltf.KSVD(), dltf.KMeans(), dltf.LandmarkClustering(), dltf.Hasher(method="lsh"),
         dltf.SparseEncoder(dltf.DLTF(**TIED))]
SHORT = {"steps": 20, "polish": 1, "finetune": 20}  # without these, each takes a minute
LONG = [
    *(dltf.DLTF(encoder=name, options={"steps": 20, "polish": 1}) for name in ("tight", "dual")),
    dltf.DLTF(encoder="distilled", options=SHORT), dltf.DLTF(encoder="best", epochs=5, options=SHORT),
    dltf.DLTF(encoder="learned", epochs=5), dltf.DLTF(),
    *(dltf.DLTF(**{name: value}, **TIED) for name, value in {
        "select": "positive", "center": True, "remove_mean": True, "unit_norm": True, "refit": True, "sparse_output": False,
        "dict_init": "gaussian", "validation_fraction": 0.3, "n_jobs": 2, "max_iter": 3, "memory_limit": "1G"}.items()),
    dltf.KSVD(minibatch=True), dltf.KSVD(update="exact"), dltf.KSVD(error=0.1), dltf.KSVD(sparse_output=False), dltf.KMeans(spherical=True),
    *(dltf.Hasher(8, method=name) for name in ("sph", "sparseh", "dltf", "neighbour")),
    *(dltf.SparseEncoder(dltf.DLTF(**TIED), coder=name) for name in ("omp", "iht", "niht", "htp", "incoherent", "shortlist")),
    dltf.SparseEncoder(dltf.KSVD(random_state=0), refit=True), dltf.SparseEncoder(dltf.DLTF(**TIED), select="positive"),
]


@parametrize_with_checks(QUICK)
def test_quick(estimator, check):
    check(estimator)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(LONG)
def test_options(estimator, check):
    check(estimator)


def test_new_tags():
    """Tags of scikit-learn from 1.6 on, with a stand-in for its base class on older versions."""
    if hasattr(dltf.KMeans.__mro__[-2], "__sklearn_tags__"):
        pytest.skip("scikit-learn itself checks them")

    class Tags:
        def __init__(self):
            self.input_tags, self.transformer_tags = type("Input", (), {"sparse": False})(), type("Transformer", (), {})()

    class Base:
        def __sklearn_tags__(self):
            return Tags()

    for estimator in (dltf.DLTF, dltf.Hasher):
        tags = type("Checked", (estimator, Base), {})().__sklearn_tags__()
        assert tags.input_tags.sparse and tags.transformer_tags.preserves_dtype == ([] if estimator is dltf.Hasher else ["float32"])
