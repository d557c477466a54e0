#!/usr/bin/env bats
# dltf import and dltf export --format: files of other programs. tests/interop/sae_interop.py compares codes.
load common

# A positive model of the toy problem, as the folder of another program.
make_folder() {
  dltf train "$toy/X.npy" -m 24 -k 3 --encoder learned --select positive --epochs 1 -o p.safetensors -q
  dltf export p.safetensors --format "$1" -o sae -q
}

@test "a model makes the round trip through both formats" {
  for format in saelens sparsify; do
    rm -rf sae
    make_folder $format
    run -0 dltf import sae -o back.safetensors
    [[ $output == *"format "*$format* && $output == *"atoms "*24* ]]
    dltf encode p.safetensors "$toy/X.npy" -o a.npz -q
    dltf encode back.safetensors "$toy/X.npy" -o b.npz -q
    dltf decode p.safetensors a.npz -o a.npy -q
    dltf decode back.safetensors b.npz -o b.npy -q
    cmp a.npy b.npy
  done
}

@test "reports, names and JSON" {
  make_folder saelens
  run -0 dltf import sae --json
  [[ $output == *'"format": "saelens"'* && $output == *'"selection": "k"'* && -s sae.model.safetensors ]]
  run -0 dltf inspect sae.model.safetensors
  [[ $output == *"import.format = saelens"* ]]
  run -0 dltf export sae.model.safetensors --format sparsify -o again --json
  [[ $output == *'"format": "sparsify"'* && -s again/cfg.json && -s again/sae.safetensors ]]
}

@test "an imported model is trained further" {
  make_folder saelens
  dltf import sae -o i.safetensors -q
  run -0 --separate-stderr dltf train "$toy/X.npy" --init i.safetensors --epochs 1 -o j.safetensors
  [[ $stderr == *"--init names an imported model: --encoder learned, --select positive"* ]]
  run -0 dltf inspect j.safetensors --json
  [[ $output == *'"select": "positive"'* && $output == *'"start": "model with encoder"'* ]]
}

@test "what is wrong is named, and nothing is written" {
  mkdir empty
  fails 1 'empty: contains no sparse autoencoder' import empty -o m.safetensors
  fails 1 'none: is not a folder' import none -o m.safetensors
  make_folder saelens
  echo '{"d_in": ' >sae/cfg.json
  fails 1 'sae/cfg.json: is not JSON' import sae -o m.safetensors
  echo '{"d_in": 20, "d_sae": 24, "architecture": "gated"}' >sae/cfg.json
  fails 1 "sae/cfg.json: 'architecture' is \"gated\": expected standard, topk or jumprelu" import sae -o m.safetensors
  echo '{"d_in": 1000, "d_sae": 24, "architecture": "topk", "k": 3}' >sae/cfg.json
  fails 1 "sae/sae_weights.safetensors: tensor 'W_enc' has shape" import sae -o m.safetensors
  echo '{"d_in": 20, "d_sae": 24, "normalize_activations": "expected_average_only_in"}' >sae/cfg.json
  fails 2 '--factor: is needed' import sae -o m.safetensors
  rm sae/cfg.json
  fails 1 'sae/cfg.json: ' import sae -o m.safetensors
  [[ ! -e m.safetensors ]]
}

@test "what cannot be exported is named, and nothing is written" {
  fails 2 'choose a format: --c, --micro or --format NAME' export "$model" -o out
  fails 2 'choose a format' export "$model" --c --format saelens -o out
  fails 2 'name a folder with -o' export "$model" --format saelens
  fails 2 '--format' export "$model" --format pickle -o out
  fails 2 'selects scores by magnitude' export "$model" --format saelens -o out
  [[ ! -e out ]]
}
