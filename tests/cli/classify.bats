#!/usr/bin/env bats
# dltf pretrain and dltf classify: layers from data, classifiers from labels, and bad input.
load common

# X.csv: 120 samples of 12 entries in 0 .. 255, three classes with labels -5, 2 and 9 that differ in a few entries;
# T.csv: 60 more.
setup_file() { :; }

problem() {
  "$PYTHON" - <<'PYTHON'
import random
random.seed(4)
for name, count in (("X", 120), ("T", 60)):
    kinds = [random.randrange(3) for _ in range(count)]
    rows = [[min(255, max(0, int(random.gauss(180 if j % 3 == kind else 70, 30)))) for j in range(12)] for kind in kinds]
    open(name + ".csv", "w").write("".join(",".join(map(str, row)) + "\n" for row in rows))
    open(name + ".labels.csv", "w").write("".join(f"{(-5, 2, 9)[kind]}\n" for kind in kinds))
PYTHON
}

@test "train, predict and evaluate" {
  problem
  run -0 --separate-stderr dltf classify train X.csv --labels X.labels.csv --hidden 20 --epochs 30 -o c.safetensors
  [[ $output == *"classes"*3*"network"*"12-20-3"*"factor on samples"*"loss"*"next"*"dltf classify predict c.safetensors"* ]]
  [[ $stderr == "training for 30 epochs on 120 samples of 3 classes (seed 0, all cores)" ]]
  dltf classify predict c.safetensors T.csv -o found.csv --probabilities p.csv -q
  run -0 dltf classify evaluate c.safetensors T.csv --labels T.labels.csv
  [[ $output == *"samples"*60*"error rate"*"0.00%"*'true\predicted'* ]]
  dltf classify evaluate c.safetensors T.csv --labels T.labels.csv --json >r.json
  [[ $(value 'd["errors"], d["error_rate"], d["classes"], sum(map(sum, d["confusion"]))' <r.json) == "(0, 0.0, [-5, 2, 9], 60)" ]]
  same_file found.csv T.labels.csv
  # Predictions as labels: all right. Against shifted labels: the matrix counts every pair.
  (tail -1 found.csv && head -59 found.csv) >shifted.csv
  dltf classify evaluate c.safetensors T.csv --labels shifted.csv --json >r.json
  "$PYTHON" - <<'PYTHON'
import json
report = json.load(open("r.json"))
read = lambda name: [int(line) for line in open(name)]
wanted, found = read("shifted.csv"), read("found.csv")
for i, a in enumerate(report["classes"]):
    for j, b in enumerate(report["classes"]):
        assert report["confusion"][i][j] == sum(w == a and f == b for w, f in zip(wanted, found))
assert report["errors"] == sum(w != f for w, f in zip(wanted, found)) > 10
assert abs(report["error_rate"] - report["errors"] / 60) < 1e-12
PYTHON
  dltf classify predict c.safetensors T.csv -q # named after the data
  [[ -s T.labels.npy ]]
}

