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
  fails 2 'choose a format: --c' export "$model" -o model.h
  fails 2 '--name: "1st" is not a C identifier' export "$model" --c --name 1st -o model.h
  fails 2 'is not a C identifier' export "$model" --c --name 'a = 0; int b' -o model.h
  fails 2 'is not a C identifier' export "$model" --c --name '' -o model.h
  fails 2 'C source can be written as .h or .c' export "$model" --c -o model.npy
  fails 2 "X.npy: " export "$toy/X.npy" --c -o model.h
  [[ ! -e model.h ]]
}
