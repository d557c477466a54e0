#!/usr/bin/env bats
# Training on several files, on raw rows, and within a limit of memory.
load common

# Cuts X.npy of the toy problem into parts: .npy, .fvecs and raw rows.
cut_in_parts() {
  "$PYTHON" - "$toy/X.npy" <<'END'
import struct, sys
raw = open(sys.argv[1], "rb").read()
start = 10 + struct.unpack("<H", raw[8:10])[0]
header, data = raw[:start].decode("latin1"), raw[start:]
row = 16 * 4
rows = len(data) // row
def npy(name, first, last):
    new = header.replace("(%d, 16)" % rows, "(%d, 16)" % (last - first))
    new = new.rstrip("\n ") + " " * (len(header) - 1 - len(new.rstrip("\n "))) + "\n"
    open(name, "wb").write(new.encode("latin1") + data[first * row:last * row])
npy("a.npy", 0, 100)
npy("b.npy", 100, 101)
with open("c.fvecs", "wb") as out:
    for i in range(101, rows):
        out.write(struct.pack("<i", 16) + data[i * row:(i + 1) * row])
open("all.f32", "wb").write(data)
END
}

@test "several files are one: the same model" {
  cut_in_parts
  dltf train "$toy/X.npy" "${FAST[@]}" -q -o whole.safetensors
  dltf train a.npy b.npy c.fvecs "${FAST[@]}" -q -o parts.safetensors
  same_file whole.safetensors parts.safetensors
  dltf train a.npy b.npy c.fvecs "${FAST[@]}" --memory 100M -q -o limited.safetensors
  same_file whole.safetensors limited.safetensors
  dltf train all.f32 --raw 16 "${FAST[@]}" -q -o raw.safetensors
  same_file whole.safetensors raw.safetensors
}

@test "files that do not fit together are named" {
  printf '1,2\n3,4\n' >two.csv
  run -1 dltf train "$toy/X.npy" two.csv "${FAST[@]}"
  [[ $output == *"file 2 of 2 has 2 columns, but the first has 16"* ]]
  run -1 dltf train "$toy/X.npy" none.npy "${FAST[@]}"
  [[ $output == *"none.npy: cannot open"* ]]
}

@test "a limit of memory is kept, reported and does not change the model, with ADMM too" {
  dltf train "$toy/X.npy" --encoder tied --steps 5 --iterations 2 --admm 3 -m 24 -k 2 -q -o free.safetensors
  run -0 dltf train "$toy/X.npy" --encoder tied --steps 5 --iterations 2 --admm 3 -m 24 -k 2 --memory 49M -o limited.safetensors
  [[ $output == *"peak memory"*"of 49 MB"* ]]
  same_file free.safetensors limited.safetensors
  run -1 dltf train "$toy/X.npy" -m 24 -k 2 --memory 1M
  [[ $output == *"memory:"*"need about"*"MB of memory"*"allow more"* ]]
  run -2 dltf train "$toy/X.npy" -m 24 -k 2 --memory lots
  [[ $output == *"expected a number such as 500M or 2G"* ]]
}

@test "kill -9 loses at most the work since the last checkpoint" {
  needs_unnamed_files
  options=(-m 24 -k 3 --encoder tied --steps 300 --iterations 60 --admm 60 --tolerance 0)
  dltf train "$toy/X.npy" "${options[@]}" -q -o whole.safetensors
  [[ ! -e whole.safetensors.checkpoint ]]
  for attempt in 1 2 3; do # the second checkpoint of each run is lost
    run -137 faulty rename:1:SIGKILL train "$toy/X.npy" "${options[@]}" --checkpoint-every 1 -q -o m.safetensors
    options=(--resume m.safetensors.checkpoint)
  done
  dltf train "$toy/X.npy" "${options[@]}" -q -o m.safetensors
  same_file whole.safetensors m.safetensors
  [[ $(ls -A) == $'m.safetensors\nwhole.safetensors' ]]
}

@test "a checkpoint that cannot be written does not end the training" {
  options=(-m 64 -k 3 --encoder tied --steps 0 --iterations 0 --admm 20 --tolerance 0)
  dltf train "$toy/X.npy" "${options[@]}" -q -o whole.safetensors
  ulimit -f 100 # enough for the model, not for the state of every sample
  run -0 --separate-stderr dltf train "$toy/X.npy" "${options[@]}" --checkpoint-every 0.0001 -o m.safetensors
  [[ $stderr == *"cannot save a checkpoint: m.safetensors.checkpoint: cannot write: File too large; training continues without checkpoints"* ]]
  same_file whole.safetensors m.safetensors
}

@test "an interrupted training with several files and a limit prints a command that resumes it" {
  cut_in_parts
  dltf train a.npy b.npy c.fvecs -m 24 -k 2 --encoder tied --steps 400 --iterations 0 --memory 100M -q -o whole.safetensors
  faulty clock:100:SIGINT train a.npy b.npy c.fvecs -m 24 -k 2 --encoder tied --steps 400 --iterations 0 --memory 100M -o m.safetensors 2>err || (($? == 130))
  command=$(grep '^  dltf train' err)
  [[ $command == *"a.npy b.npy c.fvecs --memory 104857600 --resume"* ]]
  eval "$command" -q
  same_file whole.safetensors m.safetensors
}

# bats test_tags=long
@test "a limit of memory holds for checkpoints with the state of every sample, too" {
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] && skip "sanitizers use additional memory"
  dltf synth -n 16 -m 64 -k 3 -N 100000 -o big -q # 53 MB of state
  run -130 faulty clock:30:SIGINT train big/X.npy --encoder tied -m 64 -k 3 --steps 0 --iterations 0 --admm 100000 --tolerance 0 \
    --memory 60M -q -o m.safetensors
  (($(stat -c %s m.safetensors.checkpoint) > 50000000))
  cat >peak.py <<'PYTHON'
import os, resource, subprocess, sys
fault = {"LD_PRELOAD": os.environ["FAULT_LIBRARY"], "FAULT": "rename:2:SIGINT", "FAULT_CLOCK": "1"} # the second checkpoint
subprocess.run([sys.argv[1], "train", "big/X.npy", "--memory", "60M", "--resume",
                "m.safetensors.checkpoint", "--checkpoint-every", "1", "-q", "-o", "m.safetensors"], env={**os.environ, **fault})
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
  peak=$("$PYTHON" peak.py "$DLTF")
  echo "peak: $peak KB"
  ((peak < 60 * 1024))
}
