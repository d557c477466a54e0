#!/usr/bin/env bats
# dltf train: warnings about doubtful results, in words and in the report; models worse than none.
load common

LEARNED=(--encoder learned -o m.safetensors)

# python CODE: with numpy as np, X = samples of the toy problem.
python() { "$PYTHON" -c "import numpy as np, sys; X = np.load('$toy/X.npy'); $1"; }

# warns PATTERN ARGUMENTS...: exactly one warning matches, on stderr and in the report.
warns() {
  local pattern=$1
  shift
  run -0 --separate-stderr dltf train "$@" "${LEARNED[@]}" --json
  [[ $(grep -c "^warning: $pattern" <<<"$stderr") == 1 ]] || { echo "stderr: $stderr"; return 1; }
  [[ $(value "len([w for w in d['warnings'] if __import__('re').match('''$pattern''', w)])" <<<"$output") == 1 ]]
}

@test "a sound training has no warnings" {
  run -0 --separate-stderr dltf train "$toy/X.npy" -m 8 -k 2 --center --epochs 20 "${LEARNED[@]}" --json
  [[ $stderr != *warning* ]]
  [[ $(value 'd["warnings"]' <<<"$output") == "[]" ]]
}

@test "too few samples" {
  python "np.save('few.npy', X[:40])"
  warns 'more atoms than training samples .64 > 36.: lower -m$' few.npy -m 64 -k 2 --epochs 2
  warns 'only 2.2 training samples per atom: lower -m, or add samples$' few.npy -m 16 -k 2 --epochs 2
}

@test "an error that grew" {
  python "np.save('few.npy', X[:40])"
  warns 'the held-out error grew after its minimum' few.npy -m 16 -k 2
  [[ $(value 'd["outcome"]' <<<"$output") == "error grew after its minimum" ]]
}

@test "unused atoms" {
  python "Y = np.zeros((400, 8), 'f'); Y[::2, 0] = 1; Y[1::2, 1] = 1; np.save('two.npy', Y)"
  warns '90% of the atoms are in no code of 40 held-out samples' two.npy -m 40 -k 2 --epochs 2 --no-center
}

@test "raw codes much worse than refitted ones" {
  warns 'the error of raw codes is [0-9.]* times that after refit' "$toy/X.npy" -m 48 -k 12 --epochs 0.01
}

@test "a dominant mean, unless it is subtracted" {
  python "np.save('mean.npy', X + 10)"
  warns '100% of the energy of the samples is in their mean: --center subtracts it$' mean.npy -m 24 -k 3 --epochs 2 --no-center
  for center in --center --center=auto; do
    dltf train mean.npy -m 24 -k 3 --epochs 2 "$center" "${LEARNED[@]}" --json -q >report.json
    [[ $(value '[w for w in d["warnings"] if "mean" in w]' <report.json) == "[]" ]]
  done
}

@test "streams have the same warnings" {
  python "np.save('mean.npy', X + 10)"
  run -0 --separate-stderr dltf train - -m 24 -k 3 --no-center "${LEARNED[@]}" --json <mean.npy
  [[ $stderr == *"warning: 100% of the energy of the samples is in their mean"* ]]
  [[ $(value 'any("mean" in w for w in d["warnings"])' <<<"$output") == True ]]
  python "Y = np.zeros((400, 8), 'f'); Y[::2, 0] = 1; Y[1::2, 1] = 1; np.save('two.npy', Y)"
  run -0 --separate-stderr dltf train - -m 40 -k 2 --no-center "${LEARNED[@]}" <two.npy
  [[ $stderr =~ "warning: "[0-9]+"% of the atoms are in no code of the last 20 held-out samples: lower -m" ]]
}

@test "a model that is worse than none is a failure, and is still saved" {
  dltf train "$toy/X.npy" -m 24 -k 3 --epochs 2 --encoder learned -o good.safetensors -q
  "$PYTHON" - <<'PYTHON'
import json, struct
import numpy as np
data = bytearray(open("good.safetensors", "rb").read())
size = struct.unpack("<Q", data[:8])[0]
first, end = json.loads(data[8:8 + size])["encoder"]["data_offsets"]
part = slice(8 + size + first, 8 + size + end)
data[part] = (10 * np.frombuffer(bytes(data[part]), "<f4")).astype("<f4").tobytes()
open("loud.safetensors", "wb").write(data)
PYTHON
  run -1 --separate-stderr dltf train "$toy/X.npy" --init loud.safetensors --epochs 0.01 "${LEARNED[@]}"
  [[ $stderr == *"worse than all-zero codes: relative error "*"train longer"* ]]
  [[ -s m.safetensors ]]
}
