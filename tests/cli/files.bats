#!/usr/bin/env bats
# Files that are missing, of the wrong kind, or would be overwritten.
load common

@test "an input is never an output" {
  cp "$toy/X.npy" X.npy
  cp "$model" m.safetensors
  ln -s X.npy link.npy
  fails 2 "X.npy: would overwrite an input" train X.npy -o X.npy
  fails 2 "would overwrite an input" train X.npy -o ./X.npy
  fails 2 "would overwrite an input" train X.npy -o link.npy
  fails 2 "would overwrite an input" train X.npy --history X.npy
  fails 2 "would overwrite an input" train X.npy --init m.safetensors -o m.safetensors
  cp X.npy X.npz
  fails 2 "would overwrite an input" encode m.safetensors X.npz -o X.npz
  fails 2 "would overwrite an input" inspect m.safetensors --atoms m.safetensors
  fails 2 "a.safetensors: given for two outputs" train X.npy -o a.safetensors --history a.safetensors
  same_file X.npy "$toy/X.npy"
  same_file m.safetensors "$model"
}

@test "outputs that cannot be written are rejected before any work" {
  fails 1 "nowhere/a.safetensors: cannot create: directory nowhere does not exist" train "$toy/X.npy" -o nowhere/a.safetensors
  fails 1 "nowhere/h.csv: cannot create: directory nowhere does not exist" train "$toy/X.npy" -q --history nowhere/h.csv
  mkdir folder
  fails 1 "folder: is a directory" train "$toy/X.npy" -o folder
  fails 1 "/dev/null: not a regular file" train "$toy/X.npy" -o /dev/null
  touch file
  fails 1 "file/c.npz: cannot create: file is not a directory" encode "$model" "$toy/X.npy" -o file/c.npz
  fails 1 "file: is a file; expected a folder" synth -N 10 -o file
  fails 1 "nowhere/deeper: cannot create folder" synth -N 10 -o nowhere/deeper
  fails 2 "output file name is empty" train "$toy/X.npy" -o ""
  [[ $(ls | xargs) == "file folder" ]]
}

@test "inputs that are missing or of the wrong kind" {
  : >empty.npy
  echo "these are not numbers" >text.npy
  echo "dear, all" >text.csv
  head -c 200 "$toy/X.npy" >short.npy
  mkdir folder
  fails 1 "missing.npy: cannot open: No such file" train missing.npy
  fails 1 "folder: is a directory" train folder
  fails 1 "empty.npy: is empty" train empty.npy
  fails 1 "text.npy: is corrupt or misnamed: content is not .npy" train text.npy
  fails 1 "text.csv: contains no numbers: its only line is 'dear, all'" train text.csv
  fails 1 "short.npy: truncated: header declares [0-9,]* bytes, file has 72" train short.npy
  fails 1 "missing.safetensors: cannot open: No such file" inspect missing.safetensors
  cp empty.npy empty.safetensors
  fails 1 "empty.safetensors: is empty" inspect empty.safetensors
  fails 1 "missing.npz: cannot open: No such file" decode "$model" missing.npz
  fails 1 "folder/dictionary.npy: cannot open: No such file" score "$model" --truth folder
  [[ ! -e missing.model.safetensors ]]
}

@test "models and data in each other's place" {
  fails 1 "is a model; expected a data file, or one of its tensors: FILE.safetensors:NAME" train "$model"
  fails 2 "is a data file; expected a model" encode "$toy/X.npy" "$model"
  fails 2 "is a data file; expected a model" inspect "$toy/X.npy"
  fails 2 "--init nothing: file not found; expected 'samples', 'gaussian' or a model file" train "$toy/X.npy" --init nothing
  fails 2 "is a data file; expected a model" train "$toy/X.npy" --init "$toy/dictionary.npy"
}

@test "codes, a pipe and a dash where data is expected" {
  dltf encode "$model" "$toy/Xtest.npy" -o c.npz -q
  fails 1 "c.npz: 24 columns, but the model expects 16" encode "$model" c.npz
  fails 2 "-: only dltf train and dltf encode read standard input.*/dev/stdin" cluster - -c 2
  cat "$toy/X.npy" | dltf train /dev/stdin -m 24 -k 3 "${FAST[@]}" -q
  same_file stdin.model.safetensors "$model"
}

