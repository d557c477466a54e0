"""Error against CPU time: one size of the dictionary, several budgets."""
import sys

import numpy as np

from learning import data, measures, ours, pytorch, scikit, tables
from learning.peers import installed

PART = "rows"
EPOCHS = (2, 5, 15, 40)  # budgets of ours
SHARES = (0.125, 0.5, 1)  # budgets of PyTorch, as shares of its steps


def dltf_rows(X, test, m, k, select, how, arguments):
    ours.save_samples(arguments, X)
    for epochs in arguments.epochs:
        run = ours.train(arguments, len(X), m, k, select, how, epochs)
        yield {"learner": "dltf", "budget": f"{epochs} epochs", **run, **measures.measure(ours.read_model(arguments), X, test, how)}


def torch_rows(X, test, m, k, select, steps):
    torch = pytorch.load()
    samples = torch.from_numpy(X)
    rate, tuning = pytorch.tune(torch, samples, test, m, k, select, steps)
    for share in SHARES:
        count = max(2, int(share * steps))
        net, seconds = pytorch.train(torch, samples, m, k, select, rate, count)
        seen = count * min(pytorch.BATCH, len(X))
        yield {"learner": "torch", "budget": f"{count} steps", "samples_seen": seen, "cpu_seconds": seconds,
               "us_per_sample": 1e6 * seconds / seen, **measures.measure(net.model(), X, test), "rate": rate,
               "tuning_cpu_seconds": tuning}


def prepared(how, X, test):
    """What the other learners get: the samples as ours sees them, with mean ||x||^2 = 1."""
    parts = list(data.preprocess(how, X, test))
    factor = data.mean_square_factor(parts[0])
    return [np.ascontiguousarray(part * factor, np.float32) for part in parts]


def learners(X, test, m, k, select, how, steps, arguments):
    yield from dltf_rows(X, test, m, k, select, how, arguments)
    seen = prepared(how, X, test)
    if installed("torch"):
        yield from torch_rows(*seen, m, k, select, steps)
    if installed("sklearn") and m <= scikit.MOST_ATOMS and select == "abs":
        yield from scikit.rows(*seen, m, k)


def measure(name, arguments, store):
    chosen = data.SETS[name]
    X, test = data.load(name, arguments)
    m = min(chosen.m, len(X) // 4)
    for how in arguments.preprocess or [chosen.preprocess]:
        for select in arguments.select:
            key = {"data": name, "select": select, "preprocess": how}
            common = {**key, "n": X.shape[1], "m": m, "k": chosen.k, "training_samples": len(X), "held_out_samples": len(test)}
            if store.has(PART, common):
                continue
            rows = []
            for row in learners(X, test, m, chosen.k, select, how, arguments.steps or chosen.steps, arguments):
                rows.append({**common, **row})
                print(line(rows[-1]), file=sys.stderr)
            store.replace(PART, key, rows)


def line(row):
    return (f"{tables.identity(row, tables.SAMPLES)} {row['learner']:>8} {row['budget']:>11} "
            f"{tables.number(row['cpu_seconds'], 2)} {tables.number(row.get('wall_seconds'), 2)} "
            f"{tables.number(row.get('us_per_sample'), 1)} {tables.number(row['raw_error'], 4)} {tables.number(row['refit_error'], 4)} "
            f"{tables.number(row['refit_variance_left'], 4)} {tables.number(row['unused'], 4)}")


def table(rows):
    yield "Error against CPU time. Whole runs on one thread; us: CPU time per sample seen; raw, refit: relative errors of held-out"
    yield "samples in the space that all learners see; var: share of their variance left after refit; unused: share of atoms in no"
    yield "code of a training or held-out sample. sklearn: codes of OMP."
    yield tables.head(*tables.SAMPLES, ("learner", 8), ("budget", 11), ("cpu s", 8), ("wall s", 8), ("us", 8), ("raw", 8), ("refit", 8),
                      ("var", 8), ("unused", 8))
    yield from map(line, rows)
