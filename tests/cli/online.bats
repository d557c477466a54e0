#!/usr/bin/env bats
# dltf train -: learning from standard input in one pass.
load common

# 22,000 rows of 16 values, more than two buffers, as raw rows, .npy and .fvecs.
setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
  [[ -e $BATS_FILE_TMPDIR/rows.f32 ]] || {
    dltf synth -n 16 -m 24 -k 2 -N 22000 --noise 0.05 -o "$BATS_FILE_TMPDIR/long" -q
    "$PYTHON" - "$BATS_FILE_TMPDIR" <<'END'
import struct, sys
raw = open(sys.argv[1] + "/long/X.npy", "rb").read()
data = raw[10 + struct.unpack("<H", raw[8:10])[0]:]
with open(sys.argv[1] + "/rows.fvecs", "wb") as out:
    for i in range(0, len(data), 64):
        out.write(struct.pack("<i", 16) + data[i:i + 64])
open(sys.argv[1] + "/rows.f32", "wb").write(data)
END
  }
  long=$BATS_FILE_TMPDIR/long rows=$BATS_FILE_TMPDIR/rows.f32 fvecs=$BATS_FILE_TMPDIR/rows.fvecs
}

part() { # FIRST COUNT: rows of the stream
  tail -c +$(($1 * 64 + 1)) "$rows" | head -c $(($2 * 64))
}

@test "a pipe of raw rows, .npy and .fvecs give the same model, for any number of threads" {
  cat "$rows" | dltf train - --raw 16 -m 24 -k 2 -q -o a.safetensors
  cat "$long/X.npy" | dltf train - -m 24 -k 2 -q --threads 3 -o b.safetensors
  dltf train - -m 24 -k 2 -q --threads 1 -o c.safetensors <"$fvecs"
  same_file a.safetensors b.safetensors
  same_file a.safetensors c.safetensors
  same_file a.safetensors.checkpoint b.safetensors.checkpoint
  dltf encode a.safetensors "$long/Xtest.npy" --refit -q -o codes.npz
  [[ $(dltf inspect a.safetensors) == *"22000 x 16"* ]]
}

@test "one call on the whole and calls on the parts give the same bytes" {
  cat "$rows" | dltf train - --raw 16 -m 24 -k 2 --center -q -o whole.safetensors
  part 0 3 | dltf train - --raw 16 -m 24 -k 2 --center -q -o m.safetensors
  part 3 8997 | dltf train - --raw 16 --resume m.safetensors.checkpoint -q -o m.safetensors
  part 9000 10000 | dltf train - --raw 16 --resume m.safetensors.checkpoint -q -o m.safetensors
  cat "$rows" | dltf train - --raw 16 --resume m.safetensors.checkpoint --from-start -q -o m.safetensors
  same_file whole.safetensors m.safetensors
  same_file whole.safetensors.checkpoint m.safetensors.checkpoint
}

@test "--init continues a model with new data" {
  dltf train "$long/X.npy" -m 24 -k 2 --encoder learned --epochs 2 -q -o first.safetensors
  run -0 --separate-stderr dltf train - --raw 16 --init first.safetensors -o more.safetensors --json <"$rows"
  [[ $(value 'd["m"], d["k"], d["samples"], d["held_out"]' <<<"$output") == "(24, 2, 22000, 1100)" ]]
  error_of() { dltf encode "$1" "$long/Xtest.npy" --refit -o z.npz --json -q | value 'd["relative_error"]'; }
  [[ $(echo "$(error_of more.safetensors) $(error_of first.safetensors)" | awk '{print ($1 < 1.05 * $2)}') == 1 ]]
  fails 2 "first.safetensors: 24 atoms of 16 entries, but training needs 24 of 8" train - --raw 8 --init first.safetensors <"$rows"
}

