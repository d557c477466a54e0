"""Sizes of the dictionary x selection x preprocessing at one budget; PyTorch gets several times the CPU time of ours."""
import math
import sys

from learning import data, measures, ours, pytorch, tables
from learning.peers import installed

# Cells: m and k as multiples of n. Epochs of ours; how many times the CPU time of ours PyTorch gets.
CELLS = {"A": (1 / 2, 1 / 32), "B": (1 / 2, 1 / 8), "C": (2, 1 / 32), "D": (2, 1 / 8), "E": (8, 1 / 32), "F": (8, 1 / 8)}
EPOCHS, TIMES = 15, 4
TRIALS = (2, 8)  # steps of PyTorch, for the time of a step without the start

# What a cell must not show.
FLAGS = ("diverged", "unused", "raw behind", "refit behind")
MOST_RAW, REFIT_BELOW, MOST_UNUSED, LEAST_SAMPLES_PER_ATOM = 0.9, 0.5, 0.02, 20

MEASURED = (("cpu_seconds", "cpu s", 1), ("raw_error", "raw", 4), ("refit_error", "refit", 4),
            ("raw_variance_left", "raw var", 4), ("refit_variance_left", "ref var", 4), ("unused", "unused", 4))
COLUMNS = [(f"{learner}_{key}", *rest) for learner in ("dltf", "torch") for key, *rest in MEASURED]


def dltf_cell(X, test, cell, seed, arguments):
    ours.save_samples(arguments, X)
    try:
        row = ours.train(arguments, len(X), cell["m"], cell["k"], cell["select"], cell["preprocess"], EPOCHS, seed=seed)
    except ours.Failed as sentence:
        return {"failed": str(sentence)}
    return {**row, **measures.measure(ours.read_model(arguments), X, test, cell["preprocess"])}


def torch_cell(X, test, cell, seconds, seed):
    """PyTorch with about `seconds` of CPU time, after the trials of its rate."""
    torch, (few, more) = pytorch.load(), TRIALS
    size = (cell["m"], cell["k"], cell["select"])
    samples = torch.from_numpy(X)
    start, longer = (pytorch.train(torch, samples, *size, pytorch.RATES[0], steps)[1] for steps in TRIALS)
    step = max((longer - start) / (more - few), longer / more / 2)  # half: noise must not lead to endless runs
    steps = max(few, math.ceil(seconds / step))
    rate, tuning = pytorch.tune(torch, samples, test, *size, steps, seed)
    net, seconds = pytorch.train(torch, samples, *size, rate, steps, seed)
    return {"cpu_seconds": seconds, "tuning_cpu_seconds": tuning, "steps": steps, "rate": rate,
            **measures.measure(net.model(), X, test)}


def flags(row):
    """What is wrong with a cell of ours, in words."""
    if "dltf_failed" in row:
        return [f"failed: {row['dltf_failed']}"]
    found = []
    raw, refit = (math.inf if error is None else error for error in (row["dltf_raw_error"], row["dltf_refit_error"]))
    if raw > MOST_RAW and refit < REFIT_BELOW:
        found.append("diverged")
    if row["dltf_unused"] > MOST_UNUSED and row["training_samples"] >= LEAST_SAMPLES_PER_ATOM * row["m"]:
        found.append("unused")
    for key, ours_error in (("raw", raw), ("refit", refit)):
        theirs = row.get(f"torch_{key}_error")
        if theirs is not None and theirs < ours_error:
            found.append(f"{key} behind")
    return found


def measure_cell(X, test, cell, seed, arguments):
    mine = dltf_cell(X, test, cell, seed, arguments)
    row = {**cell, **{f"dltf_{key}": value for key, value in mine.items()}}
    if installed("torch") and "failed" not in mine:
        theirs = torch_cell(*data.prepare(cell["preprocess"], X, test), cell, TIMES * mine["cpu_seconds"], seed)
        row.update({f"torch_{key}": value for key, value in theirs.items()})
    return {**row, "flags": flags(row)}


def cells(name, X, test, scale, seed, arguments):
    n = X.shape[1]
    for letter in arguments.cells:
        for how in arguments.preprocess or data.PREPROCESS:
            for select in arguments.select:
                m, k = (max(1, int(factor * n)) for factor in CELLS[letter])
                yield {"data": name, "n": n, "m": m, "k": k, "select": select, "preprocess": how, "scale": scale, "seed": seed,
                       **data.counts(X, test)}


def measure(name, arguments, store, part="grid", scale=1, seed=0):
    X, test = data.load(name, arguments, scale, seed)
    complete = "torch_raw_error" if installed("torch") else "dltf_raw_error"
    for cell in cells(name, X, test, scale, seed, arguments):
        if store.has(part, cell, complete):
            continue
        row = measure_cell(X, test, cell, seed, arguments)
        print(line(row), file=sys.stderr)
        store.replace(part, {key: cell[key] for key in ("data", "m", "k", "select", "preprocess")}, [row])


def line(row):
    return tables.line(row, tables.SAMPLES, COLUMNS, 7) + "  " + ", ".join(row["flags"])


def summary(rows):
    """How many cells have which flag."""
    compared, good = sum("torch_raw_error" in row for row in rows), sum(not row["flags"] for row in rows)
    yield f"{len(rows)} cells, {compared} of them compared with PyTorch; without a flag: {good}."
    for select in data.SELECT:
        mine = [row for row in rows if row["select"] == select]
        counts = {name: sum(name in row["flags"] for row in mine) for name in FLAGS}
        counts["failed"] = sum("dltf_failed" in row for row in mine)
        if mine:
            yield f"{select}, {len(mine)} cells: " + ", ".join(f"{name} {count}" for name, count in counts.items()) + "."


def table(rows, title="Several sizes, selections and preprocessings"):
    yield f"{title}: dltf, {EPOCHS} epochs, then PyTorch with {TIMES} times its CPU time (whole runs)."
    yield "raw, refit: relative errors of held-out samples in the space both see; raw var, ref var: shares of their variance"
    yield "left; unused: share of atoms in no code of a training or held-out sample."
    yield (f"Flags: diverged (raw error above {MOST_RAW} with refit below {REFIT_BELOW}), unused (more than "
           f"{100 * MOST_UNUSED:.0f}% with at least {LEAST_SAMPLES_PER_ATOM} samples per atom), raw or refit behind PyTorch.")
    yield tables.head(tables.SAMPLES, COLUMNS, 7)
    yield from map(line, rows)
    yield from summary(rows)


def foreign_table(rows):
    return table(rows, "Twice n, m, k and N, another seed, data sets on which no constant was chosen")
