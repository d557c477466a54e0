"""The same measures for all learners, computed here from dictionary, encoder, bias, mean and offset."""
import dataclasses

import numpy as np

from learning import data


@dataclasses.dataclass
class Model:
    """z = max_k(E y - bias), y ~ W z, where y is x - mean, then minus its own mean, then scaled to norm 1, as chosen, then minus
    the offset."""
    W: np.ndarray
    E: np.ndarray
    bias: np.ndarray
    k: int
    select: str
    mean: np.ndarray = 0
    remove_mean: bool = False
    unit_norm: bool = False
    offset: np.ndarray = 0

    def inputs(self, X):
        """The samples y, and the norms they were divided by."""
        Y = X - self.mean
        if self.remove_mean:
            Y = Y - Y.mean(axis=1, keepdims=True)
        if not self.unit_norm:
            return Y - self.offset, 1
        norms = data.row_norms(Y)
        return Y / norms - self.offset, norms

    def codes(self, Y):
        """Indices and values of k entries per sample; an entry of 0 is not part of the code."""
        S = Y @ self.E.T - self.bias
        size = np.abs(S) if self.select == "abs" else S
        index = np.argpartition(size, len(self.W) - self.k, axis=1)[:, len(self.W) - self.k:]
        z = np.take_along_axis(S, index, axis=1)
        return index, z if self.select == "abs" else np.maximum(z, 0)


def residuals(Y, W, index, z):
    return Y - np.einsum("ik,ikn->in", z, W[index])


def refit_residuals(Y, W, index, z):
    """Least squares on the supports; a ridge far below rounding keeps dependent atoms apart."""
    atoms = W[index].astype(np.float64) * (z != 0)[:, :, None]  # rows x k x n
    gram = atoms @ atoms.transpose(0, 2, 1) + 1e-9 * np.eye(index.shape[1])
    best = np.linalg.solve(gram, (atoms @ Y[:, :, None].astype(np.float64)))[:, :, 0]
    return Y - np.einsum("ik,ikn->in", best, atoms)


def blocks(X, floats_per_row):
    rows = int(max(1, min(1000, 3e7 // floats_per_row)))
    return (X[first:first + rows] for first in range(0, len(X), rows))


def unused_share(model, *sets):
    """Share of atoms in no code of any of the sets."""
    used = np.zeros(len(model.W), bool)
    for X in sets:
        for part in blocks(X, len(model.W)):
            index, z = model.codes(model.inputs(part)[0])
            used[index[z != 0]] = True
    return 1 - used.mean()


def shares(raw, refitted, seen):
    """Squared residuals as shares of the energy and of the variance of the samples."""
    energy = (seen.astype(np.float64) ** 2).sum()
    variance = ((seen - seen.mean(axis=0, dtype=np.float64)) ** 2).sum()
    return {"raw_error": raw / energy, "refit_error": refitted / energy, "raw_variance_left": raw / variance,
            "refit_variance_left": refitted / variance}


def errors(model, test, seen_as="none", refit=True):
    """Squared residuals, raw and after refit, in the space of the samples preprocessed as `seen_as`, whatever else the model
    does to them; and the mean number of entries of a code."""
    raw = refitted = entries = 0.0
    for X in blocks(test, max(model.k * test.shape[1], len(model.W))):
        Y, norms = model.inputs(X)
        factor = norms / data.row_norms(X) if seen_as == "unit-norm" else norms
        index, z = model.codes(Y)
        raw += ((factor * residuals(Y, model.W, index, z)) ** 2).sum(dtype=np.float64)
        if refit:
            refitted += ((factor * refit_residuals(Y, model.W, index, z)) ** 2).sum()
        entries += (z != 0).sum()
    return raw, refitted, entries / len(test)


def measure(model, train, test, seen_as="none"):
    """Errors of held-out samples; atoms are unused if they are in no code of a training or held-out sample."""
    raw, refitted, entries = errors(model, test, seen_as)
    seen = list(data.preprocess(seen_as, train, test))[1]
    return {**shares(raw, refitted, seen), "entries": entries, "unused": unused_share(model, train, test)}
