"""Representations, plots, PyTorch."""
import numpy as np
import pytest

import dltf
import dltf.plot


@pytest.fixture(scope="module")
def patches():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 16)).astype(np.float32)
    return X, dltf.DLTF(20, 3, encoder="tied", random_state=0).fit(X)


def test_html(patches, fitted):
    text = patches[1]._repr_html_()
    assert "data:image/png;base64," in text and "<polyline" in text and "script" not in text
    assert "data:image" not in fitted._repr_html_()  # 12 features are not a square
    assert "DLTF" in dltf.DLTF()._repr_html_() and "text/html" in fitted._repr_mimebundle_()


@pytest.mark.long
def test_plots(patches):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, estimator = patches
    assert dltf.plot.atoms(estimator).images
    assert len(dltf.plot.history(estimator).lines) == len(set(estimator.history_["stage"]))
    assert len(dltf.plot.density(estimator, X).lines[0].get_xdata()) == 20
    errors = dltf.plot.error_against_k(estimator, X).lines[1].get_ydata()
    assert np.all(np.diff(errors) < 0)
    with pytest.raises(ValueError, match="value: 'x'"):
        dltf.plot.history(estimator, "x")


OPTIONS = [{}, {"select": "positive"}, {"center": True}, {"unit_norm": True, "center": True}, {"remove_mean": True}, {"encoder": "dual"}]


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_to_torch(X, options):
    torch = pytest.importorskip("torch")
    estimator = dltf.DLTF(24, 3, **{"encoder": "tied", "random_state": 0, **options}).fit(X)
    module, Z = estimator.to_torch(), estimator.transform(X).toarray()
    with torch.no_grad():
        codes = module.encode(torch.from_numpy(X))
        np.testing.assert_array_equal(codes.numpy() != 0, Z != 0)
        np.testing.assert_allclose(codes.numpy(), Z, rtol=1e-5, atol=1e-6 * np.abs(Z).max())
        np.testing.assert_allclose(module(torch.from_numpy(X)).numpy(), estimator.inverse_transform(Z), atol=1e-5 * np.abs(X).max())


@pytest.mark.long
@pytest.mark.parametrize("subtract", [True, False])
def test_from_torch(X, subtract):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    encoder, decoder = torch.nn.Linear(12, 30), torch.nn.Linear(30, 12)
    with torch.no_grad():
        with pytest.raises(ValueError, match="decoder: its columns have norms"):
            dltf.DLTF.from_torch(encoder, decoder, 4)
        decoder.weight /= decoder.weight.norm(dim=0)
        x = torch.from_numpy(X)
        scores = encoder(x - decoder.bias if subtract else x)
        top = scores.topk(4)
        expected = torch.zeros_like(scores).scatter(1, top.indices, top.values.relu())
        estimator = dltf.DLTF.from_torch(encoder, decoder, 4, subtract_bias=subtract)
        Z = estimator.transform(x)
        np.testing.assert_allclose(Z.toarray(), expected.numpy(), atol=1e-5)
        np.testing.assert_allclose(estimator.inverse_transform(Z), decoder(expected).numpy(), atol=1e-4)


@pytest.mark.long
def test_tensors(X, fitted):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(X)
    assert np.shares_memory(dltf._data.as_array(tensor), X)
    for value in (tensor, tensor.clone().requires_grad_(), tensor.double()):
        assert (fitted.transform(value) != fitted.transform(X)).nnz == 0
    assert fitted.transform(tensor.bfloat16()).shape == (400, 24)
