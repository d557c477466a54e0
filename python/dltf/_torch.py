"""Models as modules of PyTorch, and back. PyTorch is imported only here, when it is needed."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._data import as_array
from ._model import Model

__all__ = ["from_torch", "to_torch"]

KNOWN = {"m", "n", "k", "dictionary", "encoder", "bias", "mean", "unit_norm", "select", "remove_mean", "offset"}


def to_torch(model: Model) -> Any:
    """An ``nn.Module`` that computes the same codes: ``encode``, ``decode``, and ``forward``, which does both.

    Its parameters are trainable. It needs a model that keeps the k largest scores.
    """
    import torch

    parts = model.get()
    plain = {**parts, "factor": parts.get("factor", 1) != 1}
    unknown = sorted(name for name, value in plain.items() if name not in KNOWN and np.any(value))
    if unknown:
        raise ValueError(f"model: has {', '.join(unknown)}, which the module for PyTorch cannot compute")

    def parameter(name: str, default: Any) -> Any:
        return torch.nn.Parameter(torch.from_numpy(np.array(parts.get(name, default))))

    class ThresholdedFeature(torch.nn.Module):
        """z = max_k(E x - b), x' = W z."""

        def __init__(self) -> None:
            super().__init__()
            self.k, self.positive = parts["k"], parts["select"] == "positive"
            self.remove_mean, self.unit_norm = bool(parts["remove_mean"]), bool(parts["unit_norm"])
            self.dictionary = parameter("dictionary", None)
            self.encoder = parameter("encoder", parts["dictionary"])
            self.bias = parameter("bias", np.zeros(parts["m"], np.float32))
            self.mean = parameter("mean", np.zeros(parts["n"], np.float32))
            self.offset = parameter("offset", np.zeros(parts["n"], np.float32))

        def prepare(self, x: Any) -> Any:
            x = x - self.mean
            if self.remove_mean:
                x = x - x.mean(dim=-1, keepdim=True)
            if self.unit_norm:
                x = torch.nn.functional.normalize(x, dim=-1)
            return x - self.offset

        def encode(self, x: Any) -> Any:
            scores = self.prepare(x) @ self.encoder.T - self.bias
            order = scores if self.positive else scores.abs()
            kept = torch.zeros_like(scores).scatter(-1, order.topk(self.k, dim=-1).indices, 1)
            return (scores.relu() if self.positive else scores) * kept

        def decode(self, z: Any) -> Any:
            decoded = z @ self.dictionary + self.offset
            return decoded if self.unit_norm else decoded + self.mean

        def forward(self, x: Any) -> Any:
            return self.decode(self.encode(x))

    return ThresholdedFeature()


def from_torch(encoder: Any, decoder: Any, n_nonzero_coefs: int, *, select: str = "positive", subtract_bias: bool = True) -> Model:
    """The model of a TopK autoencoder.

    Parameters
    ----------
    encoder : nn.Linear(n, m)
        Scores are ``encoder(x - b)``, with the bias b of the decoder, or ``encoder(x)`` without `subtract_bias`.
    decoder : nn.Linear(m, n)
        Columns of norm 1: otherwise the same codes would need other scores.
    n_nonzero_coefs : int
        Entries of a code (k).
    select : {"positive", "abs"}
        The largest positive scores, as ReLU and TopK give them, or the largest magnitudes.
    """
    E, W = (np.asarray(as_array(layer.weight), np.float32) for layer in (encoder, decoder))
    norms = np.linalg.norm(W, axis=0)
    if not np.allclose(norms, 1, atol=1e-4):
        raise ValueError(f"decoder: its columns have norms from {norms.min():.3g} to {norms.max():.3g}; scale them to norm 1, and "
                         "the rows and biases of the encoder by the inverse")
    bias = np.zeros(len(E), np.float32) if encoder.bias is None else -np.asarray(as_array(encoder.bias), np.float32)
    mean = None if decoder.bias is None else np.asarray(as_array(decoder.bias), np.float32)
    if mean is not None and not subtract_bias:
        bias = bias - E @ mean  # E x + b = E (x - mean) + (b + E mean)
    return Model(W.T, n_nonzero_coefs, encoder=E, bias=bias, mean=mean, select=select)
