#!/usr/bin/env bats
# dltf hash train, encode and evaluate, as a user types them.
load common

# X.npy and Q.npy: 300 and 40 samples of 16 entries in 4 groups, with labels y.csv and yq.csv.
setup_file() {
  export data=$BATS_FILE_TMPDIR/data
  mkdir "$data"
  cd "$data" || return
  "$PYTHON" - <<'PYTHON'
import random
random.seed(7)
centers = [[random.gauss(0, 2) for _ in range(16)] for _ in range(4)]
for name, labels, count in (("X.csv", "y.csv", 300), ("Q.csv", "yq.csv", 40)):
    rows = [[c + random.gauss(0, 1) for c in centers[i % 4]] for i in range(count)]
    open(name, "w").write("".join(",".join(map(repr, row)) + "\n" for row in rows))
    open(labels, "w").write("".join(f"{i % 4}\n" for i in range(count)))
PYTHON
}

methods() { dltf help hash train | tr -s ' \n' ' ' | sed -n 's/.*--method METHOD \(.*\) -m, --bits.*/\1/p' | grep -o '([a-z]*)' | tr -d '()'; }

@test "every method: train, encode, evaluate, inspect" {
  local method names
  names=$(methods)
  [[ $(wc -w <<<"$names") -ge 7 && $names == *lsh*neighbour* ]]
  for method in $names; do
    run -0 dltf hash train "$data/X.csv" --method "$method" -m 16 -o h.safetensors
    [[ $output == *"method"*"$method"*"next"*"dltf hash encode h.safetensors"* ]]
    dltf hash encode h.safetensors "$data/X.csv" -o x.npy -q
    dltf hash encode h.safetensors "$data/Q.csv" -o q.npy -q
    dltf hash evaluate x.npy q.npy --labels "$data/y.csv" --query-labels "$data/yq.csv" --json >r.json
    [[ $(value '.35 < d["map"] <= 1 and d["depth"] == 300 and d["k"] == 100 and d["queries"] == 40 and d["bits"] == 16' <r.json) == True ]]
    [[ $(dltf inspect h.safetensors --json | value '(d["method"], d["bits"], d["n"], d["notes"]["option.seed"])') == "('$method', 16, 16, '0')" ]]
  done
}

@test "NumPy unpacks the bits, and agrees on mAP, precision and recall" {
  dltf hash train "$data/X.csv" --method lsh -m 24 -o h.safetensors -q
  dltf hash encode h.safetensors "$data/X.csv" -o x.npy --json >e.json
  [[ $(value '(d["bitorder"], d["samples"], d["bits"])' <e.json) == "('little', 300, 24)" ]]
  dltf hash encode h.safetensors "$data/Q.csv" -o q.npy -q
  dltf hash evaluate x.npy q.npy --data "$data/X.csv" --query-data "$data/Q.csv" --nearest 20 -k 30 --json >n.json
  dltf hash evaluate x.npy q.npy --data "$data/X.csv" --query-data "$data/Q.csv" --radius 20 --json >r.json
  "$PYTHON" - <<PYTHON
import json, struct
import numpy as np
size, = struct.unpack("<Q", open("h.safetensors", "rb").read(8))
raw = open("h.safetensors", "rb").read()
header = json.loads(raw[8:8 + size])
def tensor(name):
    t = header[name]
    return np.frombuffer(raw[8 + size:][slice(*t["data_offsets"])], "<f4").reshape(t["shape"]).astype(float)
X, Q = (np.loadtxt(f"$data/{n}.csv", delimiter=",") for n in "XQ")
bits = {}
for name, data in (("x", X), ("q", Q)):
    scores = (data - tensor("mean")) @ tensor("encoder").T
    bits[name] = np.unpackbits(np.load(name + ".npy"), axis=1, bitorder="little")
    sure = abs(scores) > 1e-4
    assert bits[name].shape == (len(data), 24) and (bits[name] == (scores > 0))[sure].all() and sure.mean() > .99
hamming = (bits["q"][:, None] != bits["x"][None]).sum(2)
distance = np.sqrt(((Q[:, None] - X[None]) ** 2).sum(2))
def measures(relevant, k, orders=400, random=np.random.default_rng(1)):
    result = []
    for _ in range(orders):  # random orders of ties
        for h, r in zip(hamming, relevant):
            if r.any():
                ranked = r[np.lexsort((random.random(300), h))]
                precision = np.cumsum(ranked) / np.arange(1, 301)
                result.append(((precision * ranked).sum() / r.sum(), ranked[:k].mean(), ranked[:k].sum() / r.sum()))
    return np.mean(result, axis=0)
nearest = distance <= np.sort(distance, axis=1)[:, 19:20]
radius = np.sort(distance, axis=1)[:, 19].mean()
for path, relevant, k in (("n.json", nearest, 30), ("r.json", distance <= radius, 100)):
    d = json.load(open(path))
    assert np.allclose((d["map"], d["precision"], d["recall"]), measures(relevant, k), atol=2e-3), (d, measures(relevant, k))
    assert d["queries"] == relevant.any(1).sum() and abs(d["relevant_per_query"] * d["queries"] - relevant.sum()) < 1e-6
assert abs(json.load(open("r.json"))["radius"] - radius) < 1e-9
PYTHON
}

