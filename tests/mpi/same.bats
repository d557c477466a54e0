#!/usr/bin/env bats
# What must be the same on all ranks is compared first: a difference is an error of all, and no rank waits for another.
load common

# else_on_1 'COMMANDS' ARGUMENTS...: rank 1 first runs these commands.
else_on_1() { apart "if [ \$rank = 1 ]; then $1; fi" "${@:2}"; }

train() { printf '%s\n' train "$toy/X.npy" -m 24 -k 3 --encoder tied --steps 1 --iterations 1 -q -o m.safetensors; }

@test "another command" {
  mapfile -t train < <(train)
  run else_on_1 'set -- "$1" cluster X.npy -c 3' "${train[@]}"
  one_error "found 'cluster' on the command line, but 'train' on that of rank 0: start the same command on every rank (rank 1)"
  run else_on_1 'set -- "$1" --version' "${train[@]}"
  one_error "found '--version' on the command line, but 'train' on that of rank 0"
}

@test "another option" {
  mapfile -t train < <(train)
  run apart 'set -- "$@" $((4 + rank))' "${train[@]}" --seed
  one_error "found '--seed 5' on the command line, but '--seed 4' on that of rank 0: start the same command on every rank (rank 1)"
  run else_on_1 'set -- "$@" --sede 5' "${train[@]}" # a usage error of one rank
  one_error "found '--sede' on the command line, but nothing on that of rank 0"
}

@test "the same usage error on all ranks, and another number of threads, which is allowed" {
  mapfile -t train < <(train)
  run -2 ranks 2 "${train[@]}" --sede 5
  one_error "unknown option --sede; did you mean --seed?"
  apart 'if [ $rank = 1 ]; then set -- "$@" --threads=2; else set -- "$@" --threads 1; fi' "${train[@]}"
  [[ -f m.safetensors ]]
}

@test "another version, and other kernels" {
  mapfile -t train < <(train)
  version=$(dltf --version | sed -n 's/^dltf //p')
  other=9${version:1}
  LC_ALL=C sed "s/${version//./\\.}/$other/g" "$DLTF_MPI" >other-mpi
  chmod +x other-mpi
  run else_on_1 "shift; set -- '$PWD/other-mpi' \"\$@\"" "${train[@]}"
  one_error "version $other, but rank 0 runs $version: start the same version on every rank (rank 1)"
  run apart 'if [ $rank = 1 ]; then export DLTF_KERNELS=c; else export DLTF_KERNELS=; fi' "${train[@]}"
  one_error "set DLTF_KERNELS and OPENBLAS_CORETYPE to what all machines have (rank 1)"
}

@test "other data of the same shape" {
  mkdir here there
  cp "$toy/X.npy" here
  "$PYTHON" -c "import numpy as np; np.save('there/X.npy', np.roll(np.load('here/X.npy'), 1, 0))"
  run apart '[ $rank = 1 ] && cd there || cd here' train X.npy -m 24 -k 3 -o ../m.safetensors
  one_error "X.npy: differs from the file of rank 0 at byte 128: every rank must read the same file (rank 1)"
  run apart '[ $rank = 1 ] && cd there || cd here' cluster X.npy -c 3 -o ../m.npy
  one_error "X.npy: differs from the file of rank 0 at byte 128"
}

# bats test_tags=long
@test "other models, codes and queries, and a file of another size" {
  mkdir here there
  binary_codes here/base.npy 3000 8 1
  binary_codes here/queries.npy 40 8 2
  cp here/base.npy there
  binary_codes there/queries.npy 40 8 3
  cp "$model" here/model.safetensors
  head -c -1 "$model" >there/model.safetensors
  printf x >>there/model.safetensors
  elsewhere='[ $rank = 1 ] && cd there || cd here'
  run apart "$elsewhere" hash search base.npy queries.npy -k 3 -o ../m.npy
  one_error "queries.npy: differs from the file of rank 0 at byte 128"
  for command in "encode model.safetensors $toy/X.npy -o ../m.npz" "train $toy/X.npy -m 24 -k 3 --init model.safetensors -o ../m.safetensors"; do
    run apart "$elsewhere" $command
    one_error "model.safetensors: differs from the file of rank 0 at byte $(($(stat -c %s "$model") - 1))"
  done
  run apart "$elsewhere; exec >/dev/null" encode model.safetensors "$toy/X.npy" -o -
  one_error "model.safetensors: differs from the file of rank 0"
  cp "$model" there/model.safetensors
  head -c 640000 "$toy/X.npy" >there/X.npy
  cp "$toy/X.npy" here
  run apart "$elsewhere" encode model.safetensors X.npy -o ../m.npz
  one_error "X.npy: 640000 bytes, but 1280128 on rank 0: every rank must read the same file (rank 1)"
}

@test "a difference between blocks that are compared shows in the first dictionary" {
  mkdir here there
  # 16 MB, of which 4 are compared: blocks of 16 KB every 64 KB. The rows that differ lie between them.
  "$PYTHON" -c "
import numpy as np
X = np.random.default_rng(1).standard_normal((250000, 16), np.float32)
np.save('here/X.npy', X)
for gap in range(100):
    X[980 * gap + 400:980 * gap + 700] *= -2
np.save('there/X.npy', X)"
  run apart '[ $rank = 1 ] && cd there || cd here' train X.npy -m 200 -k 3 --encoder tied --steps 1 --iterations 1 -o ../m.safetensors
  one_error "X.npy: gives another start of the training than on rank 0: every rank needs the same data and options (rank 1)"
}

@test "a stream instead of a file" {
  mkfifo fifo.npy # opening it would block
  run -2 ranks 2 cluster fifo.npy -c 3
  one_error "fifo.npy: is not a regular file: ranks cannot share a stream"
}
