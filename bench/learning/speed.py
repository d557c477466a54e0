"""Time of training on Gaussian data: steps alone, whole runs with one and two threads, whole runs against m."""
import math
import sys
import time

import numpy as np

from learning import ours, pytorch, tables
from learning.peers import installed

# Steps: n, m, k, samples; ours sees the samples so often, and so much more often.
STEPS = ((100, 1024, 16, 20000, 5, 15), (100, 2048, 16, 20000, 5, 15), (100, 4096, 16, 20000, 2, 6),
         (100, 16384, 16, 20000, 1, 2), (100, 65536, 16, 20000, 2, 6), (768, 16384, 32, 20000, 1, 2))
STEP_BATCH = 1000

# Whole runs: n, m, k, samples; one epoch. PyTorch takes at most so many steps, and the rest is extrapolated.
RUNS, MOST_TORCH_STEPS = ((100, 2048, 16, 100000), (768, 16384, 32, 24000)), {100: 200, 768: 20}

# Whole runs against m: n, k, samples, and all m.
SCALING = (100, 16, 100000, tuple(1024 * 2 ** i for i in range(7)))

# For tests.
SMALL = {"STEPS": ((16, 32, 2, 1000, 5, 20),), "RUNS": ((16, 32, 2, 2000),), "SCALING": (16, 2, 1000, (16, 32))}


def sizes(name, arguments):
    return SMALL[name] if arguments.small else globals()[name]


def gaussian(count, n):
    return np.random.default_rng(0).standard_normal((count, n)).astype(np.float32)


# ---- Steps ----

def step_row(shape, select, arguments):
    """CPU us per sample of training: ours from the difference of two budgets, PyTorch's from its step."""
    n, m, k, count, few, many = shape
    X = gaussian(count, n)
    # No early stop: both budgets have the same start and about as many evaluations of held-out samples.
    common = {"m": m, "k": k, "select": select, "encoder": "learned", "threads": 1, "tolerance": 0}
    mine = [[ours.train_in_process(arguments, X, epochs=epochs, **common) for epochs in (few, many)]
            for _ in range(arguments.rounds)]
    best = [min(column) for column in zip(*mine)]
    row = {"n": n, "m": m, "k": k, "select": select, "dltf_us": 1e6 * (best[1] - best[0]) / ((many - few) * count)}
    if installed("torch"):
        row.update(torch_us=torch_step_us(X, m, k, select, arguments.rounds), torch_batch=STEP_BATCH)
        row["ratio"] = row["torch_us"] / row["dltf_us"]
    return row


def torch_step_us(X, m, k, select, rounds):
    torch, times = pytorch.load(), []
    samples = torch.from_numpy(X)
    net = pytorch.Autoencoder(torch, samples, m, k, select, 1e-3, 100)
    for turn in range(rounds + 2):
        begin = time.process_time()
        net.step(samples[turn * STEP_BATCH % len(X):][:STEP_BATCH])
        times.append(time.process_time() - begin)
    return 1e6 * min(times[1:]) / STEP_BATCH


STEP_COLUMNS = (("dltf_us", "dltf", 1), ("torch_us", "PyTorch", 1), ("ratio", "ratio", 2))


def step_line(row):
    return tables.line(row, tables.SHAPE, STEP_COLUMNS)


def step_table(rows):
    yield "Steps alone: CPU us per training sample, one thread."
    yield tables.head(tables.SHAPE, STEP_COLUMNS)
    yield from map(step_line, rows)


# ---- Whole runs ----

def best_run(count, size, select, threads, arguments):
    """The run with the shortest wall time."""
    runs = [ours.train(arguments, count, *size, select, epochs=1, threads=threads) for _ in range(arguments.rounds)]
    return min(runs, key=lambda run: run["wall_seconds"])


def torch_run(X, size, select):
    """CPU seconds of one epoch: building the autoencoder and its steps, extrapolated if there are many."""
    torch = pytorch.load()
    steps = math.ceil(len(X) / min(pytorch.BATCH, len(X)))
    taken = min(steps, MOST_TORCH_STEPS.get(X.shape[1], steps))
    seconds = pytorch.train(torch, torch.from_numpy(X), *size, select, 1e-3, taken)[1] * steps / taken
    return {"torch_steps": steps, "torch_steps_taken": taken, "torch_extrapolated": taken < steps,
            "torch_cpu_seconds": seconds, "torch_us": 1e6 * seconds / (steps * min(pytorch.BATCH, len(X)))}