@test "predictions are those of the network in the file" {
  problem
  dltf classify train X.csv --labels X.labels.csv --hidden 9,7 --keep 5 --epochs 3 -o c.safetensors -q
  dltf classify predict c.safetensors T.csv -o found.csv --probabilities p.csv -q
  "$PYTHON" - <<'PYTHON'
import json, math, struct
data = open("c.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
def tensor(name):
    begin, end = header[name]["data_offsets"]
    kind, width = {"F32": ("f", 4), "I64": ("q", 8)}[header[name]["dtype"]]
    return struct.unpack(f"<{(end - begin) // width}{kind}", data[8 + size + begin:8 + size + end])
assert header["__metadata__"]["activations"] == "relu:5 relu:5 linear", header["__metadata__"]
largest = max(float(v) for line in open("X.csv") for v in line.split(","))
assert abs(tensor("scale")[0] * largest - 1) < 1e-6 and tensor("classes") == (-5, 2, 9)
found = [int(line) for line in open("found.csv")]
probabilities = [[float(v) for v in line.split(",")] for line in open("p.csv")]
for line, label, shares in zip(open("T.csv"), found, probabilities):
    y = [tensor("scale")[0] * float(v) for v in line.split(",")]
    for layer in range(3):
        V, b = tensor(f"{layer}.weight"), tensor(f"{layer}.bias")
        y = [sum(V[j * len(y) + i] * y[i] for i in range(len(y))) + b[j] for j in range(len(b))]
        if layer < 2:
            y = [max(v, 0) for v in y]
            cut = sorted(y, reverse=True)[4]
            y = [v if v >= cut else 0 for v in y]
    total = sum(map(math.exp, y))
    assert all(abs(math.exp(v) / total - p) < 1e-4 for v, p in zip(y, shares)), (y, shares)
    assert (-5, 2, 9)[shares.index(max(shares))] == label
PYTHON
}

@test "hidden layers from every origin, then a classifier" {
  problem
  local method
  for method in dltf ae samples gaussian random; do
    dltf pretrain X.csv --hidden 10,6 -k 3,2 --method "$method" -o "$method.safetensors" -q
    [[ $(dltf inspect "$method.safetensors" --json | value '[(l["outputs"], l["activation"]) for l in d["layers"]]') == "[(10, 'relu'), (6, 'relu')]" ]]
    dltf classify train X.csv --labels X.labels.csv --init "$method.safetensors" --epochs 40 -o "$method.c.safetensors" --json -q >r.json
    [[ $(value 'd["sizes"], d["loss"] < .3' <r.json) == "([12, 10, 6, 3], True)" ]]
    [[ $(dltf classify evaluate "$method.c.safetensors" T.csv --labels T.labels.csv --json | value 'd["error_rate"] < .1') == True ]]
  done
  # More epochs from a classifier; k is by default a tenth of the units; layers may keep only k outputs.
  dltf classify train X.csv --labels X.labels.csv --init dltf.c.safetensors --epochs 2 -o more.safetensors -q
  dltf pretrain X.csv --hidden 30 --keep -q
  run -0 dltf inspect X.network.safetensors
  [[ $output == *"12 -> 30, relu, the 3 largest are kept"* ]]
}

@test "the same files for any number of threads" {
  problem
  local threads
  for threads in 1 2 3; do
    dltf pretrain X.csv --hidden 150,20 --threads $threads -o "n$threads.safetensors" -q
    dltf classify train X.csv --labels X.labels.csv --init "n$threads.safetensors" --threads $threads --epochs 3 --dropout 0.3 \
      --adversarial 0.1 --held-out 0.2 --average 0.9 -o "c$threads.safetensors" -q
    dltf classify predict "c$threads.safetensors" T.csv --threads $threads -o "p$threads.npy" --probabilities "q$threads.npy" -q
    for name in n c; do same_file "${name}1.safetensors" "$name$threads.safetensors"; done
    for name in p q; do same_file "${name}1.npy" "$name$threads.npy"; done
  done
}

@test "validation: samples held out, or other files; a history" {
  problem
  dltf classify train X.csv --labels X.labels.csv --hidden 20 --epochs 5 --held-out 0.25 -o a.safetensors --history h.csv -q
  [[ $(head -1 h.csv) == "epoch,rate,loss,error,seconds" && $(wc -l <h.csv) == 6 ]]
  dltf classify train X.csv --labels X.labels.csv --hidden 20 --epochs 5 --validation T.csv --validation-labels T.labels.csv \
    -o b.safetensors --json -q >r.json
  [[ $(value 'len(d["history"]), d["history"][-1]["error"] == d["validation_error"]' <r.json) == "(5, True)" ]]
  error=$(dltf classify evaluate b.safetensors T.csv --labels T.labels.csv --json | value 'd["error_rate"]')
  [[ $error == $(value 'd["validation_error"]' <r.json) ]]
  # Without validation the training is the same.
  dltf classify train X.csv --labels X.labels.csv --hidden 20 --epochs 5 -o c.safetensors --json -q >r.json
  same_file b.safetensors c.safetensors
  [[ $(value '"validation_error" in d, d["history"][0]["error"]' <r.json) == "(False, None)" ]]
}

@test "bad input gets one sentence" {
  problem
  local train=(classify train X.csv --labels X.labels.csv)
  dltf "${train[@]}" --hidden 5 --epochs 1 -o c.safetensors -q
  dltf pretrain X.csv --hidden 5 --method random -o n.safetensors -q
  head -50 X.labels.csv >short.csv
  fails 1 "short.csv: 50 labels, but X.csv has 120 samples" classify train X.csv --labels short.csv
  fails 1 "short.csv: 50 labels, but X.csv has 120 samples" classify evaluate c.safetensors X.csv --labels short.csv
  sed 's/.*/4/' X.labels.csv >one.csv
  fails 1 "one.csv: all labels are 4: a classifier needs at least two classes" classify train X.csv --labels one.csv
  sed '7s/.*/3/' X.labels.csv >other.csv
  fails 1 "other.csv: label 3 of sample 6 .counting from 0. is not one of the 3 classes" classify evaluate c.safetensors X.csv --labels other.csv
  fails 1 "other.csv: label 3 of sample 6 .* is not one of the 3 classes" "${train[@]}" --validation X.csv --validation-labels other.csv
  sed '3s/^[^,]*/nan/' X.csv >nan.csv
  fails 1 "nan.csv: row 2, column 0 is NaN" classify train nan.csv --labels X.labels.csv
  fails 1 "nan.csv: row 2, column 0 is NaN" classify predict c.safetensors nan.csv
  fails 1 "nan.csv: row 2, column 0 is NaN" pretrain nan.csv --hidden 5
  cut -d, -f1-11 X.csv >narrow.csv
  fails 1 "narrow.csv: 11 columns, but the network has 12 inputs" classify predict c.safetensors narrow.csv
  fails 1 "narrow.csv: 11 columns, but the network has 12 inputs" classify evaluate c.safetensors narrow.csv --labels X.labels.csv
  fails 1 "narrow.csv: 11 columns, but the network has 12 inputs" classify train narrow.csv --labels X.labels.csv --init n.safetensors
  fails 1 "narrow.csv: 11 columns, but the network has 12 inputs" "${train[@]}" --validation narrow.csv --validation-labels X.labels.csv
  fails 1 "n.safetensors: is a network without classes; to make a classifier of it, run 'dltf classify train" classify predict n.safetensors X.csv
  fails 2 "X.csv: is a data file; expected a network" classify predict X.csv X.csv
  fails 1 "none.csv: cannot open" classify train X.csv --labels none.csv
  fails 2 "--labels FILE is missing" classify train X.csv
  fails 2 "--labels FILE is missing" classify evaluate c.safetensors X.csv
  fails 2 "--validation DATA and --validation-labels FILE belong together" "${train[@]}" --validation X.csv
  fails 2 "--validation and --held-out exclude each other" "${train[@]}" --validation X.csv --validation-labels X.labels.csv --held-out 0.1
  fails 2 "--hidden cannot be combined with --init" "${train[@]}" --init n.safetensors --hidden 7
  fails 2 "--rate cannot be combined with --resume" "${train[@]}" --resume c.safetensors --rate 1
  fails 1 "c.safetensors: is a network, not a checkpoint of a network" "${train[@]}" --resume c.safetensors -o d.safetensors
  fails 2 "--hidden: 'many' is not a list of whole numbers" "${train[@]}" --hidden many
  fails 2 "--keep: 2 numbers for 3 layers" "${train[@]}" --hidden 5,5,5 --keep 2,2
  fails 2 "layer 0 keeps k = 6 of 5 outputs" "${train[@]}" --hidden 5 --keep 6
  fails 2 "--held-out: a share of 0.001 of 120 samples is less than one" "${train[@]}" --held-out 0.001
  fails 2 "unknown option --loss" "${train[@]}" --loss square
  fails 2 "--k: 6 is outside 1 .. 5" pretrain X.csv --hidden 5 -k 6
  fails 2 "--epochs: applies to method dltf or ae, not to method random" pretrain X.csv --hidden 5 --method random --epochs 3
  fails 1 "X.csv: 120 samples are too few for 121 units" pretrain X.csv --hidden 121 --method samples
  fails 2 "X.csv: would overwrite an input" classify predict c.safetensors X.csv -o X.csv
  fails 1 "training diverged: non-finite loss" "${train[@]}" --rate 1e6 --scale 1000 -o d.safetensors -q
  sed 's/9/8/' X.labels.csv >eight.csv
  fails 1 "c.safetensors: its classes are not the labels of eight.csv" classify train X.csv --labels eight.csv --init c.safetensors
  [[ ! -e d.safetensors && ! -e X.classifier.safetensors ]]
}

@test "sparse data are divided by their root mean square, and a loss at chance earns a remark" {
  dltf synth -n 12 -m 20 -k 3 -N 60 -o toy -q
  dltf train toy/X.npy -m 20 -k 3 --steps 5 --iterations 1 -o m.safetensors -q
  dltf encode m.safetensors toy/X.npy -o codes.npz -q
  for i in {1..60}; do echo $((i % 3)); done >labels.csv
  dltf classify train codes.npz --labels labels.csv --epochs 1 -o c.safetensors --json >r.json 2>remarks
  dltf encode m.safetensors toy/X.npy --dense -o codes.csv -q
  root=$("$PYTHON" -c 'v = [float(x) for line in open("codes.csv") for x in line.split(",")]; print((sum(x * x for x in v) / len(v)) ** -0.5)')
  [[ $(value "abs(d['scale'] / $root - 1) < 1e-5" <r.json) == True ]]
  dltf classify train codes.npz --labels labels.csv --epochs 1 --scale 1e-6 -o c.safetensors >/dev/null 2>remarks
  grep -q "hardly below that of guessing, 1.1: try a larger --scale" remarks
}
