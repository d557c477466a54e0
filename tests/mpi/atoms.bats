#!/usr/bin/env bats
# Ranks that share the atoms of a learned dictionary (docs/scaling.md).
load common

options=(-m 120 -k 4 --encoder learned --epochs 0.3 --checkpoint-every 0)
checkpoint=m.safetensors.checkpoint

@test "a learned dictionary has the same bytes for any number of ranks" {
  for select in abs positive; do
    dltf train "$toy/X.npy" "${options[@]}" --select $select -q -o one.safetensors
    for count in 1 2 3 4 5; do # 5: one has no atoms
      ranks $count train "$toy/X.npy" "${options[@]}" --select $select -q -o $count.safetensors
      same_file one.safetensors $count.safetensors
    done
  done
}

@test "preprocessing, few atoms, few samples and atoms that join late" {
  while read -r rows arguments; do
    "$PYTHON" -c 'import numpy, sys; numpy.save("X.npy", numpy.load(sys.argv[1])[:int(sys.argv[2])] + .3)' "$toy/X.npy" "$rows"
    dltf train X.npy --encoder learned $arguments -q -o one.safetensors
    ranks 3 train X.npy --encoder learned $arguments -q -o three.safetensors </dev/null
    same_file one.safetensors three.safetensors
  done <<'END'
9000 -m 40 -k 3 --epochs .5 --center
9000 -m 40 -k 3 --epochs .5 --unit-norm --remove-mean --init gaussian
9000 -m 12 -k 3 --epochs .5
9000 -m 17 -k 16 --epochs .5 --select positive
300 -m 200 -k 2 --epochs 45
END
}

@test "errors are those of one process" {
  dltf train "$toy/X.npy" "${options[@]}" --json -q -o one.safetensors >one
  ranks 2 train "$toy/X.npy" "${options[@]}" --json -q -o two.safetensors >two
  for fact in raw_error refit_error explained_variance unused_share mean_share coherence; do
    [[ $(value "d['$fact']" <one) == $(value "d['$fact']" <two) ]]
  done
  [[ $(value '[row["refit_error"] or 0 for row in d["history"]]' <one) == "$(value '[row["refit_error"] or 0 for row in d["history"]]' <two)" ]]
}

@test "a training starts from a model" {
  dltf train "$toy/X.npy" "${options[@]}" -q -o start.safetensors
  dltf train "$toy/X.npy" "${options[@]}" --seed 1 --init start.safetensors -q -o one.safetensors
  ranks 3 train "$toy/X.npy" "${options[@]}" --seed 1 --init start.safetensors -q -o three.safetensors
  same_file one.safetensors three.safetensors
}

@test "rank 0 sends what the formula says" {
  for epochs in 0.3 3; do
    ranks 2 train "$toy/X.npy" -m 120 -k 4 --encoder learned --epochs $epochs --checkpoint-every 0 --json -q -o m.safetensors >$epochs
  done
  # Of a batch, up to a few percent for measurements (docs/scaling.md).
  "$PYTHON" - <<'END'
import json
short, long = json.load(open("0.3")), json.load(open("3"))
B, R, n, k = 120, 2, 16, 4
batch = 2 * (R - 1) * B // R * (4 + 8 * k + 4 * n) + 16 * (R - 1)
steps = (long["samples_seen"] - short["samples_seen"]) // B
sent = long["rank_bytes_sent"] - short["rank_bytes_sent"]
assert steps > 400 and steps * batch <= sent < 1.1 * steps * batch, (steps, batch, sent)
END
}

@test "ranks that divide the atoms of a model find the same codes" {
  for select in abs positive; do
    dltf train "$toy/X.npy" "${options[@]}" --select $select -q -o model.safetensors
    dltf encode model.safetensors "$toy/X.npy" --json -q -o one.npz | value 'd["relative_error"], d["explained_variance"]' >error
    for count in 2 3; do
      [[ $(ranks $count encode model.safetensors "$toy/X.npy" --divide atoms --json -q -o $count.npz | value 'd["relative_error"], d["explained_variance"]') == $(<error) ]]
      same_file one.npz $count.npz
    done
  done
  dltf encode model.safetensors "$toy/X.npy" -k 20 --dense -q -o one.npy
  ranks 4 encode model.safetensors "$toy/X.npy" -k 20 --dense --no-error --divide atoms -q -o four.npy
  same_file one.npy four.npy
  run ranks 2 encode model.safetensors "$toy/X.npy" --refit --divide atoms -o m.npz
  one_error "--refit: needs the whole dictionary: ranks that divide the atoms can use the coder threshold, without refit"
}

