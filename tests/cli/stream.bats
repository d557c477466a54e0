#!/usr/bin/env bats
# dltf encode on streams: standard input and output, raw rows, truncated streams, and bounded memory.
load common

# Every test has the rows of Xtest.npy without the header, and the codes of the file.
setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
  "$PYTHON" - "$toy/Xtest.npy" rows.f32 <<'PYTHON'
import struct, sys
content = open(sys.argv[1], "rb").read()
begin = 10 + struct.unpack("<H", content[8:10])[0]
assert b"'<f4'" in content[:begin]
open(sys.argv[2], "wb").write(content[begin:])
PYTHON
  dltf encode "$model" "$toy/Xtest.npy" -o whole.npz -q
}

# fails_piped CODE PATTERN FILE ARGUMENTS...: like fails, with the file piped in.
fails_piped() {
  local code=$1 pattern=$2 file=$3
  shift 3
  run -"$code" --separate-stderr bash -c 'cat "$1" | "$0" "${@:2}"' "$DLTF" "$file" "$@"
  [[ -z $output ]] || { echo "stdout: $output"; return 1; }
  [[ ${#stderr_lines[@]} == 1 && $stderr =~ $pattern ]] || { echo "does not match '$pattern': $stderr"; return 1; }
}

@test "a pipe, raw rows and a file give the same bytes" {
  cat "$toy/Xtest.npy" | dltf encode "$model" - -q
  same_file stdin.codes.npz whole.npz
  cat rows.f32 | dltf encode "$model" - --raw -o a.npz -q
  same_file a.npz whole.npz
  dltf encode "$model" rows.f32 --raw -o b.npz -q
  same_file b.npz whole.npz
  dltf encode "$model" - -o c.npz -q <"$toy/Xtest.npy"
  same_file c.npz whole.npz
  dltf encode "$model" <(cat "$toy/Xtest.npy") -o d.npz -q
  same_file d.npz whole.npz
  [[ $(dltf encode "$model" - --raw -o e.npz --json <rows.f32 | value 'd["samples"], d["entries_per_sample"]') == \
    "($SAMPLES, 3.0)" ]]
  error=$(dltf encode "$model" "$toy/Xtest.npy" -o f.npz --json | value 'd["relative_error"]')
  [[ $(cat rows.f32 | dltf encode "$model" - --raw -o f.npz --json | value 'd["relative_error"]') == "$error" ]]
}

@test "--no-error: the same codes, no error in the report" {
  dltf encode "$model" "$toy/Xtest.npy" -o a.npz --no-error >report
  same_file a.npz whole.npz
  [[ $(<report) == *"entries per code"* && $(<report) != *"error"* && $(<report) != *"variance"* ]]
  [[ $(dltf encode "$model" "$toy/Xtest.npy" -o a.npz --no-error --json | value '"relative_error" in d') == False ]]
}

@test "standard output gets codes and nothing else" {
  cat rows.f32 | dltf encode "$model" - --raw -o - 2>report | cat >a.npz
  same_file a.npz whole.npz
  grep -q "entries per code    3" report
  grep -q "codes  *standard output" report
  dltf encode "$model" "$toy/Xtest.npy" -o - --json 2>report >b.npz
  same_file b.npz whole.npz
  [[ $(value 'd["samples"]' <report) == "$SAMPLES" ]]
  dltf encode "$model" "$toy/Xtest.npy" -o - -q 2>report >b.npz
  [[ ! -s report ]]
  # Appending keeps the existing content.
  printf before >c
  dltf encode "$model" "$toy/Xtest.npy" -o - -q >>c
  same_file <(tail -c +7 c) whole.npz
}

@test "dense codes to a pipe, with and without header" {
  dltf encode "$model" "$toy/Xtest.npy" --dense -o whole.npy -q
  cat "$toy/Xtest.npy" | dltf encode "$model" - --dense -o - -q | cat >a.npy
  same_file a.npy whole.npy
  cat rows.f32 | dltf encode "$model" - --raw --dense -o b.npy -q # the number of rows is known only at the end
  same_file b.npy whole.npy
  cat rows.f32 | dltf encode "$model" - --raw --dense -o - -q | cat >c.f32
  same_file c.f32 <(tail -c +129 whole.npy)
  dltf encode "$model" "$toy/Xtest.npy" --dense -o d.f32 -q
  same_file d.f32 c.f32
  cat rows.f32 | dltf encode "$model" - --raw --dense -o e.csv -q
  dltf encode "$model" "$toy/Xtest.npy" --dense -o f.csv -q
  same_file e.csv f.csv
}

@test "truncated, overlong and foreign streams" {
  head -c $((128 + 5 * 64 + 13)) "$toy/Xtest.npy" >short
  fails_piped 1 "standard input: truncated: header declares [0-9,]* rows, row 5 .* has 13 of 64 bytes" short \
    encode "$model" - -o x.npz
  { cat "$toy/Xtest.npy"; echo; } >long
  fails_piped 1 "standard input: corrupt: data continues after the [0-9,]* rows the header declares" long encode "$model" - -o x.npz
  head -c $((3 * 64 + 10)) rows.f32 >part
  fails_piped 1 "standard input: truncated: row 3 .* has 10 of 64 bytes .16 float32 values." part encode "$model" - --raw -o x.npz
  fails 1 "part: truncated: row 3" encode "$model" part --raw -o x.npz
  : >empty
  fails_piped 1 "standard input: is empty" empty encode "$model" - -o x.npz
  fails_piped 1 "standard input: is empty" empty encode "$model" - --raw -o x.npz
  fails_piped 1 "standard input: unrecognised format" rows.f32 encode "$model" - -o x.npz
  fails_piped 1 "standard input: is a .npy file, not raw rows" "$toy/Xtest.npy" encode "$model" - --raw -o x.npz
  dltf synth -n 5 -m 8 -k 2 -N 10 -o five -q
  fails_piped 1 "standard input: 5 columns, but the model expects 16" five/X.npy encode "$model" - -o x.npz
  sed 's/False/True /' "$toy/Xtest.npy" >fortran
  fails_piped 1 "standard input: is in Fortran order" fortran encode "$model" - -o x.npz
  [[ ! -e x.npz && -z $(ls -- *.tmp 2>/dev/null) ]]
}

@test "every type that numpy writes" {
  "$PYTHON" -c 'import numpy' 2>/dev/null || skip "NumPy is not installed"
  "$PYTHON" - <<'PYTHON'
import numpy
x = numpy.random.default_rng(1).integers(0, 100, (500, 16))
for t in ["<f4", ">f4", "<f8", ">f8", "u1", "i1", "<i2", ">u2", "<i4", ">i8"]:
    numpy.save(t.replace("<", "l").replace(">", "b") + ".npy", x.astype(t))
PYTHON
  dltf encode "$model" lf4.npy -o wanted.npz -q
  for file in ???.npy ??.npy; do
    cat "$file" | dltf encode "$model" - -o piped.npz -q
    same_file piped.npz wanted.npz
    dltf encode "$model" "$file" -o named.npz -q
    same_file named.npz wanted.npz
  done
}

@test "NaN far into a stream is named by its row" {
  "$PYTHON" - <<'PYTHON'
import struct
with open("nan.f32", "wb") as f:
    f.write(struct.pack("<16f", *range(16)) * 20011 + struct.pack("<16f", *range(11), float("nan"), *range(4)))
    f.write(struct.pack("<16f", *range(16)) * 3)
PYTHON
  fails_piped 1 "dltf encode: standard input: row 20011, column 11 is NaN" nan.f32 encode "$model" - --raw -o x.npz
  [[ -z $(ls x.* 2>/dev/null) ]]
}

@test "a pipe that is closed, a full disk and a terminal" {
  run -1 --separate-stderr bash -c 'for i in {1..200}; do cat rows.f32; done | "$0" encode "$1" - --raw --dense -o - -q 2>errors | head -c 1 >/dev/null; exit ${PIPESTATUS[1]}' "$DLTF" "$model"
  [[ $(<errors) == "dltf encode: standard output: cannot write: Broken pipe" ]]
  if [[ -w /dev/full ]]; then
    run -1 --separate-stderr bash -c '"$0" encode "$1" - --raw -o - -q <rows.f32 >/dev/full' "$DLTF" "$model"
    [[ $stderr == "dltf encode: standard output: cannot write: No space left on device" ]]
  fi
  run -1 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 4; for i in {1..200}; do cat rows.f32; done | "$0" encode "$1" - --raw -o x.npz -q' "$DLTF" "$model"
  [[ $stderr == "dltf encode: x.npz: cannot write"* ]]
  [[ -z $(ls | grep -e tmp -e '^x') ]]
  command -v script >/dev/null || skip "script(1) is not installed"
  run -2 script -qec "'$DLTF' encode '$model' '$toy/Xtest.npy' -o -" /dev/null </dev/null
  [[ $output == *"standard output is a terminal"* ]]
}

@test "interrupted while waiting: nothing is left behind" {
  for signal in INT:130 TERM:143; do
    mkfifo pipe
    "$DLTF" encode "$model" - --raw -o x.npz -q <pipe 2>errors &
    pid=$!
    exec 7>pipe # the pipe stays open
    cat rows.f32 >&7
    # Until it has opened its output, a file without a name where the file system has them.
    for ((i = 0; i < 500; i++)); do
      [[ -z $(ls -l /proc/$pid/fd | grep -e '(deleted)' -e 'x.npz.*tmp') ]] || break
      sleep 0.02
    done
    kill -"${signal%:*}" $pid
    for ((i = 0; i < 100; i++)); do # a signal just before the wait takes effect when the pipe is closed
      [[ -e /proc/$pid && $(</proc/$pid/stat) != *") Z "* ]] || break
      sleep 0.05
    done
    exec 7>&-
    code=0
    wait $pid || code=$?
    ((code == ${signal#*:}))
    [[ $(<errors) == "dltf encode: interrupted, nothing was written" ]]
    [[ -z $(ls | grep '^x') ]]
    rm pipe
  done
}

@test "memory use does not depend on the length of the stream" {
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] && skip "sanitizers use additional memory"
  cat >peak.py <<'PYTHON'
import resource, subprocess, sys
dltf, model, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
child = subprocess.Popen([dltf, "encode", model, "-", "--raw", "-o", "big.npz", "-q"], stdin=subprocess.PIPE)
piece = b"\0\0\200?\0\0\0@" * 8 * 16384  # rows of 16 floats
for i in range(rows // 16384):
    child.stdin.write(piece)
child.stdin.close()
assert child.wait() == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
  peak=$("$PYTHON" peak.py "$DLTF" "$model" $((16384 * 300))) # 300 MB of rows, 136 MB of codes
  echo "peak: $peak KB"
  ((peak < 100000))
  (($(stat -c %s big.npz) > 100000000))
  rm big.npz
  # The same for a file, which is not mapped.
  "$PYTHON" - <<'PYTHON'
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3276800, 16), }\n"
with open("big.npy", "wb") as f:
    f.write(b"\x93NUMPY\1\0" + bytes([len(header), 0]) + header)
    f.truncate(10 + len(header) + 3276800 * 64)  # sparse: 210 MB of zeros
PYTHON
  cat >file.py <<'PYTHON'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "encode", sys.argv[2], "big.npy", "-o", "zero.npz", "-q"], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
  peak=$("$PYTHON" file.py "$DLTF" "$model")
  echo "peak: $peak KB"
  ((peak < 100000))
}

@test "a file does not take the place of a closed standard output" {
  run -1 --separate-stderr bash -c '"$0" encode "$1" "$2" -o - >&-' "$DLTF" "$model" "$toy/Xtest.npy"
  [[ $stderr =~ "standard output: cannot write" ]]
  dltf encode "$model" "$toy/Xtest.npy" -o a.npz -q >&-
  same_file a.npz whole.npz
}
