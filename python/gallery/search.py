"""Neighbours by binary codes: share of the true neighbours found, by the number of bits. Usage: search.py [FOLDER]"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors

import dltf

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X = load_digits().data.astype(np.float32)
truth = NearestNeighbors(n_neighbors=20).fit(X).kneighbors(X, return_distance=False)

figure, axis = plt.subplots()
bits = [16, 32]
for method in ("lsh", "itq", "neighbour"):
    recall = []
    for count in bits:
        hashes = dltf.Hasher(count, method=method, n_iter=None if method == "lsh" else 50, random_state=0).fit_transform(X)
        found = dltf.HammingIndex(hashes).kneighbors(hashes, 20, return_distance=False)
        recall.append(np.mean([len(set(a) & set(b)) / 20 for a, b in zip(found, truth)]))
    axis.plot(bits, recall, marker="o", label=method)
axis.set_xlabel("bits")
axis.set_ylabel("share of the 20 nearest found")
axis.legend()
figure.savefig(folder / "search.png", bbox_inches="tight")
