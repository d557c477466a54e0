#!/usr/bin/env bats
# dltf synth, score and reproduce: problems with a known answer.
load common

@test "synth writes a problem, the same for the same seed" {
  dltf synth -n 9 -m 12 -k 2 -N 50 --noise 0 --seed 7 -o a -q
  dltf synth -n 9 -m 12 -k 2 -N 50 --noise 0 --seed 7 -o b --json >report.json
  [[ $(ls a | sort | xargs) == "X.npy Xtest.npy codes.npz codes_test.npz dictionary.npy synth.json" ]]
  for file in a/*; do same_file "$file" "b/${file#a/}"; done
  [[ $(value 'd["n"], d["m"], d["k"], d["samples"], d["noise"], d["seed"]' <a/synth.json) == "(9, 12, 2, 50, 0.0, 7)" ]]
  [[ $(value 'd["output"]' <report.json) == b ]]
  run ! cmp -s a/X.npy a/Xtest.npy
  dltf synth -n 9 -m 12 -k 2 -N 50 --noise 0 --seed 8 -o b -q
  run ! cmp -s a/X.npy b/X.npy
}

@test "synth draws codes of other kinds at the same places" {
  for codes in ones signs uniform gaussian; do
    dltf synth -n 9 -m 12 -k 2 -N 50 --codes $codes -o $codes --json -q >$codes.json
    [[ $(value 'd["codes"]' <$codes.json) == "$codes" && $(value 'd["codes"]' <$codes/synth.json) == "$codes" ]]
  done
  "$PYTHON" - <<'END'
import numpy as np, scipy.sparse as sp
Z = {c: sp.load_npz(f"{c}/codes.npz") for c in ("ones", "signs", "uniform", "gaussian")}
assert all((z.indices == Z["ones"].indices).all() for z in Z.values())
assert (Z["ones"].data == 1).all() and set(Z["signs"].data) == {-1, 1}
assert (Z["uniform"].data >= .5).all() and (Z["uniform"].data <= 1.5).all() and Z["gaussian"].data.min() < 0
END
  fails 2 "is not one of ones" synth --codes twos -o x
}

@test "score compares a model with the truth, the true dictionary and a random one" {
  run -0 --separate-stderr dltf score "$model" --truth "$toy"
  [[ ${lines[*]} == *method*ave_dif*exact*model*original*random* && $stderr == *"wrong atoms per sample"* ]]
  dltf score "$model" --truth "$toy" --json >s.json
  [[ $(value '[r["method"] for r in d["rows"]]' <s.json) == "['model', 'original', 'random']" ]]
  [[ $(value '0 <= d["rows"][0]["ave_dif"] < d["rows"][2]["ave_dif"] <= d["k"]' <s.json) == True ]]
  [[ $(value 'd["rows"][1]["exact"] > d["rows"][2]["exact"]' <s.json) == True ]]
  [[ $(value '0 < d["rows"][0]["median_cosine"] <= 1.00001' <s.json) == True ]]
  [[ $(dltf score "$model" --truth "$toy" -k 2 --json | value 'd["k"]') == 2 ]]
  dltf synth -n 9 -m 12 -k 2 -N 50 -o other -q
  fails 1 "16 entries" score "$model" --truth other
}

@test "reproduce table1 has the rows of the paper" {
  methods=original,random
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] || methods=original,random,dltf
  dltf reproduce table1 --quick --methods $methods --seeds 2 --json --csv rows.csv -q >t.json
  [[ $(value 'd["experiment"], d["protocol"]["n"], d["protocol"]["quick"]' <t.json) == "('table1', 64, True)" ]]
  [[ $(value '[(r["k"], r["seeds"]) for r in d["rows"] if r["method"] == "original"]' <t.json) == "[(4, 2), (8, 2)]" ]]
  [[ $(value 'all(set(r) >= {"method", "k", "ave_dif", "sd", "seeds", "exact"} for r in d["rows"])' <t.json) == True ]]
  [[ $(value 'any("paper" in r for r in d["rows"])' <t.json) == False ]]
  [[ $(value 'abs(d["rows"][2]["ave_dif"] - 3.876) < 0.05' <t.json) == True ]]
  [[ $(value 'sorted(d["protocol"]["admm-as-written"].items())[::2]' <t.json) == "[('beta', 0.5), ('iterations', 200), ('theta', 0.01)]" ]]
  [[ $(head -1 rows.csv) == method,k,ave_dif,sd,seeds,paper,exact* ]]
  [[ $(wc -l <rows.csv) == $(value 'len(d["rows"]) + 1' <t.json) ]]
  run -0 --separate-stderr dltf reproduce table1 --quick --methods original --seeds 1 --seed 1
  [[ ${#lines[@]} == 3 && ${lines[0]} == method* && ${lines[0]} != *sd* && ${lines[0]} != *paper* ]]
  dltf reproduce table1 --methods random --seeds 1 --json --csv one.csv -q >one.json
  [[ $(value 'd["rows"][0]["paper"], "sd" in d["rows"][0]' <one.json) == "(3.876, False)" ]]
  [[ $(head -1 one.csv) == method,k,ave_dif,sd,seeds,paper,* && $(sed -n 2p one.csv) =~ ^random,4,[0-9.]+,,1,3.876, ]]
  fails 2 "unknown experiment 'table9'; expected one of: table1" reproduce table9
  fails 2 "has no method 'nope'; expected one of: original, random" reproduce table1 --methods dltf,nope
}

@test "reproduce chooses settings, and plans without measuring" {
  # rows ARGUMENTS...: the rows of a plan as CSV, without the columns of measurements.
  rows() { dltf reproduce "$@" --plan --csv plan.csv -q >/dev/null && cut -d, -f1-"$columns" plan.csv | xargs; }
  columns=2
  [[ $(rows table1 --methods original,dltf --settings k=4,k=12) == "method,k original,4 original,12 dltf,4 dltf,12" ]]
  [[ $(rows table1 --methods dltf --quick) == "method,k dltf,4 dltf,8" ]]
  columns=5
  [[ $(rows figure1 --methods ksvd --settings panel=c,value=48) == "method,panel,k,parameter,value ksvd,c,8,n,48" ]]
  columns=3
  [[ $(rows certificates --methods true --settings noise=0.03,k=8) == "method,noise,k true,0.03,8" ]]
  [[ $(dltf reproduce table1 --plan --settings k=4 --json -q | value '[r for r in d["rows"] if r["method"] == "ksvd"]') == "[{'method': 'ksvd', 'k': 4, 'seeds': 3, 'paper': 0.724}]" ]]
  dltf reproduce table1 --methods original --settings k=6 --seeds 1 --json -q >t.json
  [[ $(value '[(r["method"], r["k"], r["ave_dif"] > 0) for r in d["rows"]]' <t.json) == "[('original', 6, True)]" ]]
  fails 2 "table1 has no setting 'k=5'; --plan lists them" reproduce table1 --settings k=4,k=5
  fails 2 "table1 has no setting 'n=64'" reproduce table1 --settings n=64
  fails 2 "table1 has no setting 'k'" reproduce table1 --settings k
  fails 2 "table1 has no setting 'k=6'" reproduce table1 --quick --settings k=6
  fails 2 "table2 has no row with this method and setting; --plan lists them" reproduce table2 --dataset fashion --settings k=5
  fails 2 "table1 has no data sets: omit --dataset" reproduce table1 --dataset mnist
  fails 2 "learners has no data set 'usps'; expected one of: fashion-mnist, mnist, cifar10-gist, patches-8x8, patches-12x12, synthetic" \
    reproduce learners --dataset synthetic,usps
  dltf reproduce learners --dataset syn --plan --csv plan.csv -q >/dev/null
  [[ $(cut -d, -f2 plan.csv | sort -u) == $'data\nsynthetic' ]]
  fails 2 "figure1 has no setting 'panel=c,k=4'" reproduce figure1 --settings panel=c,k=4
  fails 2 "omit --figures" reproduce figure1 --plan --figures .
}

@test "reproduce keeps finished runs and does not repeat them" {
  local request=(reproduce table1 --quick --methods original,random --settings k=4 --seeds 2 -q --keep runs)
  dltf "${request[@]}" --csv a.csv >/dev/null
  [[ $(wc -l <runs/cells.jsonl) == 4 ]]
  # Other seeds, methods and settings are added.
  dltf "${request[@]}" --seeds 3 --csv more.csv >/dev/null
  [[ $(wc -l <runs/cells.jsonl) == 6 ]]
  # Values are taken from the file, if version and protocol are the same and the line is complete.
  sed -i 's/"ave_dif":[0-9.]*/"ave_dif":7/' runs/cells.jsonl
  dltf "${request[@]}" --json >b.json
  [[ $(value '[(r["ave_dif"], r["sd"]) for r in d["rows"]]' <b.json) == "[(7.0, 0.0), (7.0, 0.0)]" ]]
  sed -i -e '1s/"version":"[^"]*"/"version":"0.0.1"/' -e '2s/"protocol":"./"protocol":"x/' -e '3,$s/"seed":[01]/"seed":8/' runs/cells.jsonl
  truncate -s -20 runs/cells.jsonl
  dltf "${request[@]}" --csv b.csv >/dev/null
  same_file <(cut -d, -f1-6 a.csv) <(cut -d, -f1-6 b.csv)
  [[ $(wc -l <runs/cells.jsonl) == 10 ]]
  touch file
  fails 1 "file: is a file; expected a folder" reproduce table1 --keep file
  fails 2 "--try needs --validation: constants are not chosen on test data" reproduce table1 --try rate=1
  fails 2 "table1 has no validation data: omit --validation" reproduce table1 --validation
}

