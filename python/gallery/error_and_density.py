"""Error against the number of entries, and how often atoms are used. Usage: error_and_density.py [FOLDER]"""
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
learned = dltf.DLTF(128, 8, encoder="learned", epochs=40, random_state=0).fit(X)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
dltf.plot.error_against_k(learned, X, axes=left)
dltf.plot.density(learned, X, axes=right)
figure.savefig(folder / "error_and_density.png", bbox_inches="tight")
