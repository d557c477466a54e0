#!/usr/bin/env bats
# dltf reproduce table6: networks from different starts, on synthetic samples.
load common

# Needs neither a problem nor a model; MNIST is to be missing.
setup_file() { unset DLTF_DATA; }

# bats test_tags=long
@test "rows with their keys, differences to the random start" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  dltf reproduce table6 --quick --seeds 2 --settings labels=1800 --json -q >t.json
  "$PYTHON" - <<'PYTHON'
import json
report = json.load(open("t.json"))
rows = report["rows"]
keys = {"model", "pretraining", "recipe", "labels", "epochs", "error", "sd", "seconds", "pretraining_seconds", "data"}
cells = {(r["model"], r["recipe"], r["pretraining"]): r for r in rows}
starts = {1: ["random", "ae", "dltf", "samples", "gaussian"], 2: ["random", "ae", "dltf"]}
assert set(cells) == {(m, r, p) for m in starts for r in ("plain", "adversarial") for p in starts[m]} | {(1, "adversarial", "dltf-max-k")}
for (model, recipe, start), row in cells.items():
    assert keys <= set(row) and row["data"] == "synthetic" and row["labels"] == 1800 and 0 < row["error"] < 80, row
    other = cells[model, recipe, "random"]
    if start == "random":
        assert "difference" not in row
    else:
        assert abs(row["difference"] - (row["error"] - other["error"])) < 1e-9 and row["difference_se"] >= 0, row
assert cells[1, "plain", "dltf"]["error"] < cells[1, "plain", "random"]["error"]
assert "replaced by synthetic samples" in report["notice"] and "validation" not in report["protocol"]
assert len(report["protocol"]["recipes"]) == 4 and report["protocol"]["scaling"]["ae"] == "rms"
PYTHON
}

# bats test_tags=long
@test "hidden layers are made once for all recipes, and runs are kept" {
  local request=(reproduce table6 --quick --seeds 1 --methods random,dltf,ae --settings model=1,labels=200 -q)
  dltf "${request[@]}" --csv a.csv >/dev/null
  dltf "${request[@]}" --csv b.csv --keep runs --jobs 2 >/dev/null
  same_file <(cut -d, -f1-13 a.csv) <(cut -d, -f1-13 b.csv)
  [[ $(find runs -name 'table6-*' ! -name '*.csv' | wc -l) == 2 && $(wc -l <runs/cells.jsonl) == 12 ]]
  rm runs/cells.jsonl
  dltf "${request[@]}" --csv c.csv --keep runs >/dev/null
  same_file <(cut -d, -f1-13 a.csv) <(cut -d, -f1-13 c.csv)
  # The time of pre-training is that of the run that did it.
  local method
  for method in dltf ae; do [[ $(grep "^$method," c.csv | cut -d, -f15 | sort -u | wc -l) == 1 ]]; done
}

@test "constants are tried on validation data" {
  local request=(reproduce table6 --quick --seeds 1 --methods random,ae --settings model=1,recipe=plain,labels=1800 -q)
  dltf "${request[@]}" --json >test.json
  dltf "${request[@]}" --validation --json >validation.json
  dltf "${request[@]}" --validation --try dropout=0.1,scaling=standard,pretrain-epochs=2 --json >tried.json
  [[ $(value 'd["protocol"]["validation"], d["protocol"]["try"]' <tried.json) == "(True, 'dropout=0.1,scaling=standard,pretrain-epochs=2')" ]]
  errors=$(for name in test validation tried; do value '[r["error"] for r in d["rows"]]' <$name.json; done | sort -u | wc -l)
  ((errors == 3))
  fails 2 "unknown option 'speed'" reproduce table6 --validation --try speed=2
  fails 2 "--dropout: 2 is outside" reproduce table6 --validation --try dropout=2
  fails 2 "--rate: '' is not a number" reproduce table6 --validation --try rate
}

@test "without MNIST there is nothing to measure" {
  run -0 --separate-stderr dltf reproduce table6
  [[ -z $output && $stderr == *"mnist is skipped: get it with 'scripts/fetch-data mnist DIR', then add --data DIR."* ]]
}
