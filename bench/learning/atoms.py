"""Held-out error after refit against the number of atoms, k fixed: more atoms must not be worse."""
import sys

from learning import data, measures, ours, tables

PART = "more_atoms"
SETS = ("fashion-mnist", "patches-8x8", "word-vectors", "log-normal")
SAMPLES_PER_ATOM = (100, 50, 25, 12, 6, 3)
MOST_RATIO = 1.01

COLUMNS = (("samples_per_atom", "N/m", 1), ("cpu_seconds", "cpu s", 1), ("raw_error", "raw", 4), ("refit_error", "refit", 4),
           ("unused", "unused", 4), ("ratio", "ratio", 4))


def measure_size(X, test, m, common, arguments):
    run = ours.train(arguments, len(X), m, common["k"], common["select"], common["preprocess"])
    row = {**common, "m": m, **run, **measures.measure(ours.read_model(arguments), X, test, common["preprocess"])}
    print(line(row), file=sys.stderr)
    return row


def measure(name, arguments, store):
    """The budget is the program's own."""
    chosen = data.SETS[name]
    X, test = data.load(name, arguments)
    ours.save_samples(arguments, X)
    for how in arguments.preprocess or [chosen.preprocess]:
        for select in arguments.select:
            key = {"data": name, "select": select, "preprocess": how}
            common = {**key, "n": X.shape[1], "k": chosen.k, **data.counts(X, test)}
            if store.has(PART, common):
                continue
            sizes = [max(chosen.k, len(X) // few) for few in SAMPLES_PER_ATOM]
            rows = [measure_size(X, test, m, common, arguments) for m in sizes]
            store.replace(PART, key, with_ratios(rows))


def with_ratios(rows):
    """Each row but the first gets the ratio of its error to that of the row before, and a flag if that is too large."""
    for before, row in zip(rows, rows[1:]):
        row["ratio"] = row["refit_error"] / before["refit_error"]
        row["worse"] = row["ratio"] > MOST_RATIO
    return rows


def line(row):
    per_atom = {"samples_per_atom": row["training_samples"] / row["m"]}
    return tables.line({**row, **per_atom}, tables.SAMPLES, COLUMNS) + ("  worse" if row.get("worse") else "")


def table(rows):
    worse = sum(row.get("worse", False) for row in rows)
    yield "More atoms, k fixed, default budget: held-out relative errors, and the ratio of the error after refit to that of the"
    yield f"row before. Ratios above {MOST_RATIO} are marked: {worse}."
    yield tables.head(tables.SAMPLES, COLUMNS)
    yield from map(line, rows)