def run_row(shape, select, arguments):
    n, m, k, count = shape
    X = gaussian(count, n)
    ours.save_samples(arguments, X)
    one, two = (best_run(count, (m, k), select, threads, arguments) for threads in (1, 2))
    row = {"n": n, "m": m, "k": k, "select": select, "samples": count, "cpu_seconds": one["cpu_seconds"],
           "wall_seconds": one["wall_seconds"], "wall_seconds_2": two["wall_seconds"], "cpu_seconds_2": two["cpu_seconds"],
           "speedup": one["wall_seconds"] / two["wall_seconds"], "us_per_sample": one["us_per_sample"]}
    if installed("torch"):
        row.update(torch_run(X, (m, k), select))
        row["ratio"] = row["torch_us"] / row["us_per_sample"]
    return row


RUN_SHAPE = (*tables.SHAPE, ("samples", 8))
RUN_COLUMNS = (("cpu_seconds", "cpu s", 2), ("wall_seconds", "wall s", 2), ("wall_seconds_2", "2 thr. s", 2),
               ("speedup", "speed-up", 2), ("us_per_sample", "us", 1), ("torch_us", "PyTorch", 1), ("ratio", "ratio", 2))


def run_line(row):
    taken = ""
    if row.get("torch_extrapolated"):
        taken = f"  PyTorch extrapolated from {row['torch_steps_taken']} of {row['torch_steps']} steps"
    return tables.line(row, RUN_SHAPE, RUN_COLUMNS) + taken


def run_table(rows):
    yield "Whole runs of `dltf train`, one epoch: CPU and wall seconds with one thread, wall seconds with two, speed-up; CPU us"
    yield "per sample seen with one thread, of PyTorch's whole run with one thread, and their ratio."
    yield tables.head(RUN_SHAPE, RUN_COLUMNS)
    yield from map(run_line, rows)


# ---- Against m ----

def scaling_row(m, select, arguments):
    n, k, count, _ = sizes("SCALING", arguments)
    run = best_run(count, (m, k), select, 1, arguments)
    return {"n": n, "m": m, "k": k, "select": select, "samples": count, "cpu_seconds": run["cpu_seconds"],
            "wall_seconds": run["wall_seconds"], "us_per_sample": run["us_per_sample"],
            "us_per_1000_atoms": 1000 * run["us_per_sample"] / m}


SCALING_COLUMNS = (("cpu_seconds", "cpu s", 2), ("us_per_sample", "us", 1), ("us_per_1000_atoms", "us/1,000", 2))


def scaling_line(row):
    return tables.line(row, RUN_SHAPE, SCALING_COLUMNS)


def scaling_table(rows):
    yield "Whole runs against m, one epoch, one thread: CPU us per sample seen, and per 1,000 atoms: constant if linear in m."
    yield tables.head(RUN_SHAPE, SCALING_COLUMNS)
    yield from map(scaling_line, rows)


# ---- All ----

def add(store, part, key, row, line):
    if not store.has(part, key):
        found = row()
        print(line(found), file=sys.stderr)
        store.replace(part, key, [found])


def measure(arguments, store):
    n, k, count, atoms = sizes("SCALING", arguments)
    for select in arguments.select:
        for shape in sizes("STEPS", arguments):
            key = dict(zip("nmk", shape), select=select)
            add(store, "speed", key, lambda: step_row(shape, select, arguments), step_line)
        for shape in sizes("RUNS", arguments):
            key = dict(zip("nmk", shape), select=select)
            add(store, "runs", key, lambda: run_row(shape, select, arguments), run_line)
        ours.save_samples(arguments, gaussian(count, n))
        for m in atoms:
            key = {"n": n, "m": m, "k": k, "select": select}
            add(store, "scaling", key, lambda: scaling_row(m, select, arguments), scaling_line)