@test "reproduce measures several runs at a time, with the same result" {
  local request=(reproduce table1 --quick --methods original,random --settings k=4 --seeds 3 -q)
  dltf "${request[@]}" --csv one.csv >/dev/null
  dltf "${request[@]}" --csv three.csv --jobs 3 --keep runs >/dev/null
  same_file <(cut -d, -f1-9 one.csv) <(cut -d, -f1-9 three.csv)
  [[ $(wc -l <runs/cells.jsonl) == 6 ]]
  # A run that fails says why.
  mkdir -p data/mnist
  touch data/mnist/{train,t10k}-images-idx3-ubyte.gz data/mnist/t10k-labels-idx1-ubyte.gz
  local broken=(reproduce table2 --data data --dataset mnist --methods dltf-tf --settings k=5 -q)
  fails 1 "train-images-idx3-ubyte.gz: " "${broken[@]}"
  local message=$stderr
  fails 1 "train-images-idx3-ubyte.gz: " "${broken[@]}" --jobs 2
  [[ $stderr == "$message" ]]
}

@test "reproduce certificates proves true supports and no wrong ones" {
  dltf reproduce certificates --quick --seeds 1 --json -q >c.json
  [[ $(value '[r["wrong_proofs"] for r in d["rows"] if r["method"] != "true"] == [0] * 12' <c.json) == True ]]
  [[ $(value 'min(r["proven"] for r in d["rows"] if r["method"] == "true" and r["noise"] < .02) > .9' <c.json) == True ]]
  [[ $(value 'max(r["proven"] for r in d["rows"] if r["method"] == "true" and r["noise"] > .05) < .05' <c.json) == True ]]
  [[ $(value 'len(d["rows"]), d["protocol"]["quantile"]' <c.json) == "(18, 0.99)" ]]
}

