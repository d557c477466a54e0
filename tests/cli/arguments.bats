#!/usr/bin/env bats
# Option syntax and usage errors.
load common

@test "all spellings of options mean the same" {
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --seed 5 -o a.safetensors -q
  fails 2 "--k: .=3. is not" train -k=3 "$toy/X.npy"
  dltf train -m24 -k3 "${FAST[@]}" --seed=5 --quiet -ob.safetensors -- "$toy/X.npy"
  dltf train "$toy/X.npy" --m 7 --m 24 --k 3 "${FAST[@]}" --seed 5 --center --no-center --center=auto -qo c.safetensors
  same_file a.safetensors b.safetensors
  same_file a.safetensors c.safetensors
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --center --no-center -qo d.safetensors
  dltf train "$toy/X.npy" -m 24 -k 3 "${FAST[@]}" --center=no -qo e.safetensors
  same_file d.safetensors e.safetensors
  fails 2 "--center: 'maybe' is not one of auto, yes and no" train "$toy/X.npy" --center=maybe
}

@test "unknown options are named, with a suggestion" {
  fails 2 "did you mean --theta" train x.npy --thta 3
  fails 2 "did you mean --unit-norm" train x.npy --unitnorm
  fails 2 "unknown option -z" train x.npy -z
  fails 2 "unknown option --no-theta" train x.npy --no-theta
  fails 2 "unknown option --bogus-name" encode m d --bogus-name
}

@test "values are missing or wrong" {
  fails 2 "--theta needs a value: --theta THETA" train x.npy --theta
  fails 2 "--theta needs a value but found -q" train x.npy --theta -q
  fails 2 "--theta: 'abc' is not a number" train x.npy --theta abc
  fails 2 "--m: '1.5' is not a whole number" train x.npy -m 1.5
  fails 2 "--m: -3 is outside" train x.npy -m -3
  fails 2 "--select: 'none' is not one of" encode m d --select none
  fails 2 "--select: 'model' is not one of abs.positive" train x.npy --select model
  fails 2 "--refit: 'maybe'" encode m d --refit=maybe
  fails 2 "--seeds: 0 is outside" reproduce table1 --seeds 0
}

@test "operands are missing or too many" {
  fails 2 "DATA is missing; usage: dltf train DATA" train
  fails 2 "MODEL is missing" encode
  fails 2 "DATA is missing" encode "$model"
  fails 2 "CODES is missing" decode "$model"
  fails 2 "unexpected argument 'b'; usage: dltf inspect MODEL" inspect a b
  fails 2 "unexpected argument 'DIR'; usage: dltf synth \[options\]" synth DIR
  fails 2 "DATA is empty" train ""
  fails 2 "--truth DIR is missing" score "$model"
}
