#!/usr/bin/env bats
# dltf cluster: samples and codes, labels, principal components, and bad input.
load common

# X.csv: 60 samples of 5 entries in three far groups; labels.csv: their groups.
setup_file() { :; }

groups() {
  "$PYTHON" - <<'PYTHON'
import random
random.seed(4)
rows = [[10 * (j == i % 3) + random.gauss(0, 1) for j in range(5)] for i in range(60)]
open("X.csv", "w").write("".join(",".join(map(repr, row)) + "\n" for row in rows))
open("labels.csv", "w").write("".join(f"{7 - i % 3}\n" for i in range(60)))
PYTHON
}

@test "groups are found, and agree with labels" {
  groups
  run -0 dltf cluster X.csv -c 3 --labels labels.csv -o a.csv --centers centers.npy
  [[ $output == *"accuracy"*"1.0000 (best matching"*"NMI"*"1.0000 (divided by the arithmetic mean of the entropies)"*"a.csv"* ]]
  dltf cluster X.csv -c 3 --labels labels.csv --json >r.json
  [[ $(value 'd["accuracy"], d["nmi"], d["nmi_normaliser"], d["sizes"], d["converged"]' <r.json) == "(1.0, 1.0, 'arithmetic', [20, 20, 20], True)" ]]
  [[ $(sort a.csv | uniq -c | awk '{print $1, $2}') == $'20 0\n20 1\n20 2' ]]
  # What was written can be read: clusters as labels, centers as data.
  [[ $(dltf cluster X.csv -c 3 --labels a.csv --json | value 'd["accuracy"]') == 1.0 ]]
  [[ $(dltf cluster centers.npy -c 3 --json | value 'd["samples"], d["inertia"] < 1e-9') == "(3, True)" ]]
}

@test "NumPy reads the clusters, and agrees on inertia, accuracy and NMI" {
  "$PYTHON" -c 'import sklearn, scipy' || skip "scikit-learn is not installed"
  groups
  dltf cluster X.csv -c 4 --labels labels.csv -o a.npy --centers centers.npy --json >r.json
  "$PYTHON" - <<'PYTHON'
import json
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import confusion_matrix, normalized_mutual_info_score
report, X, labels = json.load(open("r.json")), np.loadtxt("X.csv", delimiter=","), np.loadtxt("labels.csv", dtype=int)
a, centers = np.load("a.npy"), np.load("centers.npy")
assert a.dtype == np.int64 and a.shape == (60,) and centers.shape == (4, 5)
assert abs(((X - centers[a]) ** 2).sum() - report["inertia"]) < 1e-4 * report["inertia"]
assert abs(normalized_mutual_info_score(labels, a) - report["nmi"]) < 1e-9
table = confusion_matrix(labels - 5, a)
assert abs(table[linear_sum_assignment(-table)].sum() / 60 - report["accuracy"]) < 1e-9
PYTHON
}

@test "sparse codes, any number of threads, the same seed" {
  dltf synth -n 16 -m 24 -k 3 -N 200 -o toy -q
  for threads in 1 2 3; do
    dltf cluster toy/codes.npz -c 6 --threads $threads --seed 5 -o "$threads.npy" -q >/dev/null
    same_file 1.npy $threads.npy
  done
  dltf cluster toy/codes.npz -c 6 --spherical --json >r.json
  [[ $(value 'd["columns"], sum(d["sizes"]), 0 < d["inertia"] < 200' <r.json) == "(24, 200, True)" ]]
  fails 2 "codes.npz: contains sparse codes; principal components need dense data" cluster toy/codes.npz -c 2 --pca 3
}

