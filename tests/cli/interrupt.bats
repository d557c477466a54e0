#!/usr/bin/env bats
# Ctrl-C: a checkpoint, the command to resume, and the same bytes as an uninterrupted run.
load common

# resumes OPTION OTHERS...: interrupts a training during the iterations that OPTION counts, runs the printed command to
# resume, and compares with an uninterrupted run.
resumes() {
  local counted=$1 count options
  shift
  # More iterations until the run is long enough to be interrupted on this machine.
  for ((count = 100; ; count *= 4)); do
    options=(-m 24 -k 3 --batch 200 --tolerance 0 --threads 2 "$@" "$counted" $count -q)
    interrupt 30 train "$toy/X.npy" "${options[@]}" -o resumed.safetensors
    ((code != 0)) && break
    rm -f resumed.safetensors
  done
  ((code == 130))
  [[ -s resumed.safetensors.checkpoint && ! -e resumed.safetensors ]]
  grep -q "interrupted after [0-9]* minibatch steps*.*; to resume, run:" errors

  command=$(sed -n 's/^  \(dltf train .*--resume .*\)/\1/p' errors)
  [[ -n $command ]]
  eval "$command --history h.csv" 2>remarks || { cat remarks; return 1; }
  grep -q "removed checkpoint" remarks
  [[ ! -e resumed.safetensors.checkpoint ]]

  dltf train "$toy/X.npy" "${options[@]}" --history h0.csv -o whole.safetensors
  same_file resumed.safetensors whole.safetensors
  # All columns but the last, the seconds.
  same_file <(sed 's/,[^,]*$//' h.csv) <(sed 's/,[^,]*$//' h0.csv)
}

@test "interrupted in the minibatch stage and resumed: the same bytes" {
  resumes --steps --iterations 4
}

@test "interrupted in the tied stage and resumed: the same bytes" {
  resumes --iterations --steps 5
}

@test "interrupted in the ADMM stage and resumed: the same bytes" {
  resumes --admm --steps 5 --iterations 3
}

@test "training of a classifier, interrupted and resumed: the same bytes" {
  local epochs options files=("$toy/X.npy" --labels labels.csv)
  "$PYTHON" -c "
for i in range($SAMPLES): print((i * 7919) % 11 % 3)" >labels.csv
  for ((epochs = 100; ; epochs *= 4)); do
    options=(--hidden 40 --dropout 0.2 --average 0.9 --held-out 0.1 --threads 2 --epochs $epochs)
    interrupt 30 classify train "${files[@]}" "${options[@]}" --history h.csv -o resumed.safetensors -q
    ((code != 0)) && break
    rm -f resumed.safetensors h.csv
  done
  ((code == 130))
  [[ -s resumed.safetensors.checkpoint && ! -e resumed.safetensors && ! -e h.csv ]]
  grep -q "^dltf classify train: interrupted after [0-9]* epochs; to resume, run:" errors
  command=$(sed -n 's/^  \(dltf classify train .*--resume .*\)/\1/p' errors)
  head -20 labels.csv | cat - labels.csv | head -"$SAMPLES" >others.csv
  fails 1 "the checkpoint was made from different samples or labels" classify train "$toy/X.npy" --labels others.csv \
    --resume resumed.safetensors.checkpoint -o resumed.safetensors
  fails 1 "is a checkpoint of an unfinished training of a network, not a model; to resume, run 'dltf classify train" \
    inspect resumed.safetensors.checkpoint
  eval "$command" 2>remarks >output || { cat remarks; return 1; }
  grep -q "removed checkpoint" remarks
  [[ ! -e resumed.safetensors.checkpoint ]]
  dltf classify train "${files[@]}" "${options[@]}" --history h0.csv -o whole.safetensors -q
  same_file resumed.safetensors whole.safetensors
  same_file <(sed 's/,[^,]*$//' h.csv) <(sed 's/,[^,]*$//' h0.csv)
}

@test "a checkpoint belongs to its data" {
  interrupt 20 train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o a.safetensors -q
  ((code == 130))
  fails 1 "the checkpoint was made from different data" train "$toy/Xtest.npy" --resume a.safetensors.checkpoint -o b.safetensors
  [[ -e a.safetensors.checkpoint && ! -e b.safetensors ]]
}

