#!/usr/bin/env bats
# Hostile files and hostile surroundings: a sentence instead of damage.
load common

# forge FROM TO NOTE VALUE: a safetensors file with a note changed; the value may contain Python's escapes.
forge() {
  "$PYTHON" - "$@" <<'PYTHON'
import json, struct, sys
source, target, note, value = sys.argv[1:]
content = open(source, "rb").read()
end = 8 + struct.unpack("<Q", content[:8])[0]
header = json.loads(content[8:end])
header["__metadata__"][note.encode().decode("unicode_escape")] = value.encode().decode("unicode_escape")
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(target, "wb").write(struct.pack("<Q", len(text)) + text + content[end:])
PYTHON
}

# Control characters other than line ends, and C1 controls in UTF-8.
controls=$'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]'

# clean FILE: no control characters.
clean() { ! LC_ALL=C grep -Pq "$controls" "$1" || { cat -v "$1"; return 1; }; }

@test "notes and options in files do not reach the terminal unescaped" {
  local evil='\x1b[2J\x1b]0;title\x07\u009b31m\nforged line'
  forge "$model" evil.safetensors 'no\x1b[31mte' "$evil"
  dltf inspect evil.safetensors >shown
  clean shown
  grep -Fq 'no\x1b[31mte = \x1b[2J\x1b]0;title\x07\xc2\x9b31m\x0aforged line' shown
  dltf inspect evil.safetensors --json >shown
  clean shown
  [[ $(value 'list(d["notes"].values()).count("\x1b[2J\x1b]0;title\x07\u009b31m\nforged line")' <shown) == 1 ]]

  run -130 faulty clock:100:SIGINT train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o b.safetensors -q
  for note in option.theta stage encoder.choice start data.checksum stages; do
    forge b.safetensors.checkpoint evil.checkpoint "$note" "$evil"
    faulty clock:50:SIGINT train "$toy/X.npy" --resume evil.checkpoint -o c.safetensors >shown 2>&1 || true
    clean shown
    ! grep -q "^forged line" shown
  done
}

@test "file names do not reach the terminal unescaped" {
  local name=$'new\nline \x1b[31m'
  cp "$model" "$name.safetensors"
  dltf inspect "$name.safetensors" >shown 2>&1
  clean shown
  fails 1 'new\\x0aline \\x1b\[31m.npy: cannot open' encode "$model" "$name.npy"
  cp "$toy/X.npy" "$name.npy"
  fails 2 'new\\x0aline \\x1b\[31m.npy: would overwrite' train "$name.npy" -o "$name.npy"
  # The command that is printed can be pasted.
  dltf train "$name.npy" -m 24 -k 3 "${FAST[@]}" >shown
  clean shown
  (cd . && eval "$(sed -n 's/^next *//p' shown) -q")
  [[ -s $name.codes.npz ]]
}

# holds FOLDER NAMES...: the folder holds these files and no others, hidden ones included.
holds() {
  local folder=$1
  shift
  [[ $(ls -A "$folder" | LC_ALL=C sort) == "$(printf '%s\n' "$@" | LC_ALL=C sort)" ]] || { ls -lA "$folder"; return 1; }
}

@test "a limit of file sizes is an error, not a signal" {
  ulimit -f 4
  fails 1 'out/X.npy: cannot write: File too large' synth -n 16 -m 24 -k 3 -N 1000 -o out
  holds out
  fails 1 'z.npy: cannot write: File too large' encode "$model" "$toy/X.npy" --dense -o z.npy
  fails 1 'z.npz: cannot write: File too large' encode "$model" "$toy/X.npy" -o z.npz
  fails 1 'm.safetensors: cannot reserve [0-9,]* bytes: File too large' train "$toy/X.npy" -m 24 -k 3 -o m.safetensors -q
  holds . out
}

@test "an output that cannot be created is found before training" {
  local name
  name=$(printf 'x%.0s' {1..260})
  # Longer than any training may take here.
  fails 1 'File name too long' train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o "$name"
  fails 1 'checkpoint: cannot create: File name too long' train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o "${name:0:250}"
  ln -s missing/model.safetensors link
  fails 1 'link: cannot create: is a symbolic link to a file that does not exist' train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o link
  [[ -L link ]]
  rm link
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" -o "${name:0:244}" -q
  holds . "${name:0:244}"
}

