# Helpers of the command-line tests. DLTF names the program; DLTF_TEST_SMALL=1 makes everything small, for slow builds.
bats_require_minimum_version 1.5.0

: "${DLTF:?DLTF must name the dltf program to test}"
DLTF=$(realpath "$DLTF")
PYTHON=$(command -v /usr/bin/python3 || command -v python3)

# Threads that wait spin by default, which on a busy machine takes the processor from those that work.
export OMP_WAIT_POLICY=passive

# The leak checker of Clang 14 now and then crashes ("Tracer caught signal 11") over the thread-local storage of threads
# that are just ending; without this interception it does not.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}intercept_tls_get_addr=0

if [[ ${DLTF_TEST_SMALL:-0} == 1 ]]; then
  SAMPLES=300 FAST=(--steps 10 --iterations 4 --batch 100)
else
  SAMPLES=2000 FAST=(--steps 40 --iterations 10 --batch 500)
fi

dltf() { "$DLTF" "$@"; }

# Every test runs in an empty folder of its own, with $toy (a synthetic problem) and $model (trained on it) at hand.
setup_file() {
  export toy=$BATS_FILE_TMPDIR/toy model=$BATS_FILE_TMPDIR/toy.model.safetensors
  dltf synth -n 16 -m 24 -k 3 -N "$SAMPLES" --noise 0.05 -o "$toy" -q
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" -o "$model" -q
}

setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
}

# fails CODE PATTERN ARGUMENTS...: the exit code, nothing on stdout, and one line on stderr that matches.
fails() {
  local code=$1 pattern=$2
  shift 2
  run -"$code" --separate-stderr dltf "$@"
  [[ -z $output ]] || { echo "stdout: $output"; return 1; }
  [[ ${#stderr_lines[@]} == 1 && $stderr == "dltf"* ]] || { echo "not one sentence: $stderr"; return 1; }
  [[ $stderr =~ $pattern ]] || { echo "does not match '$pattern': $stderr"; return 1; }
}

# The commands that `dltf help` lists.
commands() {
  local names
  names=$(dltf help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  [[ $names == train*encode*denoise*manual ]] || { echo "the commands are: $names" >&2; return 1; }
  echo "$names"
}

# The experiments that `dltf help reproduce` lists.
experiments() {
  local names
  names=$(dltf help reproduce | sed -n '/^Experiments:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p')
  [[ $names == table1*images* ]] || { echo "the experiments are: $names" >&2; return 1; }
  echo "$names"
}

# value EXPRESSION: of the JSON object d on stdin.
value() { "$PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

same_file() { cmp "$1" "$2"; }