@test "errors in data name the file" {
  printf '1,2\n3,4\n5,nan\n' >nan.csv
  fails 1 "dltf train: nan.csv: row 2, column 1 is NaN" train nan.csv -m 2 -k 1
  printf '0,0\n0,0\n0,0\n' >zero.csv
  fails 1 "dltf train: zero.csv: all 3 samples are zero" train zero.csv -m 2 -k 1
  fails 1 "dltf encode: zero.csv: 2 columns, but the model expects 16" encode "$model" zero.csv
  { printf '1%.0s,' {1..15}; echo nan; } >wide.csv
  fails 1 "dltf encode: wide.csv: row 0, column 15 is NaN" encode "$model" wide.csv
  printf '1%.0s,' {1..15} >one.csv
  echo 1 >>one.csv
  dltf encode "$model" one.csv -q
  fails 1 "dltf decode: wide.csv: row 0, column 15 is NaN" decode "$model" one.codes.npz --original wide.csv
  dltf synth -n 16 -m 20 -k 2 -N 1 -o truth -q
  "$PYTHON" - <<'PYTHON'
content = bytearray(open("truth/Xtest.npy", "rb").read())
content[-4:] = b"\0\0\xc0\x7f" if b"<f4" in content else content[-4:]
content[-8:] = b"\0\0\0\0\0\0\xf8\x7f" if b"<f8" in content else content[-8:]
open("truth/Xtest.npy", "wb").write(content)
PYTHON
  fails 1 "dltf score: truth/Xtest.npy: row 0, column 15 is NaN" score "$model" --truth truth
}

@test "errors in codes and in the truth name the file" {
  dltf synth -n 16 -m 20 -k 2 -N 5 -o truth -q
  fails 1 "dltf decode: truth/codes.npz: 20 columns, but the model has 24 atoms" decode "$model" truth/codes.npz
  dltf synth -n 16 -m 20 -k 2 -N 4 -o other -q
  cp other/codes_test.npz truth
  fails 2 "dltf score: truth/codes_test.npz: 4 rows, but the codes have 5" score "$model" --truth truth
  "$PYTHON" - <<'PYTHON'
content = bytearray(open("truth/dictionary.npy", "rb").read())
content[-16 * 4:] = bytes(16 * 4)
open("truth/dictionary.npy", "wb").write(content)
PYTHON
  fails 1 "dltf score: truth/dictionary.npy: row 19 is all zero" score "$model" --truth truth
  fails 1 "dltf certify: truth/dictionary.npy: atom 19 is zero" certify truth/dictionary.npy -k 2
}

@test "names that start with a dash are printed so that they can be pasted" {
  cp "$toy/X.npy" -- "-X.npy"
  run -0 --separate-stderr dltf train -m 24 -k 3 "${FAST[@]}" -o"-my model.safetensors" -- -X.npy
  [[ $output == *"next "*"dltf encode './-my model.safetensors' ./-X.npy --refit"* ]]
  eval "$(sed -n 's/^next *//p' <<<"$output") -q"
  [[ -s ./-X.codes.npz ]]
}

@test "numbers that do not fit the data" {
  printf '1,2\n3,4\n5,nan\n' >nan.csv
  printf '1,2\n3,4\n5,7\n' >tiny.csv
  fails 1 "nan.csv: row 2, column 1 is NaN" train nan.csv
  fails 2 "--k: 9 is more than m = 4 atoms: lower k or raise m" train tiny.csv -m 4 -k 9
  fails 1 "tiny.csv: 2 columns, but the model expects 16" encode "$model" tiny.csv
  fails 2 "25 is more than the model's 24 atoms" encode "$model" "$toy/X.npy" -k 25
  fails 2 "--k: 9 is more than the 4 atoms" synth -m 4 -k 9 -o out
  fails 2 "-k 25 exceeds the number of atoms" score "$model" --truth "$toy" -k 25
  [[ ! -e out && ! -e tiny.codes.npz ]]
}

@test "a full standard output is a failure" {
  [[ -w /dev/full ]] || skip "there is no /dev/full"
  run -1 bash -c '"$0" inspect "$1" >/dev/full' "$DLTF" "$model"
  [[ $output == "dltf inspect: cannot write to standard output" ]]
}
