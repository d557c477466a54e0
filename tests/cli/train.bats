#!/usr/bin/env bats
# dltf train: defaults, reports, history, warm start, and the same bytes for the same seed.
load common

@test "train names its output after the data and shows the chosen sizes" {
  cp "$toy/X.npy" my.data.npy
  run -0 --separate-stderr dltf train my.data.npy "${FAST[@]}"
  [[ -s my.data.model.safetensors ]]
  [[ $stderr =~ m\ =\ [0-9]+.*n\ =\ 16.*k\ =\ [0-9]+.*N\ =\ $SAMPLES\ .*seed\ 0 ]]
  [[ $output == *outcome*coherence*"frame potential"*seconds*my.data.model.safetensors*"dltf encode my.data.model"* ]]
}

@test "default names drop the extensions of data files" {
  printf '\0\0\10\2\0\0\0\4\0\0\0\2abcdefgh' >some-images-idx2-ubyte
  gzip -k some-images-idx2-ubyte
  dltf train some-images-idx2-ubyte -m 2 -k 1 --steps 2 --iterations 1 -q
  mv some-images.model.safetensors plain.safetensors
  dltf train some-images-idx2-ubyte.gz -m 2 -k 1 --steps 2 --iterations 1 -q
  same_file some-images.model.safetensors plain.safetensors
  printf '1,2\n3,4\n5,7\n' >numbers.csv
  dltf encode plain.safetensors numbers.csv -q
  dltf encode plain.safetensors numbers.csv --dense -q
  dltf decode plain.safetensors numbers.codes.npz -q
  [[ -s numbers.codes.npz && -s numbers.codes.npy && -s numbers.decoded.npy ]]
  mkdir archive
  "$PYTHON" -m zipfile -c archive/some.data.npz "$toy/X.npy" "$toy/Xtest.npy"
  dltf encode "$model" archive/some.data.npz:Xtest -q
  [[ -s some.data-Xtest.codes.npz ]]
}

@test "singular and plural" {
  echo 2 >one.csv
  run -0 --separate-stderr dltf train one.csv -m 1 -k 1 --steps 2 --iterations 1 --threads 1
  [[ $stderr == *"m = 1 atom of n = 1 entry, k = 1, from N = 1 sample (seed 0, 1 thread)"* ]]
  run -0 dltf synth -n 1 -m 1 -k 1 -N 1 -o out
  [[ $output == *"1 atom of 1 entry: dictionary.npy"*"each 1 atom plus noise"* ]]
}

@test "quiet prints nothing" {
  run -0 --separate-stderr dltf train "$toy/X.npy" "${FAST[@]}" -q
  [[ -z $output && -z $stderr && -s X.model.safetensors ]]
}

@test "JSON holds outcome, options and history; the CSV has the same iterations" {
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --theta 0.01 --json --history h.csv -q >report.json
  [[ $(value 'd["m"], d["k"], d["n"]' <report.json) == "(24, 3, 16)" ]]
  [[ $(value 'd["options"]["theta"]' <report.json) == 0.01 ]]
  [[ $(value 'len(d["history"]) == d["iterations"]' <report.json) == True ]]
  [[ $(value 'd["outcome"]' <report.json) =~ ^(converged|all\ iterations\ done)$ ]]
  [[ $(value 'd["frame_potential"] >= d["frame_potential_bound"] * 0.9999' <report.json) == True ]]
  [[ $(wc -l <h.csv) == $(value 'd["iterations"] + 1' <report.json) ]]
  [[ $(head -1 h.csv) == stage,index,theta,objective,* ]]
}

@test "same seed, same bytes, for one and two threads; another seed differs" {
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --threads 1 -o one.safetensors -q
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --threads 2 -o two.safetensors -q
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --seed 1 -o other.safetensors -q
  same_file one.safetensors two.safetensors
  same_file one.safetensors "$model"
  run ! cmp -s one.safetensors other.safetensors
}

@test "a model file is a starting point" {
  dltf train "$toy/X.npy" -k 3 --init "$model" --steps 0 --iterations 2 -o warm.safetensors -q
  [[ $(dltf inspect warm.safetensors --json | value 'd["m"]') == 24 ]]
  dltf train "$toy/X.npy" -m 24 -k 3 --init gaussian "${FAST[@]}" -o gaussian.safetensors -q
  run ! cmp -s gaussian.safetensors "$model"
}

