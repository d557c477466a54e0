#!/usr/bin/env bats
# .fvecs, .bvecs and .ivecs: the same results as from .npy.
load common

# vecs FILE.npy FILE.?vecs: converts.
vecs() {
  "$PYTHON" - "$@" <<'PYTHON'
import numpy, sys
x = numpy.load(sys.argv[1])
kind = {"f": "<f4", "b": "u1", "i": "<i4"}[sys.argv[2][-5]]
head = numpy.full((len(x), 1), x.shape[1], "<i4")
open(sys.argv[2], "wb").write(numpy.hstack([head.view("u1"), numpy.ascontiguousarray(x.astype(kind)).view("u1")]).tobytes())
PYTHON
}

# unpacked FILE.?vecs FILE.npy: back.
unpacked() {
  "$PYTHON" - "$@" <<'PYTHON'
import numpy, sys
raw = numpy.fromfile(sys.argv[1], "<i4")
x = raw.reshape(-1, raw[0] + 1)[:, 1:]
numpy.save(sys.argv[2], numpy.ascontiguousarray(x).view("<f4") if sys.argv[1][-5] == "f" else x)
PYTHON
}

@test "training and coding give the same bytes from .fvecs as from .npy" {
  vecs "$toy/X.npy" X.fvecs
  vecs "$toy/Xtest.npy" Xtest.fvecs
  dltf train X.fvecs -m 24 -k 3 "${FAST[@]}" -o m.safetensors -q
  same_file m.safetensors "$model"
  dltf encode "$model" "$toy/Xtest.npy" -o a.npz -q
  dltf encode "$model" Xtest.fvecs -o b.npz -q
  same_file a.npz b.npz
  [[ $(dltf encode "$model" Xtest.fvecs -q && echo *.codes.npz) == Xtest.codes.npz ]]
  dltf encode "$model" Xtest.fvecs --dense -o d.npy -q
  dltf encode "$model" Xtest.fvecs --dense -o d.fvecs -q
  unpacked d.fvecs back.npy
  "$PYTHON" -c 'import numpy; assert (numpy.load("d.npy") == numpy.load("back.npy")).all()'
  dltf decode "$model" a.npz -o r.npy -q
  dltf decode "$model" a.npz -o r.fvecs -q
  unpacked r.fvecs back.npy
  "$PYTHON" -c 'import numpy; assert (numpy.load("r.npy") == numpy.load("back.npy")).all()'
}

@test "clusters of bytes and integers" {
  "$PYTHON" -c 'import numpy; numpy.save("u.npy", numpy.random.default_rng(1).integers(0, 256, (200, 7), "u1")); numpy.save("i.npy", numpy.load("u.npy").astype("i4"))'
  vecs u.npy u.bvecs
  vecs i.npy i.ivecs
  dltf cluster u.npy -c 3 -o a.npy --centers c.npy -q
  dltf cluster u.bvecs -c 3 -o b.npy --centers c.fvecs -q
  dltf cluster i.ivecs -c 3 -o d.ivecs -q
  same_file a.npy b.npy
  unpacked d.ivecs d.npy
  unpacked c.fvecs e.npy
  "$PYTHON" -c 'import numpy; assert (numpy.load("a.npy") == numpy.load("d.npy")[:, 0]).all() and (numpy.load("c.npy") == numpy.load("e.npy")).all()'
  dltf cluster u.bvecs -c 3 --labels d.ivecs --json | value 'd["accuracy"]' | grep -x 1.0
}

@test "invalid files are rejected with a message" {
  printf '\2\0\0\0aaaabbbb\1\0\0\0cccc' >ragged.fvecs
  printf '\2\0\0\0aaaabbb' >cut.fvecs
  printf '\377\377\377\377' >negative.bvecs
  printf '\0\0\0\0' >zero.ivecs
  : >empty.fvecs
  fails 1 "ragged.fvecs: corrupt: row 1 \(counting from 0\) has dimension 1, but the rows before have 2" cluster ragged.fvecs -c 2
  fails 1 "cut.fvecs: truncated: row 0 \(counting from 0\) has 11 of 12 bytes" cluster cut.fvecs -c 2
  fails 1 "negative.bvecs: corrupt: row 0 \(counting from 0\) has dimension -1: must be at least 1" train negative.bvecs
  fails 1 "zero.ivecs: corrupt: row 0 \(counting from 0\) has dimension 0" encode "$model" zero.ivecs -o z.npz
  fails 1 "empty.fvecs: is empty" cluster empty.fvecs -c 2
  fails 2 "c.bvecs: unsupported extension: centers can be written as .npy, .csv or .fvecs" cluster "$toy/X.npy" -c 2 --centers c.bvecs
  fails 2 "c.fvecs: unsupported extension: clusters can be written as .npy, .csv or .ivecs" cluster "$toy/X.npy" -c 2 -o c.fvecs
}