@test "other data between the blocks that are compared" {
  mkdir here there
  "$PYTHON" -c "
import numpy as np
X = np.random.default_rng(1).standard_normal((250000, 16), np.float32)
np.save('here/X.npy', X)
for gap in range(100):
    X[980 * gap + 400:980 * gap + 700] *= -2
np.save('there/X.npy', X)"
  run apart '[ $rank = 1 ] && cd there || cd here' train X.npy -m 200 -k 3 --encoder learned --epochs .1 -o ../m.safetensors
  [[ $output == *"than on rank 0: every rank needs the same data"* ]]
  one_error "X.npy: "
}

@test "no space for the part of a rank" {
  for rank in 0 1; do
    run full $rank 3000 train "$toy/X.npy" "${options[@]}" -o m.safetensors # a half has 7,680
    one_error "m.safetensors: cannot write: No space left on device"
    [[ -z $(find . -name '.dltf*') ]]
  done
}

@test "a training of several ranks is resumed on other numbers" {
  options=(-m 120 -k 4 --encoder learned --epochs 0.6)
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for counts in "2 3" "3 1" "1 2"; do
    read -r before after <<<"$counts"
    rm -f m.* resumed.*
    # Dies when it removes what the second checkpoint has replaced.
    run env LD_PRELOAD="$FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" FAULT_RANK=0 FAULT_PATH=.checkpoint FAULT=unlink:1:SIGKILL FAULT_CLOCK=1 timeout -s KILL 120 "${START[@]}" -n "$before" "$DLTF_MPI" train "$toy/X.npy" "${options[@]}" --checkpoint-every 1 -q -o m.safetensors
    [[ $status != 0 && -f $checkpoint ]]
    ((before == 1)) || [[ -n $(compgen -G "$checkpoint.*-of-$before") ]]
    ranks "$after" train "$toy/X.npy" --resume $checkpoint -q -o resumed.safetensors
    same_file one.safetensors resumed.safetensors
    dltf train "$toy/X.npy" --resume $checkpoint -q -o resumed.safetensors
    same_file one.safetensors resumed.safetensors
  done
}

# stopped RANK CALL: a training of two ranks, of which one stops itself before a call; it is continued as soon as both the stop
# was seen and the other rank had time to run into it.
stopped() {
  local pid=
  rm -f pid m.*
  LD_PRELOAD="$FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" FAULT_RANK=$1 FAULT_CLOCK=1 FAULT=$2:SIGSTOP FAULT_PATH=.checkpoint \
    apart "[ \$rank != $1 ] || echo \$\$ >pid" train "$toy/X.npy" "${options[@]}" --checkpoint-every 1 -q -o m.safetensors 3>&- &
  for ((i = 0; i < 600; i++)); do
    [[ -s pid ]] && pid=$(<pid) && [[ $(cut -d' ' -f3 "/proc/$pid/stat") == T ]] && break
    sleep 0.1
  done
  ((i < 600))
  sleep 0.5
  [[ ! -e m.safetensors && $(cut -d' ' -f3 "/proc/$pid/stat") == T ]]
  kill -CONT "$pid"
  wait $!
}

# bats test_tags=long
@test "a rank that was stopped for a while changes nothing" {
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  # When it reads the clock between steps; when it names its shard of a checkpoint.
  for stop in "0 clock:40" "1 clock:40" "0 names:1" "1 names:1"; do
    stopped $stop
    same_file one.safetensors m.safetensors
    [[ $(compgen -G 'm.*') == m.safetensors ]]
  done
}

@test "no space for the shard of a rank: a warning, and the same bytes" {
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for rank in 0 1; do
    rm -f m.*
    LD_PRELOAD="$FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" FAULT_RANK=$rank FAULT_CLOCK=1 FAULT=fwrite:1:ENOSPC \
      ranks 2 train "$toy/X.npy" "${options[@]}" --checkpoint-every 1 -o m.safetensors 2>errors
    [[ $(grep -c 'cannot save a checkpoint' errors) == 1 ]]
    grep 'checkpoint: m.safetensors.checkpoint.*: cannot write: No space left on device.*; training continues without checkpoints' errors
    same_file one.safetensors m.safetensors
    [[ $(compgen -G 'm.*') == m.safetensors ]]
  done
}

# bats test_tags=long
@test "a rank that is killed: the others end, without a model, and the training is resumed" {
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for rank in 0 1; do
    rm -f m.*
    run env LD_PRELOAD="$FAULT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" FAULT_RANK=$rank FAULT_CLOCK=1 FAULT=clock:90:SIGKILL timeout -s KILL 120 \
      "${START[@]}" -n 2 "$DLTF_MPI" train "$toy/X.npy" "${options[@]}" --checkpoint-every 1 -q -o m.safetensors
    [[ $status != 0 && ! -e m.safetensors && -n $(compgen -G "$checkpoint.*-of-2") ]]
    ranks 2 train "$toy/X.npy" --resume $checkpoint -q -o m.safetensors
    same_file one.safetensors m.safetensors
  done
}
