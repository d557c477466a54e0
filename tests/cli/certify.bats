#!/usr/bin/env bats
# dltf certify: guarantees of models and of samples.
load common

# A problem with little noise, for which supports can be proven.
quiet_toy() {
  dltf synth -n 32 -m 40 -k 3 -N 200 --noise 0.01 --seed 4 -o quiet -q
}

@test "a model: coherence, Babel function, certified k, RIP bounds" {
  run -0 --separate-stderr dltf certify "$model"
  [[ $output == *"coherence of W"*"Babel function"*"certified k, no noise"*"RIP constant of order 6"* ]]
  [[ $output != *samples* ]]
  dltf certify "$model" --json >m.json
  [[ $(value 'd["k"], d["tied"], len(d["babel"]), d["rip_2k"]["order"], d["rip_k1"]["order"]' <m.json) == "(3, True, 6, 6, 4)" ]]
  [[ $(value 'd["babel"][0] == d["mu"] == d["mu_encoder"]' <m.json) == True ]]
  [[ $(value 'd["certified"]["theorem1"] <= d["certified"]["coherence"] <= d["certified"]["babel"]' <m.json) == True ]]
  [[ $(value 'd["rip_k1"]["delta"] <= d["rip_k1"]["by_babel"] <= d["rip_k1"]["by_coherence"]' <m.json) == True ]]
  [[ $(value '"certified_with_noise" in d' <m.json) == False ]]
  [[ $(dltf certify "$model" -k 1 --json | value 'd["rip_2k"]["exact"] and abs(d["rip_2k"]["delta"] - d["mu"]) < 1e-6') == True ]]
  [[ $(dltf certify "$model" --noise 100 --json | value 'd["certified_with_noise"]["babel"]') == 0 ]]
}

@test "samples: proofs with a bound on the noise, theorems with the codes" {
  quiet_toy
  W=quiet/dictionary.npy X=quiet/Xtest.npy Z=quiet/codes_test.npz
  dltf certify $W $X -k 3 --sigma 0.01 --codes $Z --supports $Z --flags f.npy --json >c.json
  [[ $(value '[r["flag"] for r in d["flags"]]' <c.json) == *covered*theorem1*corollary12*fits*proven* ]]
  [[ $(value '{r["flag"]: r["samples"] for r in d["flags"]}["covered"]' <c.json) == 200 ]]
  [[ $(value '{r["flag"]: r["samples"] for r in d["flags"]}["proven"] > 190' <c.json) == True ]]
  [[ $(value 'd["wrong_proofs"], d["flags_file"]' <c.json) == "(0, 'f.npy')" ]]
  if "$PYTHON" -c 'import numpy' 2>/dev/null; then
    "$PYTHON" - <<'P'
import json, numpy
flags, told = numpy.load("f.npy"), json.load(open("c.json"))["flags"]
assert flags.shape == (200, 12) and flags.dtype == numpy.uint8, flags.shape
assert [int(s) for s in flags.sum(0)] == [r["samples"] for r in told]
P
  fi
  dltf certify $W $X -k 3 --sigma 0.01 --codes $Z --supports $Z --flags g.npy --threads 1 -q >/dev/null
  same_file f.npy g.npy
  run -0 --separate-stderr dltf certify $W $X -k 3 --sigma 0.01
  [[ $output == *flag*samples*share*proven* && $output != *theorem1* ]]
  run -0 --separate-stderr dltf certify $W $X -k 3 --codes $Z
  [[ $output == *theorem1* && $output != *proven* ]]
  # codes of fewer than k entries are not covered
  [[ $(dltf certify $W $X -k 4 --codes $Z --json | value '[r["samples"] for r in d["flags"]][:8]') == "[0, 0, 0, 0, 0, 0, 0, 0]" ]]
}

@test "a quantile of the noise is a bound on its norm" {
  [[ $(dltf certify "$model" --sigma 2 --quantile 0.95 --json | value 'abs(d["noise"] - 2 * 26.29622760486423 ** .5) < 1e-6') == True ]]
}

@test "certify rejects invalid combinations" {
  quiet_toy
  fails 2 "--noise and --sigma are mutually exclusive" certify "$model" --noise 1 --sigma 1
  fails 2 "--supports and --flags require DATA" certify "$model" --codes c.npz
  fails 2 "nothing to certify for DATA" certify "$model" "$toy/X.npy"
  fails 2 "dictionary.npy: is a bare dictionary; -k is required" certify quiet/dictionary.npy
  fails 2 "MODEL is missing.*MODEL \[DATA\]" certify
  fails 2 "unexpected argument 'c'" certify a b c
  fails 2 "--noise: -1 is outside" certify "$model" --noise -1
  fails 2 "more than the model's 24 atoms" certify "$model" -k 25
  fails 1 "quiet/X.npy: 32 columns, but the model expects 16" certify "$model" quiet/X.npy --noise 1
  fails 1 "quiet/codes.npz: 200 x 40, but there are $SAMPLES samples and 24 atoms" certify "$model" "$toy/X.npy" --codes quiet/codes.npz
  fails 1 "quiet/codes.npz: 200 x 40" certify "$model" "$toy/X.npy" --noise 1 --supports quiet/codes.npz
  fails 2 "X.npy: would overwrite an input" certify "$model" "$toy/X.npy" --noise 1 --flags "$toy/X.npy"
  fails 2 "f.txt: unsupported extension: flags can be written as .npy" certify "$model" "$toy/X.npy" --noise 1 --flags f.txt
}

@test "codes over true atoms: matched with --truth, refused without" {
  dltf synth -n 24 -m 30 -k 2 -N 400 --noise 0.01 -o truth -q
  dltf train truth/X.npy -m 30 -k 2 -o learned.safetensors -q
  fails 1 "truth/codes_test.npz: not codes of truth/Xtest.npy over the atoms of the model: the relative error is .*give --truth DIR" \
    certify learned.safetensors truth/Xtest.npy --codes truth/codes_test.npz
  # The share of right supports is that of dltf score.
  local exact
  exact=$(dltf score learned.safetensors --truth truth --json -q | value 'd["rows"][0]["exact"]')
  [[ $(dltf certify learned.safetensors truth/Xtest.npy --truth truth --json |
    value "{r['flag']: abs(r['share'] - $exact) < 1e-9 for r in d['flags']}['feature']") == True ]]
  [[ $(value "$exact > 0.3" <<<'{}') == True ]]
  # The true dictionary is matched with itself: nothing changes.
  dltf certify truth/dictionary.npy truth/Xtest.npy -k 2 --codes truth/codes_test.npz >plain
  dltf certify truth/dictionary.npy truth/Xtest.npy -k 2 --truth truth >matched
  same_file plain matched
  fails 1 "dictionary.npy: atoms of 16 entries, but those of the model have 24" certify learned.safetensors truth/Xtest.npy \
    --truth "$toy" --codes truth/codes_test.npz
}