@test "the report names depth, ties, distance and relevance" {
  dltf hash train "$data/X.csv" --method sph -m 16 -o h.safetensors -q
  dltf hash encode h.safetensors "$data/X.csv" -o x.npy -q
  run -0 dltf hash evaluate x.npy x.npy --labels "$data/y.csv" --query-labels "$data/y.csv" --distance spherical --depth 50
  [[ $output == *"distance"*"spherical"*"ties"*"expected value over random orders"*"mAP"*"(depth 50, ties by expectation)"*"precision"*"(first 100, ties by expectation)"* ]]
  run -0 dltf hash evaluate x.npy x.npy --data "$data/X.csv" --query-data "$data/X.csv"
  [[ $output == *"the 100 nearest samples"*"(depth 300, the whole database, ties by expectation)"* ]]
}

@test "the same files for any number of threads" {
  local threads
  for threads in 1 2 3; do
    dltf hash train "$data/X.csv" --method neighbour -m 16 --iterations 20 --threads $threads -o $threads.safetensors -q
    dltf hash encode $threads.safetensors "$data/X.csv" --threads $threads -o $threads.npy -q
    same_file 1.safetensors $threads.safetensors
    same_file 1.npy $threads.npy
  done
}

@test "a pipe, raw rows and a file give the same bytes" {
  dltf hash train "$data/X.csv" --method sparseh -m 16 -o h.safetensors -q
  "$PYTHON" - "$data/X.csv" <<'PYTHON'
import sys
import numpy as np
rows = np.loadtxt(sys.argv[1], delimiter=",").astype("<f4")
np.save("rows.npy", rows)
rows.tofile("rows.f32")
PYTHON
  dltf hash encode h.safetensors rows.npy -o whole.npy -q
  cat rows.npy | dltf hash encode h.safetensors - -q
  same_file stdin.hash.npy whole.npy
  cat rows.f32 | dltf hash encode h.safetensors - --raw -o a.npy -q
  same_file a.npy whole.npy
  dltf hash encode h.safetensors rows.f32 --raw -o b.npy --json >b.json
  same_file b.npy whole.npy
  [[ $(value 'd["samples"]' <b.json) == 300 ]]
  dltf hash encode h.safetensors rows.npy -o - 2>report >c.npy
  same_file c.npy whole.npy
  grep -q "codes  *standard output" report
  cat rows.f32 | dltf hash encode h.safetensors - --raw -o - -q | cat >bytes
  same_file bytes <(tail -c 600 whole.npy)
  head -c 1000 rows.f32 >cut.f32
  fails 1 "cut.f32: truncated: row 15" hash encode h.safetensors cut.f32 --raw -o d.npy
  [[ ! -e d.npy ]]
}

@test "memory use does not depend on the number of samples" {
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] && skip "sanitizers use additional memory"
  dltf hash train "$data/X.csv" --method lsh -m 64 -o h.safetensors -q
  cat >peak.py <<'PYTHON'
import resource, subprocess, sys
child = subprocess.Popen([sys.argv[1], "hash", "encode", "h.safetensors", "-", "--raw", "-o", "big.npy", "-q"], stdin=subprocess.PIPE)
piece = b"\0\0\200?\0\0\0@" * 8 * 16384  # rows of 16 floats
for i in range(150):
    child.stdin.write(piece)
child.stdin.close()
assert child.wait() == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
  peak=$("$PYTHON" peak.py "$DLTF") # 157 MB of rows
  echo "peak: $peak KB"
  ((peak < 100000))
  [[ $("$PYTHON" -c 'import numpy; print(numpy.load("big.npy").shape)') == "(2457600, 8)" ]]
}

@test "default names" {
  dltf hash train "$data/X.csv" --method itq -m 8 -q
  dltf hash encode X.hasher.safetensors "$data/X.csv" -q
  [[ $(ls) == $'X.hash.npy\nX.hasher.safetensors' ]]
}

