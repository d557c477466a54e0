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

@test "k of the data and no preprocessing are found" {
  dltf suggest "$truth/X.npy" -m 48 -k 1,2,4 --threads 1 --json -q >s.json
  [[ $(chosen <s.json) == "('none', 2)" ]]
  [[ $(value 'd["complete"], d["held_out"], d["samples"]' <s.json) == "(True, 400, 2000)" ]]
  [[ $(value 'sum(t["chosen"] for t in d["trials"]), {t["m"] for t in d["trials"]}, {t["k"] for t in d["trials"]}' <s.json) == "(1, {48}, {1, 2, 4})" ]]
  [[ $(value '{t["encoder"] for t in d["trials"]} == {"learned", "best", "tied"}' <s.json) == True ]]
  [[ $(value 'all(0 < t["refit_error"] <= t["raw_error"] and t["code_microseconds"] > 0 for t in d["trials"])' <s.json) == True ]]
  [[ $(value 'd["command"]' <s.json) == "dltf train $truth/X.npy -m 48 -k 2"* ]]
}

@test "a common mean is subtracted" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  shifted common c.csv
  dltf suggest c.csv -m 48 -k 2 --threads 1 --json -q >c.json
  [[ $(chosen <c.json) == "('center', 2)" && $(value 'd["command"]' <c.json) == *" --center"* ]]
}

@test "the mean of every sample is removed, in the table and in a command that works" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  shifted own o.csv
  run -0 --separate-stderr dltf suggest o.csv -m 48 -k 2 --threads 1
  [[ $output == *"* remove-mean "*"400 held-out samples"*"Suggested: dltf train o.csv -m 48 -k 2 --remove-mean"* ]]
  run -0 "$DLTF" ${output##*Suggested: dltf } --steps 5 -q
  [[ -s o.model.safetensors ]]
}

@test "little time: what was tried is reported" {
  run -0 --separate-stderr dltf suggest "$truth/X.npy" --seconds 1 --threads 1 --json
  [[ $(value 'len(d["trials"]) >= 1 and sum(t["chosen"] for t in d["trials"]) == 1' <<<"$output") == True ]]
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
