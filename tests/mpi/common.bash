# Helpers of the tests with ranks. MPIRUN starts them, DLTF_MPI is the program.
load ../cli/common

: "${MPIRUN:?must be the mpirun to test with}" "${DLTF_MPI:?must be the path of dltf-mpi}" "${FAULT_LIBRARY:?must be the library of tests/soak/fault.c}" "${YIELD:?must be the library of tests/mpi/yield.c}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # containers
export OMP_NUM_THREADS=1

START=("$MPIRUN")
if [[ $("$MPIRUN" --version) == *[Oo]pen* ]]; then
  START+=(--oversubscribe --bind-to none)
else
  export LD_PRELOAD=$YIELD
fi

# ranks N ARGUMENTS...: dltf-mpi on N ranks with one thread each, which is ended after two minutes.
ranks() { timeout -s KILL 120 "${START[@]}" -n "$1" "$DLTF_MPI" "${@:2}"; }

# apart 'COMMANDS' ARGUMENTS...: dltf-mpi on two ranks, which first run shell commands that depend on $rank: another folder
# stands for another machine, and `set` changes the arguments, "$@".
apart() {
  timeout -s KILL 120 "${START[@]}" -n 2 sh -c 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; eval "$0"; exec "$@"' "$1" "$DLTF_MPI" "${@:2}"
}

# one_error 'TEXT': the ranks ended with one message of the program that contains the text, and nothing was written.
one_error() {
  [[ $status == [12] ]] || { echo "status $status: $output"; return 1; }
  [[ $(grep -Ec '^dltf( [a-z]+)*: ' <<<"$output") == 1 && $output == *"$1"* ]] || { echo "$output"; return 1; }
  [[ -z $(compgen -G 'm.*') ]]
}

# full RANK BYTES ARGUMENTS...: two ranks; the disk of one is full after so many bytes.
full() { apart "[ \$rank = $1 ] && export LD_PRELOAD=$FAULT_LIBRARY:\$LD_PRELOAD FAULT_RANK=$1 FAULT=disk:$2:ENOSPC" "${@:3}"; }

setup_file() {
  export toy=$BATS_FILE_TMPDIR/toy model=$BATS_FILE_TMPDIR/toy.model.safetensors
  dltf synth -n 16 -m 24 -k 3 -N 20000 --noise 0.05 -o "$toy" -q
  dltf train "$toy/X.npy" -m 24 -k 3 --steps 10 --epochs 1 -o "$model" -q
}