# without_folder FOLDER ARGUMENTS...: runs dltf, whose folder disappears when it has begun to learn. `signals` are sent then. Sets
# code, writes errors.
without_folder() {
  local folder=$1 pid
  shift
  mkdir "$folder"
  # Not faulty, which would be a shell in the background.
  LD_PRELOAD=$FAULT_LIBRARY FAULT=clock:100:SIGSTOP "$DLTF" "$@" 2>errors &
  pid=$!
  while [[ -e /proc/$pid/stat && $(</proc/$pid/stat) != *") "[TZ]" "* ]]; do sleep 0.01; done # stopped or, if it failed, ended
  grep -q "^learning" errors
  rm -r "$folder"
  for signal in "${signals[@]}" CONT; do kill -"$signal" $pid; done
  code=0
  wait $pid || code=$?
}

@test "a model is saved elsewhere if its folder has disappeared" {
  [[ ${FAULT_LIBRARY:-} ]] || skip "FAULT_LIBRARY is not set"
  local code saved signals=()
  without_folder gone train "$toy/X.npy" -m 24 -k 3 --encoder tied --steps 200 --iterations 0 -o gone/m.safetensors
  ((code == 1))
  saved=$(sed -n 's/^dltf train: gone\/m.safetensors: cannot create: .*; saved as \(.*\) instead$/\1/p' errors)
  [[ $saved == ./dltf-rescued-*.safetensors ]]
  dltf inspect "$saved" >shown
  grep -q "option.steps = 200" shown
  # The same for the checkpoint of an interrupted training.
  rm "$saved"
  signals=(INT)
  without_folder gone train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o gone/m.safetensors
  ((code == 130))
  saved=$(sed -n 's/^  dltf train .* --resume \([^ ]*\) .*/\1/p' errors)
  [[ $saved == ./dltf-rescued-*.safetensors && -s $saved ]]
}

@test "kill -9 leaves complete outputs or none, and no temporaries" {
  mkdir out
  for options in a.npz "b.npy --dense" a.npz "b.npy --dense"; do
    run -137 faulty clock:100:SIGKILL encode "$model" - --raw -q -o out/$options </dev/zero
  done
  # Where files cannot be created without a name, the next writer of the same output removes what was left.
  dltf encode "$model" "$toy/X.npy" -o out/a.npz -q
  dltf encode "$model" "$toy/X.npy" --dense -o out/b.npy -q
  holds out a.npz b.npy
}

