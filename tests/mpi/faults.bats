#!/usr/bin/env bats
# What fails on one rank is an error of all, within seconds, and leaves no file.
load common

@test "a file that one rank cannot open" {
  mkdir here there
  cp "$toy/X.npy" here/a.npy && cp "$toy/X.npy" here/b.npy && cp here/a.npy there
  elsewhere='[ $rank = 1 ] && cd there || cd here'
  for command in "train a.npy b.npy -m 24 -k 3 -o ../m.safetensors" "encode $model b.npy -o ../m.npz"; do
    run apart "$elsewhere" $command
    one_error "b.npy: cannot open: No such file or directory (rank 1)"
  done
  run apart '[ $rank = 0 ] && cd there || cd here' cluster b.npy -c 3 -o ../m.npy
  one_error "b.npy: cannot open: No such file or directory"
}

@test "samples that only one rank reads" {
  cp "$toy/X.npy" X.npy
  printf '\0\0\300\177' | dd of=X.npy bs=1 seek=$((128 + 4 * (16 * 19999 + 3))) conv=notrunc 2>dd.log
  run ranks 2 train X.npy -m 24 -k 3 -o m.safetensors
  one_error "X.npy: row 19999, column 3 is NaN (counting from 0): remove or replace it (rank 1)"
}

@test "one rank without memory" {
  run apart '[ $rank = 1 ] && ulimit -v 700000' train "$toy/X.npy" -k 3 -m 3500 --encoder tied --steps 1 -o m.safetensors
  one_error "not enough memory"
}

# bats test_tags=long
@test "a file that is cut off while ranks read it" {
  dltf synth -n 16 -m 24 -k 3 -N 250000 -q -o large # more than the ranks keep in memory
  (
    for ((i = 0; i < 300; i++)); do # until both ranks read it
      (($(ls -l /proc/[0-9]*/fd 2>ls.log | grep -c "$PWD/large/X.npy") >= 2)) && break
      sleep 0.1
    done
    sleep 0.5
    truncate -s 100000 large/X.npy
  ) &
  run ranks 2 train large/X.npy --memory 500M -m 24 -k 3 --encoder tied --steps 0 --iterations 1000000 --tolerance 0 -q -o m.safetensors
  wait
  one_error "X.npy: was truncated while it was in use"
}

@test "a model that cannot be written" {
  run ranks 2 train "$toy/X.npy" -m 24 -k 3 -o none/m.safetensors
  one_error "none/m.safetensors"
}

@test "no space for what rank 0 writes" {
  run full 0 40000 encode "$model" "$toy/X.npy" -o m.npz
  one_error "m.npz: cannot write: No space left on device"
  run full 0 40000 cluster "$toy/X.npy" -c 3 --restarts 1 -o m.npy
  one_error "m.npy: cannot write: No space left on device"
  run full 0 1000 train "$toy/X.npy" -m 24 -k 3 --encoder tied --steps 2 --iterations 1 -o m.safetensors
  one_error "m.safetensors: cannot write: No space left on device"
}

# bats test_tags=long
@test "no space for a checkpoint: a warning, and training continues" {
  options=(-m 24 -k 3 --encoder tied --steps 0 --iterations 0 --admm 60 --tolerance 0 --checkpoint-every 0.001)
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  full 1 1000000 train "$toy/X.npy" "${options[@]}" -o m.safetensors 2>errors # a shard has 2.2 MB
  [[ $(grep -c 'cannot save a checkpoint' errors) == 1 ]]
  grep 'checkpoint: m.safetensors.checkpoint.[0-9a-f]*-2-of-2: cannot write: No space left on device (rank 1); training continues without checkpoints' errors
  same_file one.safetensors m.safetensors
  [[ $(compgen -G 'm.*') == m.safetensors ]]
  # The main file is the large one if samples are few and long. The model is smaller, but no disk has space for it.
  dltf synth -n 256 -m 24 -k 3 -N 192 -q -o long
  rm m.safetensors
  run full 0 100000 train long/X.npy "${options[@]}" -o m.safetensors
  [[ $output == *"cannot save a checkpoint: m.safetensors.checkpoint: cannot write: No space left on device; training continues"* ]]
  one_error "m.safetensors: cannot write: No space left on device"
}

# bats test_tags=long
@test "training is resumed on another number of ranks" {
  options=(-m 24 -k 3 --encoder tied --steps 0 --iterations 0 --admm 60 --tolerance 0)
  checkpoint=m.safetensors.checkpoint
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for counts in "2 4" "4 1"; do
    read -r before after <<<"$counts"
    rm -f m.*
    # Dies when the second checkpoint has replaced the first, or at the end, which would remove it.
    run env LD_PRELOAD="$FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" FAULT_RANK=0 FAULT_PATH=.checkpoint FAULT=unlink:1:SIGKILL FAULT_CLOCK=1 timeout -s KILL 120 "${START[@]}" -n "$before" "$DLTF_MPI" train "$toy/X.npy" "${options[@]}" --checkpoint-every 1 -q -o m.safetensors
    [[ $status != 0 && -f $checkpoint && -n $(compgen -G "$checkpoint.*-of-$before") ]]
    ranks "$after" train "$toy/X.npy" --resume $checkpoint -q -o resumed.safetensors
    same_file one.safetensors resumed.safetensors
  done
  dltf train "$toy/X.npy" --resume $checkpoint -q -o resumed.safetensors # shards of four ranks in one process
  same_file one.safetensors resumed.safetensors
  [[ $(compgen -G 'resumed.*') == resumed.safetensors ]]
  run -1 dltf inspect $checkpoint
  [[ $output == *"$checkpoint: is a checkpoint of an unfinished training run"* ]]
  mkdir lost
  mv $checkpoint* lost
  rm -f m.* lost/$checkpoint.*-4-of-4
  run ranks 2 train "$toy/X.npy" --resume lost/$checkpoint -o m.safetensors
  one_error "-4-of-4: cannot open: No such file or directory; the checkpoint needs all its shards, 4 files, beside it and as they were written (rank 1)"
}

# bats test_tags=long
@test "kill -9 of one rank of two when it names files of a checkpoint" {
  "$BATS_TEST_DIRNAME/kills" --program "$DLTF" --mpi "$DLTF_MPI" --mpirun "${START[*]}" --library "$FAULT_LIBRARY" --fixed
}