@test "an existing model is replaced, nothing is left beside it" {
  echo old >out.safetensors
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" -o out.safetensors -q
  same_file out.safetensors "$model"
  [[ $(ls) == out.safetensors ]]
}

@test "the ADMM phase runs" {
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --admm 3 --json -o admm.safetensors -q >report.json
  [[ $(value '[r["stage"] for r in d["history"]].count("admm")' <report.json) == 3 ]]
}

@test "encoders: the best of two by default, others by name; the same file on any number of threads" {
  steps=(-m 24 -k 3 --steps 40 --batch 200)
  for kind in tied tight dual distilled best; do
    dltf train "$toy/X.npy" "${steps[@]}" --encoder $kind --threads 1 -o $kind.safetensors -q
    dltf train "$toy/X.npy" "${steps[@]}" --encoder $kind --threads 2 -o two.safetensors --json >$kind.json
    same_file $kind.safetensors two.safetensors
    [[ $(value 'd["options"]["encoder"]' <$kind.json) == "$kind" ]]
    dltf encode $kind.safetensors "$toy/Xtest.npy" --refit -o $kind.npz -q
  done
  [[ $(value '[r["stage"] for r in d["history"]].count("encoder")' <dual.json) == 1 ]]
  [[ $(value '[r["stage"] for r in d["history"]].count("polish")' <dual.json) == 5 ]]
  [[ $(value '{"tied", "encoder"} & {r["stage"] for r in d["history"]}' <tied.json) == "{'tied'}" ]]
  [[ $(dltf inspect distilled.safetensors) == *"untied, a matrix of its own, with a bias"* ]]
  [[ $(dltf inspect tight.safetensors --json | value 'd["encoder"], d["bias"]') == "('untied', False)" ]]
  [[ $(dltf inspect tied.safetensors --json | value 'd["encoder"]') == tied ]]
  dltf synth -n 6 -m 8 -k 2 -N 160 -o small -q
  dltf train small/X.npy -m 8 -k 2 -o auto.safetensors --json >auto.json
  [[ $(dltf inspect auto.safetensors --json | value 'd["encoder"]') == untied ]]
  [[ $(value 'd["options"]["encoder"]' <auto.json) == best ]]
  [[ $(value 'd["encoder_choice"]' <auto.json) == *": relative error after refit "*" on 16 held-out samples" ]]
  dltf train small/X.npy -m 8 -k 2 --encoder dual -o dual.safetensors --json >dual.json
  [[ $(value '"encoder_choice" in d' <dual.json) == False ]]
}

@test "options of the stages tied and admm imply the tied feature; contradictory options are rejected" {
  run -0 --separate-stderr dltf train "$toy/X.npy" -m 24 -k 3 --steps 10 --batch 100 --theta 0.01 -o theta.safetensors
  [[ $stderr == *"--theta implies --encoder tied"* ]]
  [[ $(dltf inspect theta.safetensors --json | value 'd["encoder"]') == tied ]]
  run -0 --separate-stderr dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --encoder tied -o tied.safetensors
  [[ $stderr != *implies* ]]
  fails 2 "--theta: applies to encoder tied, not to encoder dual" train "$toy/X.npy" --encoder dual --theta 1 -o x.safetensors
  fails 2 "--admm: applies to encoder tied, not to encoder distilled" train "$toy/X.npy" --encoder distilled --admm 2 -o x.safetensors
  fails 2 "--polish: applies to encoder tight, dual, distilled or best, not to encoder tied" train "$toy/X.npy" --encoder tied --polish 2 -o x.safetensors
  fails 2 "--polish: applies to encoder tight, dual, distilled or best, but theta to encoder tied: leave one of them out" train "$toy/X.npy" --theta 1 --polish 2 -o x.safetensors
  fails 2 "--encoder: K-SVD learns no encoder" train "$toy/X.npy" --method ksvd --encoder dual -o x.safetensors
  fails 2 "--polish: applies to encoder tight, dual, distilled or best, not to method ksvd" train "$toy/X.npy" --method ksvd --polish 2 -o x.safetensors
  fails 2 "--steps: applies to encoder tied, tight, dual, distilled, best or method omp, not to method ksvd" train "$toy/X.npy" --method ksvd --steps 200 -o x.safetensors
  [[ ! -e x.safetensors ]]
  # Few samples do not override an option.
  dltf synth -n 6 -m 8 -k 2 -N 100 -o small -q
  run -0 --separate-stderr dltf train small/X.npy -m 8 -k 2 --polish 5 -o polish.safetensors
  [[ $stderr == *"--polish implies --encoder distilled"* ]]
  [[ $(dltf inspect polish.safetensors --json | value 'd["encoder"]') == untied ]]
}

