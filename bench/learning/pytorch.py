"""TopK sparse autoencoders in PyTorch: signed codes, or rectified ones as they are usual."""
import importlib
import math
import time

from learning import measures

BATCH, RATES, TRIAL = 1024, (1e-3, 3e-3, 1e-2), 0.1  # the usual batch; each rate is tried in a short run


def load():
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    return torch


class Autoencoder:
    """x ~ c + W z, z = max_k(E (x - c) + b), unit-norm atoms, Adam.

    select: z has the k scores of the largest magnitudes (abs), or the k largest of the rectified scores (positive).
    As usual it starts with Gaussian atoms and E = W, and c (b_dec) at the mean. The rate falls to 0 over the last fifth.
    """

    def __init__(self, torch, X, m, k, select, rate, steps, seed=0):
        self.torch, self.k, self.select, self.steps, self.rate, self.done = torch, k, select, steps, rate, 0
        torch.manual_seed(seed)
        start = torch.randn(m, X.shape[1])
        self.W = (start / start.norm(dim=1, keepdim=True)).clone().requires_grad_()
        self.E = self.W.detach().clone().requires_grad_()
        self.b, self.c = torch.zeros(m, requires_grad=True), X.mean(dim=0).clone().requires_grad_()
        self.adam = torch.optim.Adam([self.W, self.E, self.b, self.c], lr=rate)

    def codes(self, x):
        torch = self.torch
        scores = (x - self.c) @ self.E.T + self.b
        if self.select == "positive":
            scores = torch.relu(scores)
        size = scores if self.select == "positive" else scores.abs()
        index = torch.topk(size, self.k, dim=1, sorted=False).indices
        return torch.zeros_like(scores).scatter(1, index, scores.gather(1, index))

    def step(self, x):
        torch = self.torch
        loss = ((x - self.c - self.codes(x) @ self.W) ** 2).sum() / len(x)
        self.adam.zero_grad()
        loss.backward()
        with torch.no_grad():
            self.W.grad -= (self.W.grad * self.W).sum(dim=1, keepdim=True) * self.W
            self.adam.param_groups[0]["lr"] = self.rate * min(1, 5 * (1 - self.done / self.steps))
            self.adam.step()
            self.W /= self.W.norm(dim=1, keepdim=True)
        self.done += 1

    def model(self):
        W, E, b, c = (part.detach().numpy() for part in (self.W, self.E, self.b, self.c))
        return measures.Model(W, E, -b, self.k, self.select, mean=c)


def train(torch, X, m, k, select, rate, steps, seed=0):
    """A whole run: the autoencoder, and the CPU seconds of building it and of all steps."""
    begin = time.process_time()
    net, batch = Autoencoder(torch, X, m, k, select, rate, steps, seed), min(BATCH, len(X))
    order, place = torch.randperm(len(X)), 0
    for _ in range(steps):
        if place + batch > len(X):
            order, place = torch.randperm(len(X)), 0
        net.step(X[order[place:place + batch]])
        place += batch
    return net, time.process_time() - begin


def tune(torch, samples, test, m, k, select, steps, seed=0):
    """The best rate, and the CPU seconds of the trials. Chosen on the held-out samples, which favours PyTorch."""
    tuning, found = 0.0, {}
    for rate in RATES:
        net, seconds = train(torch, samples, m, k, select, rate, max(2, int(TRIAL * steps)), seed)
        error = measures.errors(net.model(), test, refit=False)[0]
        found[rate], tuning = error if math.isfinite(error) else math.inf, tuning + seconds
    return min(found, key=found.get), tuning
