#!/usr/bin/env bats
# dltf export: C source of a model. tests/embedded/export compiles it.
load common

@test "every value is exact" {
  dltf export "$model" --c -o model.h -q
  "$PYTHON" - "$model" model.h <<'EOF'
import json, re, struct, sys
raw = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
tensors = json.loads(raw[8:8 + size])
text = open(sys.argv[2]).read()
found = dict(re.findall(r"static const float model_(\w+)\[\d+\] = \{(.*?)\};", text, re.S))
assert set(found) == set(tensors) - {"__metadata__"} and "dictionary" in found, (set(found), set(tensors))
for name, body in found.items():
    values = [float.fromhex(v.strip()[:-1]) for v in body.split(",") if v.strip()]
    begin, end = tensors[name]["data_offsets"]
    assert struct.pack(f"<{len(values)}f", *values) == raw[8 + size + begin:8 + size + end], name
EOF
}

@test "the same model gives the same bytes, whatever the locale" {
  dltf export "$model" --c -o a.h -q
  LC_ALL=de_DE.UTF-8 dltf export "$model" --c -o b.h -q
  cmp a.h b.h
}

@test "report and default name" {
  run -0 dltf export "$model" --c
  [[ $output == *"atoms "*24* && -s model.h ]]
  run -0 dltf export "$model" --c --name digits --json -o digits.c
  "$PYTHON" -c 'import json, sys; r = json.loads(sys.argv[1]); assert (r["m"], r["n"], r["k"], r["name"], r["output"]) == (24, 16, 3, "digits", "digits.c")' "$output"
  grep -q '^const dltf_model_view digits = {' digits.c
}

@test "refusals" {
  fails 2 'choose a format: --c, --micro or --format NAME' export "$model" -o model.h
  fails 2 '--name: "1st" is not a C identifier' export "$model" --c --name 1st -o model.h
  fails 2 'is not a C identifier' export "$model" --c --name 'a = 0; int b' -o model.h
  fails 2 'is not a C identifier' export "$model" --c --name '' -o model.h
  fails 2 'C source can be written as .h or .c' export "$model" --c -o model.npy
  fails 2 "X.npy: " export "$toy/X.npy" --c -o model.h
  [[ ! -e model.h ]]
}

@test "micro: constants that compile, in every number of bits, and the cost of quantisation" {
  for bits in 8 16 32; do
    for name in model.h model.c; do
      run -0 dltf export "$model" --micro --bits $bits --refit --data "$toy/Xtest.npy" --json -o $name
      "${CC:-cc}" -std=c99 -Wall -Wextra -Wconversion -Wpedantic -Werror -I"$BATS_TEST_DIRNAME/../../micro" -x c -c $name -o model.o -Wno-unused-const-variable
    done
    [[ $(value 'd["bits"]' <<<"$output") == $bits ]]
    [[ $(value 'd["wrong_atoms"] < 0.1 and d["relative_error"] < 1.01 * d["relative_error_float"] and d["refit_error"] < 1.01 * d["refit_error_float"]' <<<"$output") == True ]]
    [[ $(value 'd["ram"] < 200 and d["samples"] > 0' <<<"$output") == True ]]
  done
  dltf export "$model" --micro -o a.h -q
  LC_ALL=de_DE.UTF-8 dltf export "$model" --micro -o b.h -q
  cmp a.h b.h
}

@test "micro: what cannot be exported is refused with the reason" {
  dltf train "$toy/X.npy" -m 24 -k 3 --unit-norm "${FAST[@]}" -o unit -q
  fails 2 'unit: it scales samples to norm 1, which needs floating point: use --bits 32' export unit --micro -o model.h
  dltf export unit --micro --bits 32 -o unit.h -q
  fails 2 '--bits requires --micro' export "$model" --c --bits 8 -o model.h
  fails 2 'choose a format' export "$model" --c --micro -o model.h
  fails 2 'bits' export "$model" --micro --bits 4 -o model.h
  fails 2 'float32 samples need a scale' export "$model" --micro --input float32 -o model.h
  dltf synth -n 5 -m 8 -k 2 -N 20 -o other -q
  fails 1 'X.npy: ' export "$model" --micro --data other/X.npy -o model.h
  [[ ! -e model.h ]]
}
