"""Error against CPU time: one size of the dictionary, several budgets."""
import sys

from learning import data, measures, ours, pytorch, scikit, tables
from learning.peers import installed

PART = "rows"
EPOCHS = (2, 5, 15, 40)  # budgets of ours
SHARES = (0.125, 0.5, 1)  # budgets of PyTorch, as shares of its steps

IDENTITY = (*tables.SAMPLES, ("learner", 8), ("budget", 11))
COLUMNS = (("cpu_seconds", "cpu s", 2), ("wall_seconds", "wall s", 2), ("us_per_sample", "us", 1), ("raw_error", "raw", 4),
           ("refit_error", "refit", 4), ("refit_variance_left", "var", 4), ("unused", "unused", 4))


def dltf_rows(X, test, m, k, select, how, arguments):
    ours.save_samples(arguments, X)
    for epochs in arguments.epochs:
        run = ours.train(arguments, len(X), m, k, select, how, epochs)
        quality = measures.measure(ours.read_model(arguments), X, test, how)
        yield {"learner": "dltf", "budget": f"{epochs} epochs", **run, **quality}


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


def learners(X, test, m, k, select, how, steps, arguments):
    yield from dltf_rows(X, test, m, k, select, how, arguments)
    seen = data.prepare(how, X, test)
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
            common = {**key, "n": X.shape[1], "m": m, "k": chosen.k, **data.counts(X, test)}
            if store.has(PART, common):
                continue
            rows = []
            for row in learners(X, test, m, chosen.k, select, how, arguments.steps or chosen.steps, arguments):
                rows.append({**common, **row})
                print(line(rows[-1]), file=sys.stderr)
            store.replace(PART, key, rows)


def line(row):
    return tables.line(row, IDENTITY, COLUMNS)


def table(rows):
    yield "Error against CPU time. Whole runs on one thread; us: CPU time per sample seen; raw, refit: relative errors of held-"
    yield "out samples in the space that all learners see; var: share of their variance left after refit; unused: share of atoms"
    yield "in no code of a training or held-out sample. sklearn: codes of OMP."
    yield tables.head(IDENTITY, COLUMNS)
    yield from map(line, rows)
