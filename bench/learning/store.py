"""Results in a JSON file, which several runs of bench/learners can fill together, one row or group of rows at a time."""
import contextlib
import fcntl
import json
import math
import os
import pathlib

import numpy as np

from learning import data

PARTS = ("rows", "grid", "foreign", "more_atoms", "speed", "runs", "scaling")
FIXED = {"data": list(data.SETS), "select": list(data.SELECT), "preprocess": list(data.PREPROCESS)}  # orders of rows


def order(row):
    """Sorts rows by what identifies them; sorting is stable, so that rows of a group keep their order."""
    fixed = [names.index(row[key]) for key, names in FIXED.items() if key in row]
    return fixed + [row[key] for key in ("n", "m", "k") if key in row]


def finite(value):
    """Plain values for JSON, which has no number for an error that overflowed: null."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def matches(row, key):
    return all(row.get(name) == value for name, value in key.items())


def save(path, text):
    pathlib.Path(f"{path}.part").write_text(text)
    os.replace(f"{path}.part", path)


class Store:
    """Rows of this run, and those that the file at `path` has from other runs."""

    def __init__(self, path, again, about):
        self.path, self.again, self.about, self.parts = path, again, about, {name: [] for name in PARTS}
        self.read()

    def read(self):
        """Rows of files of older versions do not say how codes were selected, and are dropped."""
        if self.path and os.path.exists(self.path):
            old = json.loads(pathlib.Path(self.path).read_text())
            self.parts = {name: [row for row in old.get(name, []) if "select" in row] for name in PARTS}

    @contextlib.contextmanager
    def locked(self):
        """Runs that share the file take turns: its folder is locked."""
        if not self.path:
            yield
            return
        folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            self.read()
            yield
            save(self.path, self.text())
        finally:
            os.close(folder)

    def has(self, part, key, column="select"):
        """Whether a row with this key has the column, and is not to be measured again."""
        return not self.again and any(matches(row, key) and column in row for row in self.parts[part])

    def replace(self, part, key, rows):
        """Rows in place of all rows with this key."""
        rows = [finite(row) for row in rows]
        with self.locked():
            kept = [row for row in self.parts[part] if not matches(row, key)]
            self.parts[part] = sorted(kept + rows, key=order)

    def text(self):
        return json.dumps({**self.about, **self.parts}, indent=2) + "\n"
