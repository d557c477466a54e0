#!/usr/bin/env bats
# dltf encode, decode and inspect.
load common

@test "encode writes sparse codes named after the data and reports" {
  cp "$toy/Xtest.npy" .
  run -0 dltf encode "$model" Xtest.npy
  [[ -s Xtest.codes.npz ]]
  [[ $output == *"$SAMPLES in"*"per second"*"entries per code    3"*"relative error"*"--refit"*"explained variance"*Xtest.codes.npz* ]]
}

@test "encode: JSON, -k, --select, --refit and --threads" {
  plain=$(dltf encode "$model" "$toy/Xtest.npy" -o a.npz --json | value 'd["relative_error"]')
  refit=$(dltf encode "$model" "$toy/Xtest.npy" -o b.npz --refit --json | value 'd["relative_error"]')
  [[ $(value "$refit < $plain" <<<"{}") == True ]]
  [[ $(dltf encode "$model" "$toy/Xtest.npy" -o c.npz -k 1 --json | value 'd["entries_per_sample"]') == 1.0 ]]
  [[ $(dltf encode "$model" "$toy/Xtest.npy" -o d.npz --select positive --json |
    value '0 < d["entries_per_sample"] <= 3') == True ]]
  dltf encode "$model" "$toy/Xtest.npy" -o one.npz --refit --threads 1 -q
  dltf encode "$model" "$toy/Xtest.npy" -o two.npz --refit --threads 2 -q
  same_file one.npz two.npz
  same_file one.npz b.npz
}

@test "dense codes are a matrix of N x m" {
  dltf encode "$model" "$toy/Xtest.npy" --dense -q
  [[ $(head -c 200 Xtest.codes.npy) == *"($SAMPLES, 24)"* ]]
  dltf encode "$model" "$toy/Xtest.npy" --dense -o codes.csv -q
  [[ $(wc -l <codes.csv) == "$SAMPLES" ]]
  fails 2 "x.npz: unsupported extension: dense codes can be written as .npy, .csv or .fvecs" encode "$model" "$toy/Xtest.npy" --dense -o x.npz
  fails 2 "x.xyz: unsupported extension: dense codes can be written as .npy, .csv or .fvecs" encode "$model" "$toy/Xtest.npy" --dense -o x.xyz
  fails 2 "x.npy: unsupported extension: sparse codes are written as .npz" encode "$model" "$toy/Xtest.npy" -o x.npy
  [[ $(ls x.* 2>/dev/null) == "" ]]
}

@test "extensions must match the content" {
  dltf encode "$model" "$toy/Xtest.npy" -o t.NPZ -q
  fails 2 "k.xyz: unsupported extension: samples can be written as .npy, .csv or .fvecs" decode "$model" t.NPZ -o k.xyz
  fails 2 "a.jpg: unsupported extension: pictures can be written as .png" decode "$model" t.NPZ --picture a.jpg
  fails 2 "a.jpg: unsupported extension: pictures can be written as .png" inspect "$model" --atoms a.jpg
  [[ $(ls) == t.NPZ ]]
}

@test "SciPy reads the codes" {
  "$PYTHON" -c 'import scipy.sparse' 2>/dev/null || skip "SciPy is not installed"
  dltf encode "$model" "$toy/Xtest.npy" -o codes.npz -q
  "$PYTHON" - "$SAMPLES" <<'PYTHON'
import sys, scipy.sparse
z = scipy.sparse.load_npz("codes.npz")
assert z.shape == (int(sys.argv[1]), 24) and z.nnz == 3 * z.shape[0], z
scipy.sparse.save_npz("back.npz", z)
PYTHON
  dltf decode "$model" codes.npz -o a.npy -q
  dltf decode "$model" back.npz -o b.npy -q
  same_file a.npy b.npy
}

@test "decode reconstructs, compares and draws" {
  dltf encode "$model" "$toy/Xtest.npy" --refit -o t.codes.npz -q
  run -0 dltf decode "$model" t.codes.npz --original "$toy/Xtest.npy" --picture pairs.png
  [[ -s t.decoded.npy && $(head -c 200 t.decoded.npy) == *"($SAMPLES, 16)"* ]]
  [[ $output == *"relative error"*pairs.png* ]]
  [[ $(head -c 4 pairs.png | tail -c 3) == PNG ]]
  dltf decode "$model" t.codes.npz -o x.npy --picture plain.png --shape 8x2 -q
  [[ -s plain.png ]]
  error=$(dltf decode "$model" t.codes.npz -o x.npy --original "$toy/Xtest.npy" --json | value 'd["relative_error"]')
  [[ $(value "0 < $error < 0.5" <<<"{}") == True ]]
  fails 2 "expected WIDTHxHEIGHT" decode "$model" t.codes.npz -o y.npy --picture p.png --shape 4
  fails 2 "has 25 entries, expected 16" decode "$model" t.codes.npz -o y.npy --picture p.png --shape 5x5
  fails 2 "has 1 entry, expected 16" decode "$model" t.codes.npz -o y.npy --picture p.png --shape 1x1
  [[ ! -e y.npy && ! -e p.png ]]
}

