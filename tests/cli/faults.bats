#!/usr/bin/env bats
# Faults of the system at fixed points. tests/soak/script has more of them, for all commands.
load common

# left: what killed processes left in this folder.
left() { compgen -G '.dltf-*.tmp' || true; }

# replaced FILE COMMAND...: killed between the two calls that replace its output, the command leaves a file, which the next
# run removes: with the output in place, and after it was deleted.
replaced() {
  local file=$1
  shift
  dltf "$@" -o "$file" -q >report
  cp "$file" whole
  for next in true "rm $file"; do
    run -137 faulty rename:1:SIGKILL "$@" -o "$file" -q
    [[ -n $(left) ]]
    same_file "$file" whole
    $next
    dltf "$@" -o "$file" -q >report
    same_file "$file" whole
    [[ -z $(left) ]]
  done
}

# checkpointed FILE COMMAND...: the same for its checkpoint, which a fresh run leaves in place.
checkpointed() {
  local file=$1
  shift
  export FAULT_PATH=.checkpoint
  run -137 faulty rename:1:SIGKILL "$@" --checkpoint-every 1 -o "$file" -q
  [[ -e $file.checkpoint && -n $(left) ]]
  dltf "$@" --checkpoint-every 0 -o "$file" -q >report
  [[ -e $file.checkpoint && -z $(left) ]]
  run -137 faulty rename:1:SIGKILL "$@" --checkpoint-every 1 -o "$file" -q
  rm "$file" "$file.checkpoint"
  dltf "$@" --checkpoint-every 0 -o "$file" -q >report
  [[ ! -e $file.checkpoint && -z $(left) ]]
  unset FAULT_PATH
}

@test "killed while a file is replaced: the next run removes what is left" {
  needs_unnamed_files
  dltf synth -n 8 -m 12 -k 2 -N 200 -q -o small
  dltf train small/X.npy -m 8 -k 2 --encoder tied --steps 2 --iterations 1 -q -o model.safetensors
  dltf cluster small/X.npy -c 3 --restarts 1 -q -o labels.csv >report
  dltf hash train small/X.npy -m 8 --method lsh -q -o hasher
  dltf hash encode hasher small/X.npy -q -o bits.npy
  replaced m.safetensors train small/X.npy -m 8 -k 2 --encoder tied --steps 20 --iterations 10
  checkpointed m.safetensors train small/X.npy -m 8 -k 2 --encoder tied --steps 20 --iterations 20
  replaced c.npy cluster small/X.npy -c 3 --restarts 10
  checkpointed c.npy cluster small/X.npy -c 5 --restarts 20
  replaced h.safetensors hash train small/X.npy -m 8 --method itq
  checkpointed h.safetensors hash train small/X.npy -m 8 --method itq
  replaced n.safetensors classify train small/X.npy --labels labels.csv --hidden 8 --epochs 3
  checkpointed n.safetensors classify train small/X.npy --labels labels.csv --hidden 8 --epochs 30
  replaced z.npz encode model.safetensors small/X.npy
  replaced b.index hash index bits.npy
}

@test "a full disk: the message names the file" {
  run -1 --separate-stderr faulty fwrite:1:ENOSPC export "$model" --c -o m.c -q
  [[ $stderr == "dltf export: m.c: cannot write: No space left on device" ]]
  dltf train "$toy/X.npy" -m 8 -k 2 --encoder tied --steps 2 --iterations 1 -q -o m.safetensors --history h.csv
  run -1 --separate-stderr faulty fflush:1:ENOSPC plot h.csv -o p.svg -q
  [[ $stderr == "dltf plot: p.svg: cannot write: No space left on device" ]]
  [[ ! -e m.c && ! -e p.svg ]]
}

@test "a folder that is read-only: an error before training starts" {
  for error in "EROFS Read-only file system" "EACCES Permission denied"; do
    run -1 --separate-stderr faulty "create:1+:${error%% *}" train "$toy/X.npy" -m 8 -k 2 -o m.safetensors
    [[ $stderr == "dltf train: m.safetensors: cannot create: ${error#* }" ]]
    run -1 --separate-stderr faulty "access:1:${error%% *}" train "$toy/X.npy" -m 8 -k 2 -o m.safetensors
    [[ $stderr == "dltf train: m.safetensors: cannot create in directory .: ${error#* }" ]]
  done
}

@test "a wall clock that jumps changes nothing" {
  options=(train "$toy/X.npy" -m 8 -k 2 --encoder tied --steps 20 --iterations 10 --checkpoint-every 1 -o m.safetensors --history h.csv)
  faulty "" "${options[@]}" >steady 2>&1
  mv h.csv h0.csv
  FAULT_JUMP=1000000000 faulty "" "${options[@]}" >jumping 2>&1
  same_file h.csv h0.csv
  same_file <(grep -v 'peak memory' jumping) <(grep -v 'peak memory' steady)
}
