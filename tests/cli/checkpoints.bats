#!/usr/bin/env bats
# Checkpoints of dltf cluster and dltf hash train.
load common

setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
  dltf synth -n 16 -m 24 -k 3 -N 300 -q -o small
  small=small/X.npy
}

# survives FILE COMMAND...: killed twice when it replaces a checkpoint, and resumed, the command gives the output of an
# uninterrupted run. Options after -- are not repeated with --resume.
survives() {
  local file=$1 words=() stored=() fault
  shift
  while [[ $1 != -- ]]; do words+=("$1"); shift; done
  shift
  stored=("$@")
  dltf "${words[@]}" "${stored[@]}" -o "whole.$file" -q >report
  for fault in rename:2:SIGKILL rename:1:after-SIGKILL; do
    run -137 faulty $fault "${words[@]}" "${stored[@]}" -o "$file" --checkpoint-every 1 -q
    stored=(--resume "$file.checkpoint")
  done
  dltf "${words[@]}" "${stored[@]}" -o "$file" -q >report
  same_file "whole.$file" "$file"
  [[ -z $(compgen -G "$file.*") && -z $(compgen -G '.dltf-*') ]]
}

# bats test_tags=long
@test "kill -9 of dltf cluster: the same clusters" {
  survives clusters.npy cluster "$small" -- -c 20 --restarts 20 --tolerance 0
  survives of_components.npy cluster "$small" --pca 5 -- -c 20 --restarts 20 --spherical
  dltf encode "$model" "$small" -o z.npz -q
  survives of_codes.npy cluster z.npz -- -c 20 --restarts 20
}

# bats test_tags=long
@test "kill -9 of dltf hash train: the same hasher" {
  survives n.safetensors hash train "$small" -- -m 8 --iterations 60
  survives i.safetensors hash train "$small" -- -m 8 --method itq --iterations 100
  survives s.safetensors hash train "$small" -- -m 32 --method sph
}

@test "options beside --resume, and checkpoints of something else" {
  interrupt 20 cluster "$toy/X.npy" -c 40 --restarts 100000 -o c.npy --checkpoint-every 0.01
  ((code == 130)) && [[ -e c.npy.checkpoint && ! -e c.npy ]]
  [[ $(<errors) == *"interrupted; to resume, run:"*"  dltf cluster $toy/X.npy --resume c.npy.checkpoint -o c.npy" ]]
  fails 2 "--restarts cannot be combined with --resume" cluster "$toy/X.npy" --restarts 3 --resume c.npy.checkpoint
  fails 1 "made from different data" cluster "$toy/Xtest.npy" --resume c.npy.checkpoint
  fails 1 "is a checkpoint of an unfinished clustering" hash train "$toy/X.npy" --resume c.npy.checkpoint -o h.safetensors
  fails 2 "--iterations cannot be combined with --resume" hash train "$toy/X.npy" --iterations 3 --resume c.npy.checkpoint
  fails 1 "is a finished model" cluster "$toy/X.npy" --resume "$model"
}

# resumes OUTPUT COMMAND...: the command, interrupted without any checkpoint so far, saves one; the printed command gives the
# output of an uninterrupted run.
resumes() {
  local output=$1 command
  shift
  code=0
  faulty clock:60:SIG$signal "$@" -o "$output" --checkpoint-every 0 -q 2>errors >output || code=$?
  ((code == ${expected:-130}))
  [[ -s $output.checkpoint && ! -e $output ]]
  command=$(sed -n 's/^  \(dltf .*--resume .*\)/\1/p' errors)
  eval "$command" >/dev/null
  [[ ! -e $output.checkpoint ]]
  dltf "$@" -o "whole.$output" -q >/dev/null
  same_file "whole.$output" "$output"
}

@test "Ctrl-C of dltf cluster and dltf hash train saves a checkpoint" {
  resumes clusters.npy cluster "$toy/X.npy" -c 40 --restarts 60 --tolerance 0 --threads 1
  resumes of_components.npy cluster "$toy/X.npy" --pca 5 -c 40 --restarts 60 --tolerance 0 --threads 1
  signal=TERM expected=143
  resumes neighbour.safetensors hash train "$toy/X.npy" -m 16 --iterations 60 --threads 1
}

@test "commands to resume are whole, however long a path is" {
  local deep=$PWD part i
  part=$(printf "it's%.0s" {1..50})
  for i in {1..15}; do # more than 3,000 characters, and more than 6,000 quoted
    mkdir "$part" && cd "$part" && deep+=/$part
  done
  cd "$BATS_TEST_TMPDIR/work"
  cp "$toy/X.npy" "$deep/X.npy"
  interrupt 20 cluster "$deep/X.npy" -c 40 --restarts 1000000 -o c.npy --centers d.npy -q
  ((code == 130))
  eval "set -- $(sed -n '2s/^  //p' errors)"
  [[ $1 == dltf && $2 == cluster && $3 == "$deep/X.npy" && $* == *"--resume c.npy.checkpoint -o c.npy --centers d.npy" ]]
}