# bats test_tags=long
@test "reproduce table1 and encoders: untied encoders find more than the true dictionary" {
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] && skip "too slow under sanitizers"
  dltf reproduce table1 --quick --seeds 1 --methods original,dltf-dual,dltf-distilled-positive,dltf-2-passes --json -q >t.json
  [[ $(value '[r["method"] for r in d["rows"]][::2]' <t.json) == "['original', 'dltf-dual', 'dltf-distilled-positive', 'dltf-2-passes']" ]]
  [[ $(value 'all(r["ave_dif"] < o["ave_dif"] for r in d["rows"][2:] for o in d["rows"][:2] if o["k"] == r["k"])' <t.json) == True ]]
  dltf reproduce encoders --quick --seeds 1 --methods original,dltf-distilled --json -q >e.json
  [[ $(value '[r["codes"] for r in d["rows"]]' <e.json) == "['ones', 'signs', 'uniform', 'gaussian', 'ones', 'signs', 'uniform', 'gaussian']" ]]
  [[ $(value 'all(r["missing"] == r["wrong"] == r["ave_dif"] and r["assumed_k"] == r["k"] for r in d["rows"])' <e.json) == True ]]
}

# bats test_tags=long
@test "reproduce images skips missing data sets" {
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] && skip "too slow under sanitizers"
  unset DLTF_DATA
  mkdir -p data/mnist
  run -0 --separate-stderr dltf reproduce images --quick --seeds 1 --methods tight --settings k=10 --data data --json
  [[ $stderr == *"MNIST is skipped: --data"* && $output == *'"experiment": "images"'* ]]
  # 40 images of 4 x 4, as both sets of MNIST
  "$PYTHON" - <<'END'
import gzip, random
random.seed(1)
for name in "train", "t10k":
    with gzip.open(f"data/mnist/{name}-images-idx3-ubyte.gz", "wb") as f:
        f.write(bytes([0, 0, 8, 3, 0, 0, 0, 120, 0, 0, 0, 4, 0, 0, 0, 4]) + random.randbytes(120 * 16))
