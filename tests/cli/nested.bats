#!/usr/bin/env bats
# Nested dictionaries: train --nested; encode, decode and export --atoms; inspect.
load common

train_nested() { dltf train "$toy/X.npy" -m 64 -k 3 --nested --epochs 4 -q "$@"; }

@test "the model lists its prefixes, inspect measures them, encode reaches the same error" {
  train_nested -o n.safetensors
  dltf inspect n.safetensors | grep -q '^nested dictionary *first 16 atoms$'
  dltf inspect n.safetensors --data "$toy/Xtest.npy" | grep -q 'first 32 atoms: relative error 0\.'
  dltf inspect n.safetensors --data "$toy/Xtest.npy" --json >found.json
  for atoms in 16 32 64; do
    dltf encode n.safetensors "$toy/Xtest.npy" --atoms $atoms -o z.npz --json >z.json
    dltf decode n.safetensors z.npz --atoms $atoms --original "$toy/Xtest.npy" -o x.npy --json >x.json
    "$PYTHON" - $atoms <<'EOF'
import json, sys
atoms = int(sys.argv[1])
found, z, x = (json.load(open(name)) for name in ("found.json", "z.json", "x.json"))
assert [p["atoms"] for p in found["prefixes"]] == [16, 32, 64]
error, = (p["raw_error"] for p in found["prefixes"] if p["atoms"] == atoms)
assert z["m"] == atoms and abs(z["relative_error"] - error) < 1e-6 and abs(x["relative_error"] - error) < 1e-6
assert z.get("nested") == (True if atoms < 64 else None)
EOF
  done
}

@test "codes of a prefix are the largest scores of its atoms, whatever follows" {
  train_nested -o n.safetensors --no-center
  dltf encode n.safetensors "$toy/Xtest.npy" --atoms 32 --dense -o few.npy -q
  dltf encode n.safetensors "$toy/Xtest.npy" -k 64 --dense -o all.npy -q
  "$PYTHON" - <<'EOF'
import numpy as np
few, scores = np.load("few.npy"), np.load("all.npy")[:, :32]
largest = np.sort(abs(scores), axis=1)[:, -3:]
assert few.shape == scores.shape and np.allclose(np.sort(abs(few), axis=1)[:, -3:], largest)
assert np.allclose(few[few != 0], scores[few != 0])
EOF
}

@test "export --atoms writes those atoms" {
  train_nested -o n.safetensors
  run -0 dltf export n.safetensors --c --atoms 16 -o n.h
  [[ $output == *"the first 16 of 64, a dictionary of their own (nested)"* ]]
  grep -q 'enum { model_m = 16, model_n = 16, model_k = 3 };' n.h
}

@test "--atoms of other models, and between prefixes, with a remark" {
  run -0 dltf encode "$model" "$toy/Xtest.npy" --atoms 12 -o z.npz
  [[ $output == *"the first 12 of 24; not nested, so expect larger errors"* ]]
  [[ $output == *"next"*"z.npz --atoms 12"* ]]
  [[ $(dltf encode "$model" "$toy/Xtest.npy" --atoms 2 -o z.npz --json | "$PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(d["m"], d["entries_per_sample"], d["nested"], d["first_atoms"])') == "2 2.0 False 2 of 24" ]]
  train_nested -o n.safetensors
  run -0 dltf encode n.safetensors "$toy/Xtest.npy" --atoms 20 -o z.npz
  [[ $output == *"the first 20 of 64, not a prefix of the nested dictionary"* ]]
  fails 2 '--atoms: 65 is outside 1 .. m = 64' encode n.safetensors "$toy/Xtest.npy" --atoms 65 -o z.npz
  fails 2 '--atoms' encode n.safetensors "$toy/Xtest.npy" --atoms 0 -o z.npz
}

@test "the same bytes for any number of threads" {
  train_nested -o one.safetensors --threads 1
  for threads in 2 5 7; do
    train_nested -o t.safetensors --threads $threads
    cmp one.safetensors t.safetensors
  done
}

@test "interrupted and resumed: the same bytes" {
  dltf train "$toy/X.npy" -m 64 -k 3 --nested --epochs 20 -q -o whole.safetensors
  run -130 faulty clock:60:SIGINT train "$toy/X.npy" -m 64 -k 3 --nested --epochs 20 -q -o r.safetensors
  [[ -s r.safetensors.checkpoint ]]
  dltf train "$toy/X.npy" --resume r.safetensors.checkpoint -q -o r.safetensors
  cmp whole.safetensors r.safetensors
}

@test "streams" {
  "$PYTHON" -c 'import numpy, sys; sys.stdout.buffer.write(numpy.load(sys.argv[1]).astype("<f4").tobytes())' "$toy/X.npy" >rows.f32
  dltf train - --raw 16 -m 64 -k 3 --nested -o s.safetensors -q --threads 1 <rows.f32
  dltf train - --raw 16 -m 64 -k 3 --nested -o t.safetensors -q --threads 3 <rows.f32
  cmp s.safetensors t.safetensors
  dltf inspect s.safetensors | grep -q 'nested.prefixes = 16 32 64'
}

@test "refusals" {
  fails 2 '--nested: applies to encoder learned, not to encoder tied' train "$toy/X.npy" -m 64 -k 3 --nested --encoder tied -o n.safetensors
  fails 2 '--nested: 16 atoms with k = 3 have no prefix' train "$toy/X.npy" -m 16 -k 3 --nested -q -o n.safetensors
}