@test "a training that exceeds memory is rejected with a remedy" {
  # 2^30 samples of one byte each, as a sparse file.
  "$PYTHON" - <<'END'
header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1073741824, 1), }\n"
with open("huge.npy", "wb") as f:
    f.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    f.truncate(f.tell() + (1 << 30))
END
  fails 1 "m = 46340 atoms and N = [0-9]+ samples need about [0-9]+ GB of memory in stage admm, but this machine has [0-9]+ GB: lower m" \
    train huge.npy -m 46340 --encoder tied --admm 1 -o x.safetensors
  [[ ! -e x.safetensors ]]
}

@test "only a few options go with --resume" {
  fails 2 "--theta cannot be combined with --resume" train "$toy/X.npy" --theta 1 --resume x.checkpoint
  fails 1 "x.checkpoint: cannot open: No such file" train "$toy/X.npy" --resume x.checkpoint --threads 1
  fails 1 "toy.model.safetensors: is a finished model, not a checkpoint" train "$toy/X.npy" --resume "$model"
}

# bats test_tags=long
@test "the errors that training reports are those of dltf encode on the rows that it names" {
  local options
  for options in "" "--encoder tied --validation 0.3" "--method ksvd --iterations 3" "--encoder dual --validation 0.02"; do
    # shellcheck disable=SC2086
    dltf train "$toy/X.npy" -m 24 -k 3 $options -o m.safetensors --json --history h.csv -q >t.json
    "$PYTHON" - "$toy/X.npy" t.json <<'PYTHON'
import json, struct, sys
report = json.load(open(sys.argv[2]))
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<H", data[8:10])[0]
header = eval(data[10:10 + size])
rows, cols = header["shape"]
width = int(header["descr"][-1]) * cols
chosen = report["error_rows"]
assert len(chosen) == report["error_samples"] > 0 and sorted(set(chosen)) == chosen and chosen[-1] < rows
assert report["error_held_out"] == (report["options"]["validation"] > 0 or report["options"]["encoder"] in ("best", "learned"))
if report["options"]["validation"] > 0:
    assert abs(len(chosen) / rows - report["options"]["validation"]) < 0.06, len(chosen)
new = dict(header, shape=(len(chosen), cols))
text = repr(new).encode().ljust(size - 1) + b"\n"
open("rows.npy", "wb").write(data[:10] + text + b"".join(data[10 + size + i * width:10 + size + (i + 1) * width] for i in chosen))
PYTHON
    local raw refit
    raw=$(dltf encode m.safetensors rows.npy -o z.npz --json -q | value 'd["relative_error"]')
    refit=$(dltf encode m.safetensors rows.npy -o z.npz --refit --json -q | value 'd["relative_error"]')
    [[ $(value "abs(d['raw_error'] / $raw - 1) < 1e-5, abs(d['refit_error'] / $refit - 1) < 1e-5" <t.json) == "(True, True)" ]]
    # All stages measure the same two columns, the last one after its last iteration.
    "$PYTHON" - <<'PYTHON'
import csv
rows = list(csv.DictReader(open("h.csv")))
for stage in {row["stage"] for row in rows}:
    measured = [row for row in rows if row["stage"] == stage and row["refit_error"]]
    assert 1 <= len(measured) <= 10 and all(float(row["refit_error"]) <= float(row["raw_error"]) * 1.0001 for row in measured), stage
assert rows[-1]["refit_error"]
PYTHON
  done
}

