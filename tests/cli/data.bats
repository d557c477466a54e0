#!/usr/bin/env bats
# Data as the field has it: safetensors, three axes, .fbin, HDF5, tables.
load common

# Writes the same 300 x 4 samples of 8 entries in several formats: float16 with three axes, float32 with two.
write_activations() {
  "$PYTHON" - <<'PY'
import json, random, struct
random.seed(1)
halves = [random.gauss(0, 1) for _ in range(300 * 4 * 8)]
half = struct.pack(f"<{len(halves)}e", *halves)
single = struct.pack(f"<{len(halves)}f", *struct.unpack(f"<{len(halves)}e", half))
def npy(path, code, shape, data):
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (53 + 64 - len(header)) + "\n"
    open(path, "wb").write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + data)
def tensors(path, content):
    header, data = {}, b""
    for name, (kind, shape, part) in content.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)
npy("three.npy", "<f2", (300, 4, 8), half)
npy("two.npy", "<f4", (1200, 8), single)
tensors("acts.safetensors", {"ids": ("I64", [3], bytes(24)), "acts": ("F16", [300, 4, 8], half)})
tensors("several.safetensors", {"a": ("F16", [300, 4, 8], half), "b": ("F32", [1200, 8], single)})
tensors("front.safetensors", {"x": ("F16", [200, 4, 8], half[:200 * 64])})
tensors("back.safetensors", {"x": ("F16", [100, 4, 8], half[200 * 64:])})
json.dump({"weight_map": {"a": "several.safetensors", "b": "several.safetensors"}}, open("m.safetensors.index.json", "w"))
open("x.fbin", "wb").write(struct.pack("<II", 1200, 8) + single)
open("x.f16bin", "wb").write(struct.pack("<II", 1200, 8) + half)
PY
}

@test "every format of the same numbers gives the same model and the same codes" {
  write_activations
  dltf train two.npy -m 12 -k 2 "${FAST[@]}" -o expected.safetensors -q
  dltf encode expected.safetensors two.npy -o expected.npz -q
  for data in three.npy acts.safetensors several.safetensors:a several.safetensors:b m.safetensors.index.json:a x.fbin x.f16bin; do
    dltf train "$data" -m 12 -k 2 "${FAST[@]}" -o found.safetensors -q
    same_file found.safetensors expected.safetensors
    dltf encode expected.safetensors "$data" -o found.npz -q
    same_file found.npz expected.npz
  done
  dltf train acts.safetensors -m 12 -k 2 "${FAST[@]}" --memory 200M -o found.safetensors -q
  same_file found.safetensors expected.safetensors
  dltf train front.safetensors back.safetensors -m 12 -k 2 "${FAST[@]}" -o found.safetensors -q
  same_file found.safetensors expected.safetensors
  dltf encode expected.safetensors - -o found.npz -q <acts.safetensors
  same_file found.npz expected.npz
  [[ $(dltf train acts.safetensors -m 12 -k 2 "${FAST[@]}" -o found.safetensors 2>&1) == *"acts.safetensors: 300 x 4 samples of 8 entries"* ]]
}

@test "a tensor must be chosen where there are several" {
  write_activations
  fails 1 "several.safetensors: contains several tensors \('a' \[300 x 4 x 8\], 'b' \[1200 x 8\]\): choose one with FILE.safetensors:NAME" train several.safetensors
  fails 1 "several.safetensors: tensor 'c' not found; the file contains 'a'" train several.safetensors:c
  fails 1 "m.safetensors.index.json: lists 2 tensors: 'a', 'b'" train m.safetensors.index.json
  head -c 9000 acts.safetensors >short.safetensors
  fails 1 "short.safetensors: truncated: tensor 'acts' ends at byte 19,224 of the data, file has" train short.safetensors
  fails 1 "is a safetensors file, but not a dltf model|unsupported type" encode acts.safetensors two.npy
  fails 2 "would overwrite an input" train acts.safetensors:acts -o acts.safetensors
}

@test "--columns-axis" {
  write_activations
  dltf train three.npy --columns-axis rest -m 12 -k 2 "${FAST[@]}" -o rest.safetensors -q
  dltf inspect rest.safetensors --json | grep -q '"n": 32'
  fails 2 "--columns-axis: 'first' is not one of auto\|last\|rest" train three.npy --columns-axis first
}

