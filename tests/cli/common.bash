# Helpers of the command-line tests. DLTF is the program; DLTF_TEST_SMALL=1 reduces sizes for slow builds.
bats_require_minimum_version 1.8.0 # tags

: "${DLTF:?must be the path of the dltf program to test}"
DLTF=$(realpath "$DLTF")
PYTHON=$(command -v /usr/bin/python3 || command -v python3)

# The leak checker of Clang 14 occasionally crashes ("Tracer caught signal 11") on the thread-local storage of exiting
# threads; disabling this interception avoids it.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}intercept_tls_get_addr=0

if [[ ${DLTF_TEST_SMALL:-0} == 1 ]]; then
  SAMPLES=300 FAST=(--steps 10 --iterations 4 --batch 100)
else
  SAMPLES=2000 FAST=(--steps 40 --iterations 10 --batch 500)
fi

dltf() { "$DLTF" "$@"; }

# faulty FAULT ARGUMENTS...: with a fault of tests/soak/fault.c, on one thread. The clock advances by a second, or FAULT_CLOCK
# seconds, with every reading, so that --checkpoint-every 1 saves checkpoints at fixed iterations.
faulty() {
  [[ ${FAULT_LIBRARY:-} ]] || skip "FAULT_LIBRARY is not set"
  LD_PRELOAD=$FAULT_LIBRARY FAULT=$1 FAULT_CLOCK=${FAULT_CLOCK:-1} OMP_NUM_THREADS=1 "$DLTF" "${@:2}"
}

# Skips a test whose faults are at calls that only file systems with unnamed files (O_TMPFILE) see.
needs_unnamed_files() {
  "$PYTHON" -c 'import os; os.close(os.open(".", os.O_TMPFILE | os.O_WRONLY))' 2>/dev/null || skip "no unnamed files in $PWD"
}

# Every test runs in its own empty folder. $toy is a synthetic problem, $model is trained on it.
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
  [[ ${#stderr_lines[@]} == 1 && $stderr == "dltf"* ]] || { echo "not one line: $stderr"; return 1; }
  [[ $stderr =~ $pattern ]] || { echo "does not match '$pattern': $stderr"; return 1; }
}

# listed [GROUP]: the commands that `dltf help [GROUP]` lists.
listed() { dltf help "$@" | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }

# All commands, one per line: those that `dltf help` lists, each group replaced by its commands, such as "hash search".
commands() {
  local names name word
  names=$(listed)
  [[ $names == train*encode*denoise*manual ]] || { echo "the commands are: $names" >&2; return 1; }
  for name in $names; do
    if [[ -n $(listed "$name") ]]; then
      for word in $(listed "$name"); do echo "$name $word"; done
    else
      echo "$name"
    fi
  done
}

# The experiments that `dltf help reproduce` lists.
experiments() {
  local names
  names=$(dltf help reproduce | sed -n '/^Experiments:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p')
  [[ $names == table1*images* ]] || { echo "the experiments are: $names" >&2; return 1; }
  echo "$names"
}

# binary_codes FILE.npy ROWS BYTES [SEED]: random packed bits, as numpy.save writes them.
binary_codes() {
  "$PYTHON" - "$@" <<'PYTHON'
import random, struct, sys
path, rows, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 0)
header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {width}), }}".ljust(117) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + random.randbytes(rows * width))
PYTHON
}

# gray_pixels FILE.png: its pixels, one line of hexadecimal digits per row. Needs no library: 8-bit gray PNG with any filters.
gray_pixels() {
  "$PYTHON" - "$1" <<'PYTHON'
import struct, sys, zlib
data, at, idat = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    if kind == b"IHDR":
        width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        assert (depth, colour) == (8, 0)
    idat += body if kind == b"IDAT" else b""
    at += size + 12
raw, above = zlib.decompress(idat), bytes(width)
for y in range(height):
    kind, line = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
    for x in range(width):
        a, b, c = line[x - 1] if x else 0, above[x], above[x - 1] if x else 0
        p = min((a, b, c), key=lambda v: abs(a + b - c - v))
        line[x] = (line[x] + [0, a, b, (a + b) // 2, p][kind]) % 256
    print(line.hex())
    above = line
PYTHON
}

# value EXPRESSION: evaluated with d = the JSON object on stdin.
value() { "$PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

same_file() { cmp "$1" "$2"; }

# CPU time of a process in clock ticks (user and system).
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat" 2>/dev/null || echo 0; }

# interrupt TICKS ARGUMENTS...: runs dltf and sends $signal (INT) after that much CPU time. Sets code, writes output and errors.
signal=INT
interrupt() {
  local least=$1 pid
  shift
  "$DLTF" "$@" 2>errors >output &
  pid=$!
  while [[ -e /proc/$pid ]] && (($(ticks $pid) < least)); do sleep 0.02; done
  kill -$signal $pid 2>/dev/null || true
  code=0
  wait $pid || code=$?
}
