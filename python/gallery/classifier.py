"""Codes as features of a linear classifier, by the number of their entries. Usage: classifier.py [FOLDER]"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import dltf

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y = load_digits(return_X_y=True)
pipeline = make_pipeline(dltf.DLTF(128, encoder="tied", random_state=0), RidgeClassifier())
entries = [1, 4, 16]
search = GridSearchCV(pipeline, {"dltf__n_nonzero_coefs": entries}, cv=2).fit(X.astype(np.float32) / 16, y)

figure, axis = plt.subplots()
axis.errorbar(entries, search.cv_results_["mean_test_score"], search.cv_results_["std_test_score"], marker="o")
axis.set_xscale("log", base=2)
axis.set_xlabel("entries of a code")
axis.set_ylabel("accuracy")
figure.savefig(folder / "classifier.png", bbox_inches="tight")
