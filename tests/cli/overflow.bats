#!/usr/bin/env bats
# Values at the limits of single and double precision: every command writes finite numbers, or fails and writes nothing.
load common

setup_file() {
  export toy=$BATS_FILE_TMPDIR/toy inputs=$BATS_FILE_TMPDIR/inputs
  mkdir "$inputs"
  cd "$inputs" || return
  "$PYTHON" - <<'PYTHON'
import numpy as np
x = np.random.default_rng(0).standard_normal((60, 16))
np.save("ok.npy", x.astype("f4"))
np.save("y.npy", np.arange(60) % 3)
np.save("f32.npy", (np.sign(x) * 3.4e38).astype("f4"))
np.save("f64.npy", x * 1e39)
np.save("f200.npy", x * 1e200)
x[3, 5] = 1e39
np.save("one.npy", x)
PYTHON
  dltf train ok.npy -m 8 -k 2 --encoder tied --steps 3 --iterations 2 -o model.safetensors -q
  dltf classify train ok.npy --labels y.npy --hidden 4 --epochs 1 -o classifier.safetensors -q
  dltf cluster ok.npy -c 2 --pca 3 --save-pca pca.safetensors -o clusters.npy -q
}

setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
  ln -s "$inputs"/* .
}

# fill FROM TO VALUE [TENSOR]: a copy of a safetensors file in which all values of tensors of that name are VALUE.
fill() {
  "$PYTHON" - "$@" <<'PYTHON'
import json, struct, sys
source, target, value = sys.argv[1], sys.argv[2], float(sys.argv[3])
data = bytearray(open(source, "rb").read())
begin = 8 + struct.unpack("<Q", data[:8])[0]
for name, tensor in json.loads(data[8:begin]).items():
    if name != "__metadata__" and tensor["dtype"] in ("F32", "F64") and name in (sys.argv[4:] or [name]):
        first, last = (begin + at for at in tensor["data_offsets"])
        code, size = {"F32": ("<f", 4), "F64": ("<d", 8)}[tensor["dtype"]]
        data[first:last] = struct.pack(code, value) * ((last - first) // size)
open(target, "wb").write(data)
PYTHON
}

# refuses PATTERN ARGUMENTS...: fails with code 1 and leaves no output behind.
refuses() {
  fails 1 "$@"
  [[ -z $(find . -name '*out*') ]] || { find . -name '*out*'; return 1; }
}

@test "a share of less than one sample is refused" {
  for share in 1e-19 5e-324 1e-3; do
    fails 2 'validation: a share of .* of 60 samples is less than one' train ok.npy -m 8 -k 2 --validation $share -o out.safetensors -q
    [[ ! -e out.safetensors ]]
  done
}

@test "predictions" {
  beyond='row 3, column 5 is 1e\+39 \(counting from 0\), beyond the range of single precision: rescale the data'
  overflow='row 0: the outputs of the network overflow single precision'
  refuses "one.npy: $beyond" classify predict classifier.safetensors one.npy -o out.npy --probabilities out2.npy
  fill classifier.safetensors large.safetensors 1e10
  refuses "$overflow" classify predict large.safetensors f32.npy -o out.npy --probabilities out2.npy
  fill classifier.safetensors large.safetensors 3e38
  refuses "$overflow" classify predict large.safetensors ok.npy -o out.npy --probabilities out2.npy
  refuses "$beyond" classify evaluate classifier.safetensors one.npy --labels y.npy
}

@test "clusters" {
  refuses 'one.npy: row 3, column 5 is 1e\+39' cluster one.npy -c 3 -o out.npy --centers out2.npy
  refuses 'beyond the range of single precision' cluster f200.npy -c 3 -o out.npy --centers out2.npy --json
  refuses 'overflow single precision' cluster f32.npy -c 3 --pca 4 --save-pca out.safetensors -o out.npy
  dltf cluster f200.npy -c 3 --spherical -o clusters.out.npy -q
}

@test "principal components with impossible variances" {
  fill pca.safetensors low.safetensors 1e-320 total_variance
  fill pca.safetensors zero.safetensors 0 total_variance
  fill pca.safetensors high.safetensors 1e308 variances
  for file in low zero high; do
    refuses "$file.safetensors: pca: the variances of the components add up to .*, more than the total" \
      cluster ok.npy -c 2 --load-pca $file.safetensors -o out.npy
  done
}

@test "models, codes, neighbours, descriptors" {
  refuses 'row 0 has norm 1.36e\+39 .*rescale the data' train f32.npy -m 8 -k 2 -o out.safetensors -q
  refuses 'row 3 has norm 1e\+39' train one.npy -m 8 -k 2 -o out.safetensors -q
  refuses 'single precision' encode model.safetensors f64.npy -o out.npz -q
  refuses 'single precision: rescale' hash train f64.npy --method lsh -m 8 -o out.safetensors -q
  dltf hash train ok.npy --method lsh -m 8 -o hasher.safetensors -q
  dltf hash encode hasher.safetensors ok.npy -o bits.npy -q
  refuses 'distances overflow double precision' hash evaluate bits.npy bits.npy --data f200.npy --query-data f200.npy --radius 5
  refuses 'single precision' pretrain f64.npy --hidden 4 --method random -o out.safetensors -q
  refuses 'row 3, column 5 is not a finite number in single precision' suggest one.npy --seconds 1 -q
  # normalised in double precision first
  dltf train f64.npy -m 8 -k 2 --unit-norm --encoder tied --steps 3 --iterations 2 -o unit.safetensors -q
  run -0 dltf encode unit.safetensors f64.npy -o unit.npz --json
  [[ $(value 'd["relative_error"] < 1' <<<"$output") == True ]]
}
