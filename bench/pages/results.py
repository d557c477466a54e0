"""Tables of docs/results.md, from experiments/results: the paper's value and ours in one cell, the better one in bold."""
import csv
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "experiments/results"


class Experiment:
    """Rows of the CSV; whether smaller or larger values of the first metric are better, from the JSON."""

    def __init__(self, name):
        self.rows = list(csv.DictReader((FOLDER / f"{name}.csv").open()))
        columns = list(self.rows[0])
        self.metric = columns[columns.index("sd") - 1]
        self.smaller = json.loads((FOLDER / f"{name}.json").read_text())["better"] == "smaller"


def number(text, digits):
    """Without a leading zero; a dash for no value."""
    return re.sub("^0[.]", ".", f"{float(text):.{digits}f}") if text else "-"


def better(experiment, row):
    """1: ours is better than the paper's value, -1: worse, 0: the same in the digits of the paper, or no value."""
    if not row["paper"] or not row[experiment.metric]:
        return 0
    digits = len(row["paper"].partition(".")[2])
    difference = round(float(row[experiment.metric]), digits) - float(row["paper"])
    return 0 if abs(difference) < 1e-9 else 1 if (difference < 0) == experiment.smaller else -1


def cell(experiment, row, digits):
    mark = better(experiment, row)
    ours = number(row[experiment.metric], digits)
    spread = f" ± {number(row['sd'], digits)}" if row["sd"] else ""
    paper = number(row["paper"], digits) if row["paper"] else ""
    text = (f"**{ours}**" if mark > 0 else ours) + spread
    return text + (f" (paper: {'**' + paper + '**' if mark < 0 else paper})" if paper else "")


def pivot(name, across, digits, title=None, where=lambda row: True, label=lambda row: f"`{row['method']}`"):
    """A row for each label, a column for each value of the key `across`."""
    experiment = Experiment(name)
    rows = [row for row in experiment.rows if where(row)]
    columns = list(dict.fromkeys(row[across] for row in rows))
    cells = {(label(row), row[across]): cell(experiment, row, digits) for row in rows}
    labels = list(dict.fromkeys(label(row) for row in rows))
    head = [title or experiment.metric] + [f"{across} = {columns[0]}"] + columns[1:]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for text in labels:
        yield f"| {text} | " + " | ".join(cells.get((text, column), "") for column in columns) + " |"


def balance():
    """How often ours is better, worse or equal, by experiment and kind of method."""
    yield "| | our methods: better | equal | worse | baselines: better | equal | worse |"
    yield "|---|---|---|---|---|---|---|"
    for name in ("table1", "timing", "table2", "table3", "table4", "table5", "table6"):
        experiment = Experiment(name)
        marks = lambda ours: [better(experiment, row) for row in experiment.rows
                              if row["paper"] and row["method"].startswith("dltf") == ours]
        yield f"| {name} | " + " | ".join(str(marks(ours).count(mark)) for ours in (True, False) for mark in (1, 0, -1)) + " |"


def table2():
    yield from pivot("table2", "k", 3, label=lambda row: f"`{row['method']}`, {row['data']}")


def table4():
    method = lambda row: f"`{row['method']}`" + (f", k = {row['k']}" if row["k"] else "")
    yield from pivot("table4", "sigma", 2, where=lambda row: row["image"] == "house", title="House, PSNR in dB", label=method)
    yield ""
    yield from pivot("table4", "sigma", 2, where=lambda row: row["image"] != "house" and row["method"] in ("ksvd", "best"),
                     title="other images, PSNR in dB", label=lambda row: f"`{row['method']}`, {row['image']}")


def table5():
    for protocol in ("nn1000", "rad50", "class"):
        yield from pivot("table5", "bits", 3, where=lambda row: row["protocol"] == protocol, title=f"`{protocol}`, mAP")
        yield ""


def table6():
    yield from pivot("table6", "method", 2, title="error, percent",
                     label=lambda row: f"{row['model']} hidden, {row['recipe']}, {int(row['labels']):,} labels, {row['epochs']} epochs")


def learners():
    yield from pivot("learners", "method", 3, title="raw error on held-out samples; data, n, m, k",
                     label=lambda row: "{data}, {n}, {m}, {k}".format(**row))


TABLES = {
    "balance": balance,
    "table1": lambda: pivot("table1", "k", 3),
    "timing": lambda: pivot("timing", "k", 2, title="time of OMP / time of the feature"),
    "table2": table2,
    "table3": lambda: pivot("table3", "data", 3),
    "table4": table4,
    "table5": table5,
    "table6": table6,
    "certificates": lambda: pivot("certificates", "k", 3, label=lambda row: f"`{row['method']}`, noise {row['noise']}"),
    "encoders": lambda: pivot("encoders", "assumed_k", 3, label=lambda row: f"`{row['method']}`, {row['codes']}"),
    "images": lambda: pivot("images", "k", 4, label=lambda row: f"`{row['method']}`, {row['data']}"),
    "learners": learners,
}
