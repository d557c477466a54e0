"""Learning a dictionary from samples in memory, and from pieces of a stream."""
from __future__ import annotations

import ctypes
from typing import Any, Mapping, NamedTuple, Optional

import numpy as np

from ._data import borrow
from ._library import lib
from ._model import Model
from ._native import Handle, Options, call, check, contents, make, to_bytes, values_of
from ._progress import Reporter

__all__ = ["Learned", "Online", "learn"]


class Learned(NamedTuple):
    model: Model
    history: dict[str, np.ndarray]
    quality: dict[str, Any]
    outcome: str
    interruption: Optional[BaseException]


def learn(X: Any, start: Optional[Model], options: Mapping[str, Any], reporter: Reporter, names: Mapping[str, str]) -> Learned:
    """Learns a model. A call that is interrupted has a model, too: that of the iterations done."""
    samples = borrow(X)
    learner = make("learner", lib.dltf_bind_learner_new, samples, start, Options("train", options, names), names=names)
    outcome = ctypes.c_char_p()
    with reporter:
        status = lib.dltf_bind_learner_run(learner, reporter.function, None, ctypes.byref(outcome))
    interruption = reporter.kept()
    check(status, names)
    model = Model._of(make("model", lib.dltf_learner_model, learner))
    quality = {} if interruption else values_of(make("values", lib.dltf_bind_learner_quality, learner, model))
    return Learned(model, history_of(learner), quality, (outcome.value or b"").decode(), interruption)


def history_of(learner: Handle) -> dict[str, np.ndarray]:
    """Arrays with one element per record; copies, because the learner owns the others."""
    found = contents(learner)
    stages = np.array(found.pop("stage").splitlines(), dtype=str)
    arrays = {name: value.copy() for name, value in found.items() if isinstance(value, np.ndarray)}
    return {"stage": stages, **arrays}


class Online:
    """Learns from a stream of samples, which are not kept. Can be pickled: continuing gives the same model."""

    def __init__(self, n: int, start: Optional[Model], options: Mapping[str, Any], names: Mapping[str, str]):
        chosen = Options("train", options, names)
        self._handle = make("online", lib.dltf_bind_online_new, n, start, chosen, names=names)

    def add(self, X: Any) -> None:
        call(lib.dltf_bind_online_add, self._handle, borrow(X))

    def model(self) -> Model:
        return Model._of(make("model", lib.dltf_online_model, self._handle))

    def view(self) -> dict[str, Any]:
        return contents(self._handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> Online:
        online = cls.__new__(cls)
        online._handle = make("online", lib.dltf_online_read, data, len(data), 0)
        return online

    def __reduce__(self):
        return Online.from_bytes, (to_bytes(lib.dltf_online_write, self._handle),)
