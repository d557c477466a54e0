#!/usr/bin/env bats
# Files that are not there, not what they should be, or would be overwritten.
load common

@test "an input is never an output" {
  cp "$toy/X.npy" X.npy
  cp "$model" m.safetensors
  ln -s X.npy link.npy
  fails 2 "X.npy is an input and would be overwritten" train X.npy -o X.npy
  fails 2 "is an input" train X.npy -o ./X.npy
  fails 2 "is an input" train X.npy -o link.npy
  fails 2 "is an input" train X.npy --history X.npy
  fails 2 "is an input" train X.npy --init m.safetensors -o m.safetensors
  cp X.npy X.npz
  fails 2 "is an input" encode m.safetensors X.npz -o X.npz
  fails 2 "is an input" inspect m.safetensors --atoms m.safetensors
  fails 2 "is named for two outputs" train X.npy -o a.safetensors --history a.safetensors
  same_file X.npy "$toy/X.npy"
  same_file m.safetensors "$model"
}

@test "outputs that cannot be written are refused before any work" {
  fails 1 "directory nowhere does not exist" train "$toy/X.npy" -o nowhere/a.safetensors
  fails 1 "directory nowhere does not exist" train "$toy/X.npy" -q --history nowhere/h.csv
  mkdir folder
  fails 1 "folder is a directory" train "$toy/X.npy" -o folder
  fails 1 "not a regular file" train "$toy/X.npy" -o /dev/null
  touch file
  fails 1 "file is not a directory" encode "$model" "$toy/X.npy" -o file/c.npz
  fails 1 "file is a file" synth -N 10 -o file
  fails 1 "cannot be made" synth -N 10 -o nowhere/deeper
  fails 2 "empty" train "$toy/X.npy" -o ""
  [[ $(ls | xargs) == "file folder" ]]
}

@test "inputs that are missing or something else" {
  : >empty.npy
  echo "these are not numbers" >text.npy
  echo "dear, all" >text.csv
  head -c 200 "$toy/X.npy" >short.npy
  mkdir folder
  fails 1 "missing.npy" train missing.npy
  fails 1 "folder" train folder
  fails 1 "empty.npy" train empty.npy
  fails 1 "text.npy" train text.npy
  fails 1 "text.csv" train text.csv
  fails 1 "short.npy" train short.npy
  fails 1 "missing.safetensors" inspect missing.safetensors
  cp empty.npy empty.safetensors
  fails 1 "empty.safetensors" inspect empty.safetensors
  fails 1 "missing.npz" decode "$model" missing.npz
  fails 1 "dictionary.npy" score "$model" --truth folder
  [[ ! -e missing.model.safetensors ]]
}

@test "models and data in each other's place" {
  fails 2 "is a model; data come here" train "$model"
  fails 2 "holds data; a model comes here" encode "$toy/X.npy" "$model"
  fails 2 "holds data; a model comes here" inspect "$toy/X.npy"
  fails 2 "neither 'samples' nor 'gaussian'" train "$toy/X.npy" --init nothing
  fails 2 "holds data" train "$toy/X.npy" --init "$toy/dictionary.npy"
}

@test "numbers that do not fit the data" {
  printf '1,2\n3,4\n5,nan\n' >nan.csv
  printf '1,2\n3,4\n5,7\n' >tiny.csv
  fails 1 "nan.csv|NaN|row" train nan.csv
  fails 2 "k" train tiny.csv -m 4 -k 9
  fails 1 "16" encode "$model" tiny.csv
  fails 2 "k" encode "$model" "$toy/X.npy" -k 25
  fails 2 "k = 9 atoms cannot be chosen from m = 4" synth -m 4 -k 9 -o out
  fails 2 "more than there are atoms" score "$model" --truth "$toy" -k 25
  [[ ! -e out && ! -e tiny.codes.npz ]]
}

@test "a full standard output is a failure" {
  [[ -w /dev/full ]] || skip "there is no /dev/full"
  run -1 bash -c '"$0" inspect "$1" >/dev/full' "$DLTF" "$model"
}