@test "SIGTERM and SIGHUP save a checkpoint too" {
  for pair in TERM:143 HUP:129; do
    signal=${pair%:*}
    interrupt 20 train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o "$signal.safetensors" -q
    ((code == ${pair#*:}))
    [[ -s $signal.safetensors.checkpoint && ! -e $signal.safetensors ]]
    grep -q "interrupted after [0-9]* minibatch steps*; to resume, run:" errors
  done
}

# black WIDTH HEIGHT FILE: an image. `dltf noise` looks for signals only when it has drawn its noise: it is ended by the
# handler of the signal.
black() { { printf 'P5\n%d %d\n255\n' "$1" "$2" && head -c $(($1 * $2)) /dev/zero; } >"$3"; }

@test "gradient steps are counted in samples" {
  local options=(-m 24 -k 3 --tolerance 0 --checkpoint-every 0 -q)
  run -130 faulty clock:400:SIGINT train "$toy/X.npy" "${options[@]}" --encoder learned --epochs 2000 -o a.safetensors
  [[ $output =~ "interrupted after "[0-9,]+" samples seen; to resume, run:" ]]
  run -130 faulty clock:8000:SIGINT train "$toy/X.npy" "${options[@]}" --encoder best --steps 3 --polish 1 --finetune 0 --epochs 10000 -o b.safetensors
  [[ $output =~ "interrupted after 3 minibatch steps, 1 polish iteration, 1 encoder fit, "[0-9,]+" samples seen; to resume, run:" ]]
  # A round has a fiftieth of the epochs.
  interrupt 20 train "$toy/X.npy" "${options[@]}" --encoder learned --epochs 1000000 -o c.safetensors
  grep -q ": interrupted; to resume, run:" errors
}

@test "a signal that arrives twice, as from timeout, is one request" {
  FAULT_CLOCK=0.05 run -130 faulty clock:100:SIGINT,clock:102:SIGINT train "$toy/X.npy" -m 24 -k 3 --steps 100000000 --checkpoint-every 0 -o a.safetensors -q
  [[ $output == *"to resume, run:"* && -s a.safetensors.checkpoint && ! -e a.safetensors ]]
}

@test "a command with nothing to save ends soon after Ctrl-C, wherever it is" {
  local total
  black 12000 9000 huge.pgm # 8 s of noise
  TIMEFORMAT='%U %S'
  total=$({ time interrupt 20 noise huge.pgm -o noisy.npy; } 2>&1)
  [[ $(<errors) == "dltf noise: interrupted" && ! -e noisy.npy ]]
  awk '{ exit !($1 + $2 < 3) }' <<<"$total"
}

@test "--finetune 1000000 ends soon after Ctrl-C, and resumes" {
  local total options=(-m 24 -k 3 --steps 2 --batch 200 --polish 0 --encoder distilled --finetune 1000000 --threads 1)
  TIMEFORMAT='%U %S'
  total=$({ time interrupt 50 train "$toy/X.npy" "${options[@]}" -o f.safetensors -q; } 2>&1)
  grep -q "to resume, run:" errors
  [[ -s f.safetensors.checkpoint && ! -e f.safetensors ]]
  awk '{ exit !($1 + $2 < 5) }' <<<"$total"
  interrupt 50 train "$toy/X.npy" --resume f.safetensors.checkpoint -o f.safetensors -q
  ((code == 130))
}

@test "a second signal later on ends the program at once" {
  run -130 faulty clock:100:SIGINT,clock:101:SIGINT train "$toy/X.npy" -m 24 -k 3 --steps 100000000 --checkpoint-every 0 -o a.safetensors -q
  [[ ! -e a.safetensors && ! -e a.safetensors.checkpoint ]]
}

# bats test_tags=long
@test "an experiment goes on where it was interrupted" {
  local runs=$BATS_TEST_TMPDIR/runs jobs lines pid before=0
  local request=(reproduce table1 --quick --methods random --settings k=4 --keep "$runs" -q)
  for jobs in 1 2; do
    "$DLTF" "${request[@]}" --seeds 100000 --jobs $jobs >output 2>errors &
    pid=$!
    until lines=$(wc -l 2>/dev/null <"$runs/cells.jsonl") && ((lines >= before + 2)); do sleep 0.05; done
    kill -INT $pid
    code=0
    wait $pid || code=$?
    ((code == 130))
    [[ ! -s output && $(cat errors) == "dltf reproduce: interrupted; finished runs are kept in $runs: run the same command to continue" ]]
    run ! pgrep -f -- "--keep $runs"
    before=$(wc -l <"$runs/cells.jsonl")
  done
  dltf "${request[@]}" --seeds 2 >/dev/null
  (($(wc -l <"$runs/cells.jsonl") == before))
}

@test "other commands leave nothing behind" {
  interrupt 10 reproduce table1 --methods dltf --seeds 1000 --csv rows.csv
  ((code == 130))
  [[ ! -s output && ! -e rows.csv ]]
  [[ $(tail -1 errors) == "dltf reproduce: interrupted"* ]]
}

# CPU seconds of the programs that this shell has started; `times` must not run in a subshell.
children_seconds() {
  times >times
  seconds=$(awk 'NR == 2 { split($1, t, /[ms]/); print 60 * t[1] + t[2] }' times)
}

@test "synth ends while it draws samples, and writes nothing" {
  local problem=(synth -n 200 -m 100 -k 4 -N 100000 -q) start middle
  children_seconds
  start=$seconds
  interrupt 20 "${problem[@]}" -o large
  ((code == 130))
  [[ $(cat errors) == "dltf synth: interrupted"* && ! -e large ]]
  children_seconds
  middle=$seconds
  dltf "${problem[@]}" -o large
  children_seconds
  # Less than the whole takes, though the first figure includes waiting for the program.
  awk -v a="$start" -v b="$middle" -v c="$seconds" 'BEGIN { exit !(b - a < c - b) }' || { echo "$start $middle $seconds"; return 1; }
}
