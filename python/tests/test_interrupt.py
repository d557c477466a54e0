"""Ctrl-C, callbacks, progress, threads."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import dltf


@pytest.fixture(scope="module")
def many():
    return np.random.default_rng(0).normal(size=(20000, 64)).astype(np.float32)


LONG = {
    "DLTF": lambda X: dltf.DLTF(256, 8, random_state=0).fit(X),
    "partial_fit": lambda X: [dltf.DLTF(256, 8, random_state=0).partial_fit(X) for _ in range(1000)],
    "KSVD": lambda X: dltf.KSVD(256, 8, max_iter=1000, random_state=0).fit(X),
    "KMeans": lambda X: dltf.KMeans(500, n_init=1000, random_state=0).fit(X),
    "Hasher": lambda X: dltf.Hasher(64, n_iter=100000, random_state=0).fit(X),
}


@pytest.mark.parametrize("name", LONG)
def test_interrupt(many, name):
    """The process gets SIGINT while the library computes. No limit of time: tests must not depend on an idle machine."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        LONG[name](many)
    timer.join()


def test_interrupted_estimator_is_usable(many):
    estimator = dltf.DLTF(128, 8, encoder="tied", random_state=0, options={"steps": 100000, "tolerance": 0})
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(many)
    assert estimator.outcome_ == "interrupted" and estimator.transform(many[:10]).nnz == 80


def test_callback(X):
    seen = []
    dltf.DLTF(24, 3, encoder="tied", random_state=0, callback=seen.append).fit(X)
    assert all(isinstance(progress, dltf.Progress) for progress in seen)


def test_callback_stops(many):
    estimator = dltf.DLTF(128, 8, encoder="tied", random_state=0, callback=lambda progress: True).fit(many)
    assert estimator.outcome_ == "interrupted" and estimator.transform(many[:10]).nnz == 80
    with pytest.raises(RuntimeError, match="cancelled"):
        dltf.KMeans(100, n_init=100, random_state=0, callback=lambda progress: True).fit(many)


def test_callback_raises(many):
    def fail(progress):
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        dltf.DLTF(128, 8, encoder="tied", random_state=0, callback=fail).fit(many)


def test_verbose(many, capsys, monkeypatch):
    monkeypatch.setattr(dltf._progress, "make_bar", dltf._progress.TextBar)
    dltf.DLTF(64, 8, encoder="tied", verbose=True, random_state=0).fit(many[:5000])
    assert "%" in capsys.readouterr().err


def test_other_threads_run(many):
    """The GIL is released: this thread counts while another one learns."""
    worker = threading.Thread(target=dltf.DLTF(128, 8, encoder="tied", random_state=0).fit, args=(many[:5000],))
    worker.start()
    count = 0
    while worker.is_alive():
        time.sleep(0.005)
        count += 1
    assert count > 3
