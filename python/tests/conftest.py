"""Small data that all tests share."""
import numpy as np
import pytest


@pytest.fixture(scope="session")
def X():
    """Samples that sparse codes describe well: combinations of 3 of 24 atoms, and noise."""
    rng = np.random.default_rng(0)
    atoms = rng.normal(size=(24, 12))
    codes = np.zeros((400, 24))
    for row in codes:
        row[rng.choice(24, 3, replace=False)] = rng.normal(size=3) + 2
    return (codes @ atoms + 0.05 * rng.normal(size=(400, 12))).astype(np.float32)


@pytest.fixture(scope="session")
def fitted(X):
    """An estimator that no test may change."""
    import dltf

    return dltf.DLTF(24, 3, encoder="tied", random_state=0).fit(X)
