#!/usr/bin/env bats
# What fails on one rank is an error of all, within seconds, and leaves no file.
load common

# one_error 'TEXT': the ranks ended with one message of the program that contains the text, and no model was written.
one_error() {
  [[ $status != 0 && $status != 137 ]] || { echo "status $status: $output"; return 1; }
  [[ $(grep -c '^dltf train: ' <<<"$output") == 1 && $output == *"$1"* ]] || { echo "$output"; return 1; }
  [[ ! -e m.safetensors && ! -e m.safetensors.checkpoint ]]
}

@test "a file that one rank cannot open" {
  run differing '[ $rank = 1 ] && data=none.npy'
  one_error "none.npy: cannot open: No such file or directory (rank 1)"
  run differing 'data=none.npy'
  one_error "none.npy: cannot open"
}

@test "samples that only one rank reads" {
  cp "$toy/X.npy" X.npy
  printf '\0\0\300\177' | dd of=X.npy bs=1 seek=$((128 + 4 * (16 * 19999 + 3))) conv=notrunc 2>dd.log
  run ranks 2 train X.npy -m 24 -k 3 -o m.safetensors
  one_error "X.npy: row 19999, column 3 is NaN (counting from 0): remove or replace it (rank 1)"
}

@test "shapes that differ between ranks" {
  dltf synth -n 16 -m 24 -k 3 -N 10000 -q -o other
  run differing '[ $rank = 1 ] && data=other/X.npy'
  one_error "10000 x 16 values, m = 24, k = 3, but rank 0 has 20000 x 16"
}

@test "one rank without memory" {
  run differing '[ $rank = 1 ] && ulimit -v 700000; options="-m 3500 --encoder tied --steps 1"'
  one_error "not enough memory"
}

@test "a file that is cut off while ranks read it" {
  dltf synth -n 16 -m 24 -k 3 -N 250000 -q -o large # more than the ranks keep in memory
  (sleep 2; truncate -s 100000 large/X.npy) &
  run ranks 2 train large/X.npy --memory 500M -m 24 -k 3 --encoder tied --steps 0 --iterations 1000000 --tolerance 0 -q -o m.safetensors
  wait
  one_error "X.npy: was truncated while it was in use"
}

@test "a model that cannot be written" {
  run ranks 2 train "$toy/X.npy" -m 24 -k 3 -o none/m.safetensors
  one_error "none/m.safetensors"
}

@test "training is resumed on another number of ranks" {
  options=(-m 24 -k 3 --encoder tied --steps 5 --iterations 3 --admm 30 --tolerance 0)
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for counts in "2 4" "4 1"; do
    read -r before after <<<"$counts"
    timeout -s KILL 60 "${START[@]}" -n "$before" "$DLTF_MPI" train "$toy/X.npy" "${options[@]}" --checkpoint-every 0.001 -q -o m.safetensors &
    for ((i = 0; i < 200; i++)); do # a checkpoint in the middle
      cp m.safetensors.checkpoint kept 2>cp.log && break
      sleep 0.02
    done
    wait $!
    same_file one.safetensors m.safetensors
    ranks "$after" train "$toy/X.npy" --resume kept -q -o resumed.safetensors
    same_file one.safetensors resumed.safetensors
  done
}

@test "kill -9 of one process and of one rank of two" {
  "$BATS_TEST_DIRNAME/kills" --program "$DLTF" --mpi "$DLTF_MPI" --mpirun "${START[*]}" --kills 2 --seed 3
}
