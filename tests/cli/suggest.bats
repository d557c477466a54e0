#!/usr/bin/env bats
# dltf suggest: data whose answer is known.
load common

# Samples of 48 atoms of 32 entries, 2 in each.
setup_file() {
  export truth=$BATS_FILE_TMPDIR/truth
  dltf synth -n 32 -m 48 -k 2 -N 2000 --noise 0.1 -o "$truth" -q
}

# shifted KIND FILE.csv: the samples plus a vector (common) or a number for each (own).
shifted() {
  "$PYTHON" - "$truth/X.npy" "$1" "$2" <<'PYTHON'
import array, random, sys
raw = open(sys.argv[1], "rb").read()
size = 32 * 2000
x = array.array("d" if b"f8" in raw[:128] else "f", raw[-(8 if b"f8" in raw[:128] else 4) * size:])
random.seed(1)
common = [random.uniform(-5, 5) for _ in range(32)]
with open(sys.argv[3], "w") as out:
    for i in range(2000):
        own = random.uniform(-5, 5)
        print(",".join(repr(x[32 * i + j] + (common[j] if sys.argv[2] == "common" else own)) for j in range(32)), file=out)
PYTHON
}

chosen() { value '[(t["preprocessing"], t["k"]) for t in d["trials"] if t["chosen"]][0]'; }

# Their mean is small: to subtract it or not makes no difference.
@test "k of the data is found, the mean of a sample is not removed, and what was varied is reported" {
  dltf suggest "$truth/X.npy" -m 48 -k 1,2,4 --seconds 10000 --threads 1 --json -q >s.json
  [[ $(chosen <s.json) == "('none', 2)" || $(chosen <s.json) == "('center', 2)" ]]
  [[ $(value 'd["complete"], d["held_out"], d["samples"]' <s.json) == "(True, 400, 2000)" ]]
  [[ $(value 'sum(t["chosen"] for t in d["trials"])' <s.json) == 1 ]]
  [[ $(value 'd["varied"]["k"], d["varied"]["select"], d["varied"]["preprocessing"], d["varied"]["encoder"]' <s.json) == \
    "([1, 2, 4], ['abs', 'positive'], ['center', 'none', 'remove-mean'], ['best', 'learned'])" ]]
  [[ $(value 'd["fixed"]["m"], sorted(d["fixed"])' <s.json) == "({'value': 48, 'reason': 'as given'}, ['m', 'unit-norm'])" ]]
  [[ $(value 'all(t["explained_variance"] >= t["raw_explained_variance"] and t["entries_per_code"] <= t["k"] for t in d["trials"])' <s.json) == True ]]
  [[ $(value 'd["command"]' <s.json) == "dltf train $truth/X.npy -m 48 -k 2 "*"center --encoder "* ]]
  [[ $(value 'd["command_samples"], d["command_seconds"] > 0, d["used_seconds"] < d["budget_seconds"]' <s.json) == "(600000, True, True)" ]]
}

@test "centring has no price, the mean of a sample counts as an entry" {
  dltf suggest "$truth/X.npy" -m 48 -k 1,2,4 --select abs --seconds 10000 --threads 1 --json -q >s.json
  "$PYTHON" - s.json <<'PYTHON'
import json, math, sys
trials = [t for t in json.load(open(sys.argv[1]))["trials"] if t["samples"] == 12000]
factors = {(t["preprocessing"], t["k"]): t["score"] / (1 - t["explained_variance"]) for t in trials}
assert len(factors) == len(trials) == 9, factors
for k in 1, 2, 4:
    none = factors["none", k]
    assert abs(factors["center", k] / none - 1) < 1e-4, factors
    assert abs(factors["remove-mean", k] / none - (1 + 1 / k) ** -math.log2(0.7)) < 1e-3, factors
PYTHON
}

@test "many settings are tried on few samples, few on many" {
  dltf suggest "$truth/X.npy" -m 24,48 -k 1,2 --seconds 10000 --threads 1 --json -q >s.json
  # all 24; a quarter of them and the best of every m and k; the same again and encoder best
  [[ $(value '[sum(t["samples"] == n for t in d["trials"]) for n in (3000, 12000)]' <s.json) == "[1, 24]" ]]
  [[ $(value '6 <= sum(t["samples"] == 48000 for t in d["trials"]) <= 8' <s.json) == True ]]
  [[ $(value '3 <= sum(t["samples"] == 192000 for t in d["trials"]) <= 6' <s.json) == True ]]
  [[ $(value '{(t["m"], t["k"]) for t in d["trials"] if t["samples"] == 192000} >= {(48, 2)}' <s.json) == True ]]
}

@test "the same suggestion with any number of threads" {
  for threads in 1 2; do
    dltf suggest "$truth/X.npy" -m 24,48 -k 2 --select abs --seconds 10000 --threads $threads --json -q |
      value '[{n: v for n, v in t.items() if not n.endswith("seconds")} for t in d["trials"]], d["command"]' >$threads.txt
  done
  cmp 1.txt 2.txt
}