@test "tables: columns, missing values, text" {
  { echo "id,colour,a,b,price"; for i in $(seq 60); do echo "$i,red,$((i * 7 % 11)),$((i % 9 == 0)),0.$((i * 13 % 17))"; done; } >t.csv
  fails 1 "t.csv: line 2, field 2: 'red' is not a number; leave out columns with text: --columns=-colour" train t.csv -m 4 -k 1
  [[ $(dltf train t.csv --columns=-colour -m 4 -k 1 -o m.safetensors "${FAST[@]}" 2>&1) == *"column id numbers the rows and has"*"--columns=-id"* ]]
  fails 2 "'colours' is not a column" train t.csv --columns colours
  sed -i '5s/,[^,]*$/,/' t.csv
  fails 1 "line 5, field 5 is empty: --missing drop" train t.csv --columns 3-5 -m 4 -k 1
  [[ $(dltf train t.csv --columns 3-5 --missing drop -m 4 -k 1 -o m.safetensors "${FAST[@]}" 2>&1) == *"t.csv: 1 of 60 rows had missing values and were dropped"* ]]
  dltf train t.csv --columns a,b,price --missing mean -m 4 -k 1 -o m.safetensors "${FAST[@]}" -q
  fails 2 "columns: is for text files" train "$toy/X.npy" --columns 3
}

@test "--standardise is stored, inspected and undone" {
  { for i in $(seq 200); do echo "$((i * 7 % 11))000,0.00$((i * 13 % 17)),5"; done; } >t.csv
  dltf train t.csv --standardise -m 3 -k 2 "${FAST[@]}" -o m.safetensors -q
  dltf inspect m.safetensors | grep -q "mean of the training samples subtracted, then columns divided by their deviations"
  dltf inspect m.safetensors --json | grep -q '"standardise": true'
  dltf encode m.safetensors t.csv --coder omp -o z.npz -q
  dltf decode m.safetensors z.npz -o y.csv -q
  # Two atoms span the two columns that vary: the third decodes to its constant, the others to themselves.
  paste -d, t.csv y.csv | awk -F, '{ if (($1-$4)^2 > 1 || ($2-$5)^2 > 1e-9 || ($3-$6)^2 > 1e-9) bad++ } END { exit bad > 0 }'
  fails 2 "standardise" train t.csv --standardise --no-center
  fails 2 "standardise" train - --raw 3 --standardise -m 3 -k 1 -o s.safetensors <t.csv
}

@test "HDF5, or a sentence that this build cannot" {
  "$PYTHON" -c 'import h5py' 2>/dev/null || skip "h5py is not installed"
  write_activations
  "$PYTHON" - <<'PY'
import h5py, numpy as np
x = np.load("three.npy")
with h5py.File("x.h5", "w") as f:
    f["ids"] = np.arange(5)
    f.create_dataset("group/acts", data=x, chunks=(50, 4, 8), compression="gzip")
with h5py.File("two.h5", "w") as f:
    f["a"], f["b"], f["text"] = x, x, np.array([b"abc"])
with h5py.File("huge.h5", "w") as f:
    f.create_dataset("x", shape=(10**9, 1000), dtype="f4", chunks=(1000, 1000))
open("short.h5", "wb").write(open("x.h5", "rb").read()[:3000])
PY
  if dltf --version | grep -q "HDF5: not supported"; then
    fails 1 "x.h5: is an HDF5 file, which this build cannot read" train x.h5
    return
  fi
  dltf train two.npy -m 12 -k 2 "${FAST[@]}" -o expected.safetensors -q
  dltf train x.h5 -m 12 -k 2 "${FAST[@]}" -o found.safetensors -q
  same_file found.safetensors expected.safetensors
  dltf train x.h5:group/acts --memory 200M -m 12 -k 2 "${FAST[@]}" -o found.safetensors -q
  same_file found.safetensors expected.safetensors
  dltf encode expected.safetensors two.npy -o expected.npz -q
  dltf encode expected.safetensors x.h5 -o found.npz -q
  same_file found.npz expected.npz
  fails 1 "two.h5: contains several datasets \('a', 'b'\): choose one with FILE.h5:NAME" train two.h5
  fails 1 "two.h5: dataset 'c' not found; the file contains 'a', 'b'" train two.h5:c
  fails 1 "two.h5: dataset 'text' does not contain numbers" train two.h5:text
  fails 1 "huge.h5: truncated: shape declares 4,000,000,000,000 bytes, file stores 0" train huge.h5
  fails 1 "short.h5: is a truncated or corrupt HDF5 file" train short.h5
}