@test "Ctrl-C gives the model so far and a checkpoint that continues it" {
  cat "$rows" | dltf train - --raw 16 -m 24 -k 2 -q -o whole.safetensors
  mkfifo pipe
  "$DLTF" train - --raw 16 -m 24 -k 2 -o m.safetensors <pipe 2>errors &
  pid=$!
  exec 7>pipe
  part 0 12000 >&7
  for ((i = 0; i < 500; i++)); do # until it waits for more
    [[ $(</proc/$pid/wchan) == *pipe* || $(cat /proc/$pid/stat | cut -d' ' -f3) == S ]] && grep -q learning errors && break
    sleep 0.02
  done
  sleep 0.3
  kill -INT $pid
  for ((i = 0; i < 100; i++)); do
    [[ -e /proc/$pid && $(</proc/$pid/stat) != *") Z "* ]] || break
    sleep 0.05
  done
  exec 7>&-
  code=0
  wait $pid || code=$?
  ((code == 130))
  seen=$(sed -n 's/.*interrupted after \([0-9]*\) samples; .*/\1/p' errors)
  echo "seen: $seen"
  [[ -e m.safetensors && $(<errors) == *"dltf train - --raw 16 --resume m.safetensors.checkpoint -o m.safetensors"* ]]
  part "$seen" 22000 | dltf train - --raw 16 --resume m.safetensors.checkpoint -q -o m.safetensors
  same_file whole.safetensors m.safetensors
}

@test "kill -9 loses at most the work since the last checkpoint" {
  needs_unnamed_files
  cat "$rows" | dltf train - --raw 16 -m 24 -k 2 -q -o whole.safetensors
  run -137 faulty link:1:after-SIGKILL train - --raw 16 -m 24 -k 2 --checkpoint-every 1 -q -o m.safetensors <"$rows"
  [[ ! -e m.safetensors ]]
  cat "$rows" | dltf train - --raw 16 --resume m.safetensors.checkpoint --from-start -q -o m.safetensors
  same_file whole.safetensors m.safetensors
}

@test "a bad sample ends the training, but not what was learned before it" {
  { part 0 9000; printf '\377\377\377\377%.0s' {1..16}; part 0 100; } >bad.f32
  run -1 --separate-stderr dltf train - --raw 16 -m 24 -k 2 -q -o m.safetensors <bad.f32
  [[ $stderr == *"standard input: row 9000, column 0 is NaN"*"m.safetensors.checkpoint holds what was learned from 9000 samples before that"* ]]
  [[ ! -e m.safetensors ]]
  part 9000 13000 | dltf train - --raw 16 --resume m.safetensors.checkpoint -q -o m.safetensors
  cat "$rows" | dltf train - --raw 16 -m 24 -k 2 -q -o whole.safetensors
  same_file whole.safetensors m.safetensors
}

@test "requests that do not fit a stream" {
  fails 2 "cannot be combined with files" train - "$long/X.npy" -m 24 <"$rows"
  fails 2 "history does not apply" train - --raw 16 -m 24 --history h.csv <"$rows"
  fails 2 "from-start needs --resume" train - --raw 16 -m 24 --from-start <"$rows"
  fails 2 "from-start applies to standard input only" train "$long/X.npy" -m 24 --from-start
  fails 2 "steps" train - --raw 16 -m 24 --steps 3 <"$rows"
  fails 2 "epochs: does not apply to a stream" train - --raw 16 -m 24 --epochs 3 <"$rows"
  fails 1 "standard input: is empty" train - --raw 16 -m 24 -q </dev/null
  fails 1 "memory: m = 24 atoms of 16 entries need about" train - --raw 16 -m 24 --memory 5M <"$rows"
  dltf train - --raw 16 -m 24 -k 2 -q -o m.safetensors <"$rows"
  fails 1 "is a checkpoint of a training on a stream, not a checkpoint; to continue it, run 'dltf train - --resume FILE'" \
    train "$long/X.npy" --resume m.safetensors.checkpoint
  fails 2 "standard input: 8 columns, but training has 16" train - --raw 8 --resume m.safetensors.checkpoint -q -o x.safetensors <"$rows"
}

@test "memory use does not depend on the length of the stream" {
  [[ ${DLTF_TEST_SMALL:-0} == 1 ]] && skip "sanitizers use additional memory"
  peak=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat "$rows" "$rows" "$rows"; done | dltf train - --raw 16 -m 24 -k 2 -o m.safetensors --json -q | value 'd["samples"], d["peak_memory"]')
  echo "$peak"
  [[ $peak =~ ^\(792000,\ ([0-9]+)\)$ ]]
  ((BASH_REMATCH[1] < 60000000))
}
