#!/usr/bin/env bats
# Compares the committed results of the experiments with the current program, to detect changes of an experiment or of
# the learner that need new results.
load common

results=$BATS_TEST_DIRNAME/../../experiments/results

# Needs neither a problem nor a model.
setup_file() { :; }

# same_shape PLAN.csv COMMITTED.csv: the same columns, and the same rows except for measurements.
same_shape() {
  "$PYTHON" - "$@" <<'END'
import csv, sys
plan, committed = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
assert plan and set(plan[0]) == set(committed[0]), (set(plan[0]) ^ set(committed[0]), "columns")
columns = list(plan[0])
settings = columns[:columns.index("sd") - 1]  # the first metric comes before its sd
metrics = [c for c in columns if c not in settings + ["sd", "seeds", "paper"]]
assert not any(row[c] for row in plan for c in metrics), "a plan has measurements"
rows = lambda table: [[row[c] for c in settings + ["paper"]] for row in table]
# Fashion-MNIST is a package that may not be installed: skip its rows if the plan has none.
missing = {"fashion-mnist"} - {row.get("data") for row in plan}
planned, kept = rows(plan), rows(row for row in committed if row.get("data") not in missing)
assert planned == kept, [pair for pair in zip(planned, kept) if pair[0] != pair[1]][:3] or (len(planned), len(kept))
END
}

# close_to COMMITTED.csv ROWS.csv: the first metric of every row is within 3 standard deviations of the committed mean.
# The seed is one of those in the mean, so on the machine of the results it is within 1.2. Rounding differs on other
# processors: the minimum tolerance is 2%.
close_to() {
  "$PYTHON" - "$@" <<'END'
import csv, sys
committed, measured = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
columns = list(measured[0])
settings, metric = columns[:columns.index("sd") - 1], columns[columns.index("sd") - 1]
known = {tuple(row[c] for c in settings): row for row in committed}
for row in measured:
    old = known[tuple(row[c] for c in settings)]
    mean, value = float(old[metric]), float(row[metric])
    tolerance = max(3 * float(old["sd"]), 0.02 * mean)
    assert int(old["seeds"]) >= 3 and abs(value - mean) <= tolerance, (row, old[metric], tolerance)
END
}

# --plan only checks that these files exist.
pretend_data() {
  mkdir -p data/mnist data/cifar10
  touch data/cifar10/{data_batch_{1,2,3,4,5},test_batch}.bin
  touch data/{house,barbara,boat,cameraman,peppers}.png data/mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte.gz
}

@test "every experiment has results with its current columns and rows" {
  pretend_data
  local experiment names
  names=$(experiments)
  for experiment in $names; do
    dltf reproduce "$experiment" --plan --data data --csv "$experiment.csv" -q >/dev/null
    same_shape "$experiment.csv" "$results/$experiment.csv"
  done
  [[ $(cd "$results" && ls -1 -- *.csv) == $(printf '%s.csv\n' $names | sort) ]]
}

@test "results with other columns, rows or paper's values are detected" {
  dltf reproduce table1 --plan --csv plan.csv -q >/dev/null
  same_shape plan.csv "$results/table1.csv"
  cut -d, -f1-9 "$results/table1.csv" >columns.csv
  sed '/^ksvd,8,/d' "$results/table1.csv" >rows.csv
  sed 's/^ksvd,8,/ksvd,9,/' "$results/table1.csv" >setting.csv
  sed 's/,1.988,/,1.989,/' "$results/table1.csv" >paper.csv
  local changed
  for changed in columns rows setting paper; do
    run ! cmp -s "$changed.csv" "$results/table1.csv"
    run ! same_shape plan.csv "$changed.csv"
  done
}

# bats test_tags=long
@test "cells of the full protocol reproduce the committed results" {
  dltf reproduce table1 --methods original,random --settings k=4,k=8 --seeds 1 --csv fixed.csv -q >/dev/null
  close_to "$results/table1.csv" fixed.csv
  # Twice as many wrong atoms would not pass.
  awk -F, -v OFS=, 'NR > 1 { $3 *= 2 } 1' fixed.csv >wrong.csv
  run ! close_to "$results/table1.csv" wrong.csv
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || return 0 # learning is too slow under sanitizers
  dltf reproduce table1 --methods dltf,ksvd,dltf-distilled,dltf-2-passes --settings k=4 --seeds 1 --csv learned.csv -q >/dev/null
  close_to "$results/table1.csv" learned.csv
  dltf reproduce encoders --methods dltf-dual --settings codes=signs,assumed_k=8 --seeds 1 --csv signs.csv -q >/dev/null
  close_to "$results/encoders.csv" signs.csv
  dltf reproduce certificates --methods true,feature --settings noise=0.01,k=4 --seeds 1 --csv proofs.csv -q >/dev/null
  close_to "$results/certificates.csv" proofs.csv
}
