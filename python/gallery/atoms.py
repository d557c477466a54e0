"""Atoms learned from digits, and how learning went. Usage: atoms.py [FOLDER]"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import dltf
import dltf.plot

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X = load_digits().data.astype(np.float32)
learned = dltf.DLTF(96, 6, encoder="tied", random_state=0).fit(X)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
dltf.plot.atoms(learned, columns=12, axes=left)
dltf.plot.history(learned, axes=right)
figure.savefig(folder / "atoms.png", bbox_inches="tight")