@test "bad options: one sentence" {
  fails 2 "-m M is missing: give the number of bits" hash train "$data/X.csv"
  fails 2 "--bits: 12 is not a multiple of 8" hash train "$data/X.csv" -m 12
  fails 2 "--bits: 5000 is outside 8 .. 4096" hash train "$data/X.csv" -m 5000
  fails 2 "--method: " hash train "$data/X.csv" -m 16 --method iqt
  fails 2 "--iterations" hash train "$data/X.csv" -m 16 --method lsh --iterations 3
  fails 2 "--bits: 24 is more than itq can make of 300 samples with 16 columns: at most 16" hash train "$data/X.csv" -m 24 --method itq
  fails 2 "-k: 20 is more than the 16 bits" hash train "$data/X.csv" -m 16 --method dltf -k 20
}

@test "bad files: one sentence" {
  dltf hash train "$data/X.csv" --method lsh -m 16 -o h.safetensors -q
  dltf hash encode h.safetensors "$data/X.csv" -o x.npy -q
  dltf hash encode h.safetensors "$data/Q.csv" -o q.npy -q
  dltf hash train "$data/X.csv" --method lsh -m 8 -o h8.safetensors -q
  dltf hash encode h8.safetensors "$data/Q.csv" -o q8.npy -q
  cut -d, -f1-5 "$data/X.csv" >narrow.csv
  sed '3s/^[^,]*/nan/' "$data/X.csv" >nan.csv
  head -7 "$data/y.csv" >few.csv
  fails 1 "narrow.csv: 5 columns, but the hasher expects 16" hash encode h.safetensors narrow.csv
  fails 1 "nan.csv: row 2, column 0 is NaN" hash encode h.safetensors nan.csv
  fails 1 "nan.csv: row 2, column 0 is NaN" hash train nan.csv -m 16
  fails 1 "few.csv: 7 labels, but x.npy has 300 codes" hash evaluate x.npy q.npy --labels few.csv --query-labels "$data/yq.csv"
  fails 1 "q8.npy: codes of 8 bits, but the database has 16" hash evaluate x.npy q8.npy --labels "$data/y.csv" --query-labels "$data/yq.csv"
  fails 1 "X.csv: binary codes must be bytes" hash evaluate "$data/X.csv" q.npy --labels "$data/y.csv" --query-labels "$data/yq.csv"
  fails 2 "-k: 301 is more than the 300 codes of the database" hash evaluate x.npy q.npy -k 301 --labels "$data/y.csv" --query-labels "$data/yq.csv"
  fails 2 "400 neighbours are out of range: the database has 300 samples" hash evaluate x.npy q.npy --data "$data/X.csv" --query-data "$data/Q.csv" --nearest 400
  fails 2 "either --labels and --query-labels or --data and --query-data" hash evaluate x.npy q.npy
  fails 2 "--query-labels is missing" hash evaluate x.npy q.npy --labels "$data/y.csv"
  fails 2 "--nearest and --radius exclude each other" hash evaluate x.npy q.npy --data "$data/X.csv" --query-data "$data/Q.csv" --nearest 3 --radius 4
  fails 2 "is a hasher: --atoms needs a model" inspect h.safetensors --atoms a.png
  dltf synth -n 16 -m 24 -k 3 -N 100 -o toy -q
  dltf train toy/X.npy -m 24 -k 3 --steps 3 --iterations 0 -o m.safetensors -q
  fails 1 "m.safetensors: is a finished model, not a hasher; to start training from it" hash encode m.safetensors "$data/X.csv"
  fails 1 "h.safetensors: is a hasher, not a model; to make binary codes, run 'dltf hash encode FILE DATA'" encode h.safetensors "$data/X.csv"
}

# bats test_tags=long
@test "table5 without CIFAR-10: generated samples, said so; the same rows for any number of threads" {
  local threads
  for threads in 1 2; do
    run -0 --separate-stderr env -u DLTF_DATA "$DLTF" reproduce table5 --quick --seeds 1 --methods lsh,sph,sph-shd,itq --settings bits=64 \
      --threads "$threads" --json
    [[ $stderr == *"CIFAR-10 not found"*"--data"* ]]
    printf '%s\n' "$output" >"$threads.json"
  done
  "$PYTHON" - <<'PYTHON'
import json
one, two = (json.load(open(f"{threads}.json"))["rows"] for threads in (1, 2))
assert [row["map"] for row in one] == [row["map"] for row in two]
assert [row["protocol"] for row in one] == 4 * ["nn1000", "rad50", "class"]
rows = {(row["method"], row["protocol"]): row for row in one}
for protocol in ("nn1000", "rad50"):
    lsh, sph, shd, itq = (rows[method, protocol]["map"] for method in ("lsh", "sph", "sph-shd", "itq"))
    assert 0 < lsh < min(sph, itq) and sph < shd < 1, (protocol, lsh, sph, shd, itq)
# Both distances rank the same codes.
assert rows["sph", "class"]["train_seconds"] == rows["sph-shd", "class"]["train_seconds"] > 0
PYTHON
}