END
  dltf reproduce images --quick --seeds 1 --methods dual --data data --json -q >i.json
  [[ $(value '[(r["k"], 0 <= r["relative_error"] < 1) for r in d["rows"] if r["data"] == "mnist"]' <i.json) == "[(10, True), (30, True)]" ]]
  DLTF_DATA=data dltf reproduce images --quick --seeds 1 --methods dual --plan --json -q >again.json
  [[ $(value 'len(d["rows"])' <again.json) == $(value 'len(d["rows"])' <i.json) ]]
}

@test "reproduce figure1 has six panels, as rows and as a picture" {
  dltf reproduce figure1 --quick --methods original --seeds 1 --json --csv rows.csv --figures . -q >f.json
  [[ $(value '"".join(sorted({r["panel"] for r in d["rows"]}))' <f.json) == abcdef ]]
  [[ $(value '[r["value"] for r in d["rows"] if r["panel"] == "c"]' <f.json) == "[32.0, 64.0, 108.0]" ]]
  [[ $(value 'len({r["ave_dif"] for r in d["rows"] if r["panel"] in "ab" and r["k"] == 6})' <f.json) == 1 ]]
  [[ $(wc -l <rows.csv) == $(value 'len(d["rows"]) + 1' <f.json) ]]
  "$PYTHON" - <<'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("figure1.svg").getroot()
names = [e.tag.split("}")[1] for e in root.iter()]
assert names[0] == "svg" and names.count("polyline") == 8 and names.count("circle") == 24, names
PYTHON
  fails 2 "encoders has no figure" reproduce encoders --figures .
}

# bats test_tags=long
@test "table1 and timing have figures, too" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  dltf reproduce table1 --quick --methods original,dltf-dual --seeds 1 --figures . -q >/dev/null
  dltf reproduce timing --quick --methods original --seeds 1 --threads 1 --figures . -q >/dev/null
  "$PYTHON" - <<'PYTHON'
import xml.etree.ElementTree as tree
count = lambda path, tag: sum(e.tag.endswith("}" + tag) for e in tree.parse(path).iter())
texts = lambda path: [e.text for e in tree.parse(path).iter() if e.tag.endswith("}text")]
assert count("table1.svg", "polyline") == 3 and count("table1.svg", "circle") == 6
assert {"original", "dltf-dual"} <= set(texts("table1.svg"))
assert count("timing.svg", "rect") == 3  # the page and two bars
assert "OMP, original" in texts("timing.svg")
PYTHON
}

@test "reproduce timing compares two coders" {
  dltf reproduce timing --quick --methods original --seeds 1 --threads 1 --json -q >t.json
  [[ $(value 'all(r[key] > 0 for r in d["rows"] for key in ("threshold_ms", "omp_ms", "coherence"))' <t.json) == True ]]
  [[ $(value 'abs(d["rows"][0]["ratio"] - d["rows"][0]["omp_ms"] / d["rows"][0]["threshold_ms"]) < 1e-6' <t.json) == True ]]
}

# bats test_tags=long
@test "reproduce learners compares learners by held-out errors, and says which data are missing" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  run -0 --separate-stderr env -u DLTF_DATA "$DLTF" reproduce learners --quick --seeds 1 --settings data=synthetic,m=32 --csv rows.csv --json
  [[ $stderr == *"Left out: "*"mnist, cifar10-gist, patches-8x8, patches-12x12. "*"--data (or DLTF_DATA)"* ]]
  "$PYTHON" - "$output" <<'TEXT'
import json, sys
result = json.loads(sys.argv[1])
rows = {(row["method"], row["k"]): row for row in result["rows"]}
assert set(rows) == {(method, k) for method in ("dltf", "learned", "ksvd") for k in (2, 8)}, rows
for row in rows.values():
    # Least squares lowers the error on a support.
    assert row["n"] == 64 and 0 < row["refit_error"] <= row["raw_error"] and 0 < row["omp_error"] < 1, row
    assert 0 <= row["unused"] < 1 and row["cpu_seconds"] > 0, row
assert rows["learned", 8]["raw_error"] < rows["learned", 2]["raw_error"] < 0.85, rows
assert rows["learned", 8]["raw_error"] < rows["ksvd", 8]["raw_error"], rows
assert result["protocol"]["held_out_samples"] == 500 and "patches" in result["notice"], result
TEXT
  # What would take too long is not in the plan.
  [[ $(dltf reproduce learners --plan --settings data=fashion-mnist,data=synthetic --json -q |
    value 'sorted({r["method"] for r in d["rows"] if r["m"] == 8 * r["n"] and r["n"] == 784}) in ([], ["learned"])') == True ]]
}