@test "landmarks find clusters that are not round" {
  # Two parallel arcs of directions, longer than they are apart: k-means cuts across them.
  "$PYTHON" - <<'PYTHON'
import math, random
random.seed(1)
rows, labels = [], []
for i in range(600):
    a, arc = .8 * random.random(), i % 2
    rows.append([math.cos(a), math.sin(a), .25 * arc + random.gauss(0, .02)])
    labels.append(arc)
open("arcs.csv", "w").write("".join(",".join(map(repr, row)) + "\n" for row in rows))
open("arcs.labels.csv", "w").write("".join(f"{l}\n" for l in labels))
PYTHON
  dltf cluster arcs.csv -c 2 --labels arcs.labels.csv --json >plain.json
  dltf cluster arcs.csv -c 2 --labels arcs.labels.csv --landmarks 20 --json >landmarks.json
  [[ $(value 'd["accuracy"] < .8' <plain.json) == True ]]
  [[ $(value 'd["accuracy"] > .95, d["landmarks"], d["columns"]' <landmarks.json) == "(True, 20, 6)" ]]
  for threads in 1 2 3; do
    dltf cluster arcs.csv -c 2 --landmarks 20 --threads $threads -o "$threads.npy" -q >/dev/null
    same_file 1.npy $threads.npy
  done
  fails 2 "arcs.csv: 600 samples are too few for 601 landmarks" cluster arcs.csv -c 2 --landmarks 601
  fails 2 "--landmarks and --pca exclude each other" cluster arcs.csv -c 2 --landmarks 20 --pca 2
  fails 2 "--landmarks has no centers among the samples: omit --centers" cluster arcs.csv -c 2 --landmarks 20 --centers c.npy
  echo 0,0,0 >>arcs.csv
  fails 1 "row 600 is all zero" cluster arcs.csv -c 2 --landmarks 20
}

@test "principal components, written and used again" {
  groups
  [[ $(dltf cluster X.csv -c 3 --pca 2 --save-pca p.safetensors -o a.npy --json | value 'd["columns"], .5 < d["variance_kept"] < 1') == "(2, True)" ]]
  run -0 dltf cluster X.csv -c 3 --load-pca p.safetensors -o b.npy
  [[ $output == *"2 of 5, "*"% of the variance"* ]]
  same_file a.npy b.npy
  fails 1 "p.safetensors: is a file of principal components, not a model; to use them, run 'dltf cluster" inspect p.safetensors
  dltf synth -n 16 -m 24 -k 3 -N 50 -o toy -q
  fails 2 "X.npy: 16 columns, but the principal components have 5" cluster toy/X.npy -c 2 --load-pca p.safetensors
  fails 2 "exclude each other" cluster X.csv -c 3 --pca 2 --load-pca p.safetensors
  fails 2 "needs --pca" cluster X.csv -c 3 --save-pca q.safetensors
  fails 2 "X.csv: 60 samples of 5 entries have at most 5 principal components, not 6" cluster X.csv -c 3 --pca 6
}

@test "bad input gets one sentence" {
  groups
  fails 2 "number of clusters" cluster X.csv
  fails 2 "X.csv: 60 samples cannot form 61 clusters" cluster X.csv -c 61
  fails 2 "clusters: 0 is outside" cluster X.csv -c 0
  head -50 labels.csv >short.csv
  fails 1 "short.csv: 50 labels, but X.csv has 60 samples" cluster X.csv -c 3 --labels short.csv
  fails 1 "X.csv: 60 rows of 5 numbers: expected one label per sample" cluster X.csv -c 3 --labels X.csv
  sed '3s/^[^,]*/nan/' X.csv >nan.csv
  fails 1 "nan.csv: row 2, column 0 is NaN" cluster nan.csv -c 3 -o a.npy
  (cat X.csv && echo 0,0,0,0,0) >zero.csv
  fails 1 "zero.csv: row 60 is all zero .* no direction for spherical" cluster zero.csv -c 3 --spherical
  fails 2 "a.png: unsupported extension" cluster X.csv -c 3 -o a.png
  fails 2 "X.csv: would overwrite an input" cluster X.csv -c 3 -o X.csv
  fails 1 "none.csv: cannot open" cluster none.csv -c 3
  [[ ! -e a.npy ]]
}

@test "codes with empty rows are clustered as zero, with a remark" {
  "$PYTHON" -c 'import scipy' || skip "SciPy is not installed"
  "$PYTHON" -c '
import numpy as np, scipy.sparse as sp
sp.save_npz("z.npz", sp.csr_matrix(np.array([[1, 0], [1, .1], [0, 0], [0, 0]], np.float32)))'
  run -0 --separate-stderr dltf cluster z.npz -c 2 -o a.csv
  [[ $stderr == "z.npz: 2 rows without entries, clustered as zero" ]]
  [[ $(tail -2 a.csv | uniq | wc -l) == 1 && $(uniq a.csv | wc -l) == 2 ]]
  fails 1 "z.npz: row 2 is all zero" cluster z.npz -c 2 --spherical -q
}