# piped FILE ARGUMENTS...: runs dltf with a named pipe in the place of @, which gets the file once; names the outputs "out".
piped() {
  local file=$1 pipe=pipe.${1##*.} feeder
  shift
  rm -f "$pipe"
  mkfifo "$pipe"
  cat "$file" >"$pipe" &
  feeder=$!
  timeout 60 "$DLTF" "${@//@/$pipe}" || { local code=$?; kill $feeder; echo "dltf $*: $code"; return 1; }
  wait $feeder
}

@test "inputs may be pipes: they are opened once" {
  dltf encode "$model" "$toy/X.npy" -o codes.npz -q
  dltf hash train "$toy/X.npy" --method lsh -m 8 -o hasher.safetensors -q
  printf 'P5\n8 8\n255\n%064d' 0 >image.pgm
  "$PYTHON" -c '
import sys, zipfile
with zipfile.ZipFile("X.npz", "w") as archive: archive.write(sys.argv[1], "X.npy")' "$toy/X.npy"
  piped X.npz train @ -m 24 -k 3 "${FAST[@]}" -o out.safetensors -q
  same_file out.safetensors "$model"
  for attempt in {1..5}; do # a pipe that is opened twice fails now and then
    piped "$toy/X.npy" train @ -m 24 -k 3 "${FAST[@]}" --memory 100M -o out.safetensors -q
    same_file out.safetensors "$model"
  done
  for input in X.npz "$toy/X.npy"; do
    piped "$input" encode "$model" @ -o out.npz -q
    same_file out.npz codes.npz
    piped "$input" decode "$model" codes.npz --original @ -o out.npy -q
    piped "$input" hash train @ --method lsh -m 8 -o out.safetensors -q
    same_file out.safetensors hasher.safetensors
    piped "$input" cluster @ -c 2 -o out.csv -q
    dltf cluster "$toy/X.npy" -c 2 -o expected.csv -q
    same_file out.csv expected.csv
  done
  piped codes.npz cluster @ -c 2 -o out.csv -q
  piped codes.npz decode "$model" @ -o out.npy -q
  piped "$model" inspect @ >shown
  grep -q "^atoms (m) *24" shown
  piped hasher.safetensors inspect @ >shown
  grep -q "^method *lsh" shown
  piped image.pgm noise @ -o out.pgm -q
  dltf noise image.pgm -o expected.pgm -q
  same_file out.pgm expected.pgm
  dltf noise <(cat image.pgm) -o out.pgm -q
  same_file out.pgm expected.pgm
  # What is not data is still recognised.
  ! piped "$model" train @ -m 24 -k 3 -o none.safetensors 2>errors
  grep -q "is a model; expected a data file" errors
  # The labels of images would need a second look.
  "$PYTHON" -c 'open("batch.bin", "wb").write(bytes(3 * 3073))'
  ! piped batch.bin gist @ -o out.npy --labels out.csv 2>errors
  grep -q "pipe.bin: is not a regular file: its labels cannot be read" errors
}

@test "unknown kernel levels are refused" {
  DLTF_KERNELS=sse9 fails 2 'DLTF_KERNELS=sse9: unknown level; expected one of .*c$' inspect "$model"
  DLTF_KERNELS=c dltf --version | grep -q "kernels: c;"
}

@test "a memory limit gives the result or a sentence, without waiting for ever" {
  [[ ${DLTF_TEST_SMALL:-0} == 0 ]] || skip "a sanitizer needs more memory than any limit"
  printf 'P5\n32 32\n255\n%01024d' 0 >image.pgm
  dltf denoise image.pgm --sigma 20 -o expected.png -q
  local refused=0 done=0 code
  for megabytes in 60 120 180 240 320 400; do
    code=0
    (ulimit -v $((megabytes * 1024)) && timeout 60 "$DLTF" denoise image.pgm --sigma 20 --threads 4 -o out.png -q) 2>errors || code=$?
    if ((code == 0)); then
      same_file out.png expected.png
      done=$((done + 1))
    else
      ((code == 1))
      [[ $(wc -l <errors) == 1 ]]
      grep -q "dltf denoise: not enough memory" errors
      refused=$((refused + 1))
    fi
  done
  ((refused > 0 && done > 0))
}

@test "a stack that is too small is an error; a soft limit is raised" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "a sanitizer needs more before main"
  for kilobytes in 64 1000; do # with less, a large environment leaves no room for the message
    run --separate-stderr env -i bash -c 'ulimit -s "$2"; exec "$1" --version' - "$DLTF" "$kilobytes"
    [[ $status == 1 && -z $output ]]
    [[ $stderr == "dltf: the stack is limited to less than 1 MB: "* ]]
  done
  (ulimit -Ss 64 && dltf cluster "$toy/X.npy" -c 3 --pca 2 --threads 2 -q -o labels.csv)
  (ulimit -s 1024 && dltf cluster "$toy/X.npy" -c 3 --pca 2 --threads 2 -q -o again.csv)
  cmp labels.csv again.csv
}

@test "an input that is truncated while it is used is an error" {
  local code
  mkdir out
  for attempt in 1 2 3 4 5; do # another thread may find it each time
    cp "$toy/X.npy" X.npy
    code=0
    : >errors
    "$DLTF" train X.npy -m 24 -k 3 --steps 100000000 --encoder tied --threads 3 -o out/m.safetensors 2>errors &
    until grep -q "^learning" errors; do sleep 0.02; done
    truncate -s 0 X.npy
    wait $! || code=$?
    ((code == 1))
    grep -q "^dltf: an input file was truncated, or could not be read, while it was in use$" errors
    holds out
  done
}