@test "--remove-mean: the model remembers it, and decode says what is not restored" {
  "$PYTHON" - <<'PYTHON'
import random
random.seed(3)
rows = [[random.gauss(0, 1) for _ in range(8)] for _ in range(300)]
open("plain.csv", "w").write("".join(",".join(map(repr, row)) + "\n" for row in rows))
# The same samples, each with another constant added, and a constant sample.
open("shifted.csv", "w").write("".join(",".join(repr(v + i) for v in row) + "\n" for i, row in enumerate(rows)) + ",".join(["5"] * 8) + "\n")
PYTHON
  dltf train plain.csv -m 16 -k 2 --encoder dual --remove-mean -o a.safetensors -q
  dltf encode a.safetensors plain.csv -o plain.npy --dense -q
  dltf encode a.safetensors shifted.csv -o shifted.npy --dense -q
  run -0 dltf inspect a.safetensors
  [[ $output == *"preprocessing"*"own mean of every sample subtracted"* ]]
  dltf encode a.safetensors plain.csv -o codes.npz -q
  run -0 dltf decode a.safetensors codes.npz -o x.npy
  [[ $output == *"not restored"*"mean of a sample"* ]]
  "$PYTHON" - <<'PYTHON'
import struct
def load(path):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    rows, cols = eval(data[10:10 + size])["shape"]
    return [struct.unpack_from(f"<{cols}f", data, 10 + size + 4 * cols * i) for i in range(rows)]
plain, shifted = load("plain.npy"), load("shifted.npy")
assert len(shifted) == len(plain) + 1 and not any(shifted[-1]), "a constant sample has an empty code"
assert max(abs(a - b) for p, s in zip(plain, shifted) for a, b in zip(p, s)) < 1e-3
PYTHON
}

@test "a dominant mean is subtracted by default, and train and inspect say so" {
  "$PYTHON" -c 'import numpy, sys; numpy.save("shifted.npy", numpy.load(sys.argv[1]) + 1)' "$toy/X.npy"
  local choice='centered: the mean held [0-9]+% of the energy; --no-center leaves it' norm
  for norm in --no-unit-norm --unit-norm; do
    run -0 --separate-stderr dltf train shifted.npy -m 24 -k 3 --encoder learned --epochs 0.1 $norm -o m.safetensors
    [[ $output =~ preprocessing\ +$choice ]]
    [[ $(dltf inspect m.safetensors) =~ $choice ]]
    [[ $(dltf inspect m.safetensors --json | value 'd["center"], d["notes"]["option.center"]') == "(True, 'auto')" ]]
    dltf train shifted.npy -m 24 -k 3 --encoder learned --epochs 0.1 $norm --no-center --json -q -o m.safetensors >r.json
    [[ $(value '"center_choice" in d, d["options"]["center"]' <r.json) == "(False, 'no')" ]]
    [[ $(dltf inspect m.safetensors --json | value 'd["center"]') == False ]]
  done
  dltf train - -m 24 -k 3 -o m.safetensors --json -q <shifted.npy >r.json
  [[ $(value 'd["center_choice"]' <r.json) == "centered: the mean held "* ]]
  dltf train shifted.npy -m 24 -k 3 "${FAST[@]}" --encoder tied -q -o m.safetensors
  [[ $(dltf inspect m.safetensors --json | value 'd["center"]') == False ]]
}

@test "--for omp learns for codes by OMP" {
  dltf train "$toy/X.npy" -m 24 -k 3 --for omp --steps 20 --iterations 5 --validation 0.2 -o omp.safetensors --json -q >r.json
  [[ $(value 'd["options"]["method"], [h["stage"] for h in d["history"]][-1]' <r.json) == "('omp', 'ksvd')" ]]
  [[ $(value '0 < d["omp_error"] <= d["refit_error"] and "K-SVD" in d["encoder_choice"]' <r.json) == True ]]
  run -0 dltf train "$toy/X.npy" -m 24 -k 3 --method omp --steps 20 --iterations 5 --validation 0.2 -o same.safetensors
  [[ $output == *"by --coder omp"*"dltf encode same.safetensors"*"--coder omp"* ]]
  same_file omp.safetensors same.safetensors
  dltf train "$toy/X.npy" -m 24 -k 3 --for threshold "${FAST[@]}" -o threshold.safetensors -q
  same_file threshold.safetensors "$model"
  fails 2 "contradict each other" train "$toy/X.npy" --for omp --method ksvd
  fails 2 "K-SVD learns no encoder" train "$toy/X.npy" --for omp --encoder dual
}