@test "an original and its reconstruction have the same gray scale, with what preprocessing took away" {
  # 16 atoms of 16 entries can represent everything: both tiles of a pair must look the same
  dltf synth -n 16 -m 16 -k 16 -N 300 -o full -q
  local flags quick="--method ksvd --iterations 1"
  for flags in "$quick" "$quick --remove-mean" "$quick --unit-norm" "$quick --center --remove-mean --unit-norm" \
    "--encoder learned --epochs 1 --unit-norm"; do
    # shellcheck disable=SC2086
    dltf train full/X.npy -m 16 -k 16 $flags -o full.safetensors -q
    dltf encode full.safetensors full/X.npy --refit -o full.npz -q
    dltf decode full.safetensors full.npz --original full/X.npy -o x.npy --picture pairs.png -q
    gray_pixels pairs.png >pixels
    "$PYTHON" - <<'PYTHON'
rows = [bytes.fromhex(line) for line in open("pixels")]
period = 2 + 32
for band in range(0, len(rows) - 2, 2 * period):
    for y in range(2, period):
        above, below = rows[band + y], rows[band + period + y]
        assert max(abs(a - b) for a, b in zip(above, below)) <= 2, (band, y)
PYTHON
  done
  [[ $(dltf inspect full.safetensors) == *"samples scaled to norm 1, then mean of these samples subtracted"* ]]
}

@test "inspect --data sorts atoms by use and counts unused ones" {
  dltf inspect "$model" --data "$toy/Xtest.npy" --atoms atoms.png --json >use.json
  [[ $(value 'sorted(u["atom"] for u in d["use"]) == list(range(24))' <use.json) == True ]]
  [[ $(value '[u["codes"] for u in d["use"]] == sorted((u["codes"] for u in d["use"]), reverse=True)' <use.json) == True ]]
  [[ $(value 'sum(u["codes"] for u in d["use"])' <use.json) == $((3 * SAMPLES)) ]]
  dltf inspect "$model" --atoms plain.png -q
  # the first tile of one picture is the tile of the most used atom in the other: 5 columns of 4 x 4 pixels, 8 times enlarged
  gray_pixels atoms.png >sorted
  gray_pixels plain.png >unsorted
  "$PYTHON" - "$(value 'd["use"][0]["atom"]' <use.json)" <<'PYTHON'
import sys
first, tile = int(sys.argv[1]), lambda rows, j: [row[2 + j % 5 * 34:][:32] for row in rows[2 + j // 5 * 34:][:32]]
a, b = ([bytes.fromhex(line) for line in open(name)] for name in ("sorted", "unsorted"))
assert tile(a, 0) == tile(b, first)
PYTHON
  run -0 dltf inspect "$model" --data "$toy/Xtest.npy"
  [[ $output == *"unused atoms"*"%, in no code of "*" samples"*"use of atoms"*"most used"* ]]
  printf '1,2\n3,4\n' >narrow.csv
  run -1 --separate-stderr dltf inspect "$model" --data narrow.csv
  [[ $stderr == *narrow.csv*16* ]]
  fails 2 "would overwrite an input" inspect "$model" --data atoms.png --atoms atoms.png
}

@test "inspect shows the layers of a network" {
  cp "$BATS_TEST_DIRNAME/../fuzz/corpus/network/two" net.safetensors
  run -0 dltf inspect net.safetensors
  [[ $output == *"3 -> 2, relu"*"2 -> 1, linear"*"weights and biases"*"11"* ]]
  [[ $(dltf inspect net.safetensors --json | value 'd["layers"][0]["outputs"], d["weights"]') == "(2, 11)" ]]
  cp "$BATS_TEST_DIRNAME/../fuzz/corpus/network/classifier" class.safetensors
  run -0 dltf inspect class.safetensors
  [[ $output == *"1 -> 2, linear, the 1 largest are kept"*"factor on inputs"*"0.5"*"2, with labels from -3 to 4"* ]]
  [[ $(dltf inspect class.safetensors --json | value 'd["layers"][0]["k"], d["scale"], d["classes"]') == "(1, 0.5, [-3, 4])" ]]
  fails 2 "is a network: --atoms needs a model" inspect net.safetensors --atoms a.png
  fails 1 "net.safetensors: is a network, not a model; to see its layers, run 'dltf inspect FILE'" encode net.safetensors "$model"
}

@test "inspect shows sizes, coherence, guarantee and provenance" {
  run -0 dltf inspect "$model"
  [[ $output == *"atoms (m)"*24*tied*"preprocessing"*none*coherence*Welch*"mu_1(3)"*"frame potential"*"Corollary 1.1"* ]]
  dltf inspect "$model" --json >m.json
  [[ $(value 'd["m"], d["n"], d["k"], d["encoder"], d["center"]' <m.json) == "(24, 16, 3, 'tied', False)" ]]
  [[ $(value '0 < d["welch_bound"] <= d["coherence"] < 1 and d["babel"] <= 3 * d["coherence"] + 1e-9' <m.json) == True ]]
  [[ $(value 'd["guaranteed_k"] == int(0.5 / d["coherence"]) <= d["guaranteed_k_babel"]' <m.json) == True ]]
  [[ $(value 'len(d["notes"]) > 0' <m.json) == True ]]
  dltf inspect "$model" --atoms atoms.png >/dev/null
  [[ -s atoms.png ]]
  printf '1,0,2\n0,1,0\n1,1,3\n0,2,1\n' >three.csv
  dltf train three.csv -m 2 -k 1 "${FAST[@]}" --center --unit-norm -q
  [[ $(dltf inspect three.model.safetensors) == *"mean of the training samples subtracted, then samples scaled"* ]]
  fails 2 "not a square image" inspect three.model.safetensors --atoms a.png
  dltf inspect three.model.safetensors --atoms a.png --shape 3x1 >/dev/null
  [[ -s a.png ]]
}