@test "a common mean is subtracted" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  shifted common c.csv
  dltf suggest c.csv -m 48 -k 2 --seconds 10000 --threads 1 --json -q >c.json
  [[ $(chosen <c.json) == "('center', 2)" && $(value 'd["command"]' <c.json) == *" --center"* ]]
}

@test "the mean of every sample is removed, in the table and in a command that works" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  shifted own o.csv
  run -0 --separate-stderr dltf suggest o.csv -m 48 -k 2 --seconds 10000 --threads 1
  [[ $output == *"* remove-mean "*"400 held-out samples"*"Varied:"*"Fixed: "*"m 48 (as given)"*"Suggested: dltf train o.csv -m 48 -k 2 --no-center --remove-mean"*"Expected: "* ]]
  [[ $output != *"too small"* ]]
  command=${output##*Suggested: dltf }
  run -0 "$DLTF" ${command%%$'\n'*} --epochs 5 -q
  [[ -s o.model.safetensors ]]
}

@test "explained variance is that of the data, whatever the preprocessing" {
  dltf suggest "$truth/X.npy" -m 48 -k 2 --select abs --unit-norm --seconds 10000 --threads 1 --json -q >u.json
  dltf suggest "$truth/X.npy" -m 48 -k 2 --select abs --seconds 10000 --threads 1 --json -q >s.json
  best='max(t["explained_variance"] for t in d["trials"] if t["preprocessing"] == "%s" and t["samples"] == 12000)'
  # Samples of about equal norm and without a mean: preprocessing hardly matters.
  for preprocessing in none center remove-mean; do
    for file in s u; do value "${best/\%s/$preprocessing}" <$file.json; done
  done >explained
  [[ $("$PYTHON" -c 'x = [float(line) for line in open("explained")]; print(max(x) - min(x) < 0.1 and min(x) > 0.5)') == True ]]
  [[ $(value 'd["fixed"]["unit-norm"]["value"], "--unit-norm" in d["command"]' <u.json) == "('on', True)" ]]
}

@test "settings that cannot be trained are left out" {
  printf '1,2,3,4,5\n%.0s' {1..40} >constant.csv # centering leaves nothing
  dltf suggest constant.csv -k 1 -m 2 --seconds 10000 --json -q >c.json
  [[ $(value '{t["preprocessing"] for t in d["trials"]}' <c.json) != *"'center'"* ]]
  printf '0,0\n%.0s' {1..40} >zero.csv
  fails 1 "zero.csv: " suggest zero.csv
}

@test "two columns: the mean of a sample is not removed, which would leave one number to code" {
  "$PYTHON" -c 'import random; random.seed(1); print("\n".join(f"{random.gauss(5, 1)},{random.gauss(0, 1)}" for _ in range(200)))' >two.csv
  dltf suggest two.csv --seconds 10000 --threads 1 --json -q >t.json
  [[ $(value 'd["varied"]["preprocessing"], d["fixed"]["remove-mean"]["value"], d["fixed"]["k"]["value"]' <t.json) == "(['center', 'none'], 'off', 1)" ]]
}

# The clock of these two tests advances only when it is read.
no_fault=rename:1000000:ENOSPC
@test "a budget that ends during the trials: the best so far, and a warning" {
  for run in 1 2; do
    FAULT_CLOCK=0.01 faulty "$no_fault" suggest "$truth/X.npy" --seconds 10 --threads 1 >$run.txt
  done
  grep -v "^Used\|^Expected" 1.txt >a.txt
  grep -v "^Used\|^Expected" 2.txt | cmp - a.txt
  grep -q "^The budget of 10 CPU seconds was too small .* depends on the speed of the machine" a.txt
  grep -q "^Suggested: dltf train " a.txt
  FAULT_CLOCK=0.01 faulty "$no_fault" suggest "$truth/X.npy" --seconds 10 --threads 1 --json -q >b.json
  [[ $(value 'd["complete"], sum(t["chosen"] for t in d["trials"])' <b.json) == "(False, 1)" ]]
}

@test "a budget that ends in the first trial: a default that says so" {
  run -0 --separate-stderr faulty "$no_fault" suggest "$truth/X.npy" --seconds 1 --threads 1
  [[ $output == *"No trial ended within the budget of 1 CPU seconds"*"rests on no measurement"*"Suggested: dltf train "*" -m 32 -k 4 --encoder learned"* ]] # whether to centre is left to train
}

@test "what cannot be tried" {
  fails 2 "not a list of whole numbers" suggest "$truth/X.npy" -m 8,x
  fails 2 "k: 9 is more than m = 8" suggest "$truth/X.npy" -m 8 -k 9
  fails 2 "more than 8 sizes" suggest "$truth/X.npy" -k 1,2,3,4,5,6,7,8,9
  printf '1,2\n3,4\n' >few.csv
  fails 1 "few.csv: 2 samples: at least 10 are needed" suggest few.csv
  fails 1 "nowhere.npy" suggest nowhere.npy
  printf '1,nan\n%.0s' {1..20} >nan.csv
  fails 1 "nan.csv" suggest nan.csv
}
