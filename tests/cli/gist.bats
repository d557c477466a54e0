#!/usr/bin/env bats
# dltf gist: images in files and folders, CIFAR-10, IDX.
load common

setup_file() { :; }

# images: gray.pgm, colour.ppm, a folder of three images and other files, a CIFAR-10 and an IDX file with the same image.
images() {
  "$PYTHON" - <<'PYTHON'
import os, struct
gray = lambda seed, width, height: bytes((x * x + 7 * y + seed * x * y) % 256 for y in range(height) for x in range(width))
pgm = lambda name, seed, width=40, height=36: open(name, "wb").write(b"P5 %d %d 255\n" % (width, height) + gray(seed, width, height))
pgm("gray.pgm", 1)
colour = [gray(seed, 32, 32) for seed in (1, 2, 3)]
open("colour.ppm", "wb").write(b"P6 32 32 255\n" + bytes(v for pixel in zip(*colour) for v in pixel))
open("batch.bin", "wb").write(b"".join(bytes([label]) + b"".join(colour) for label in (7, 2)))
open("images-idx3-ubyte", "wb").write(struct.pack(">4B3I", 0, 0, 8, 3, 2, 36, 40) + gray(1, 40, 36) + gray(2, 40, 36))
os.mkdir("folder")
for seed, name in enumerate(["10.pgm", "9.pgm", "a.pgm"]):
    pgm("folder/" + name, seed)
open("folder/notes.txt", "w").write("not an image")
open("folder/x.npy", "w").write("not an image")
PYTHON
}

# shape FILE, and rows FILE I FILE J: whether two descriptors are the same.
shape() { "$PYTHON" -c 'import numpy, sys; x = numpy.load(sys.argv[1]); print(x.dtype, *x.shape)' "$1"; }
same_rows() {
  "$PYTHON" -c 'import numpy, sys; a, i, b, j = sys.argv[1:]; x, y = numpy.load(a)[int(i)], numpy.load(b)[int(j)]; print((x == y).all() and x.std() > .01)' "$@"
}

@test "every kind of input, and their order" {
  images
  dltf gist gray.pgm -o gray.npy -q
  dltf gist colour.ppm -o colour.npy -q
  run -0 dltf gist images-idx3-ubyte folder -o all.npy gray.pgm batch.bin
  [[ $output == *"images   8 in"*"written  all.npy"* ]]
  [[ $(shape all.npy) == "float32 8 512" ]]
  dltf gist folder/9.pgm -o nine.npy -q
  [[ $(same_rows gray.npy 0 all.npy 0) == True ]]
  [[ $(same_rows nine.npy 0 all.npy 3) == True ]]
  [[ $(same_rows gray.npy 0 all.npy 5) == True ]]
  [[ $(same_rows colour.npy 0 all.npy 7) == True ]]
  [[ $(same_rows gray.npy 0 colour.npy 0) == False ]]
  gzip -k images-idx3-ubyte
  dltf gist images-idx3-ubyte.gz -o gz.npy -q
  [[ $(same_rows gz.npy 0 all.npy 0) == True ]]
  dltf gist - -o dash.npy -q 2>err || [[ $(<err) == *"-: cannot open"* ]]
  dltf gist /dev/stdin -o pipe.npy -q <gray.pgm
  cat gray.pgm | dltf gist /dev/stdin -o pipe2.npy -q
  same_file pipe.npy gray.npy
  same_file pipe2.npy gray.npy
}

@test "labels, JSON, text, threads, sides" {
  images
  dltf gist batch.bin batch.bin -o g.npy --labels l.csv --json >r.json
  [[ $(paste -sd' ' l.csv) == "7 2 7 2" ]]
  [[ $(value 'd["images"], d["values"], d["side"], d["output"], d["labels"], d["seconds"] > 0' <r.json) == "(4, 512, 32, 'g.npy', 'l.csv', True)" ]]
  dltf gist batch.bin -o g.csv --labels l.npy -q
  [[ $(shape l.npy) == "int64 2" && $(wc -l <g.csv) == 2 ]]
  dltf gist folder batch.bin -o one.npy --threads 1 -q
  dltf gist folder batch.bin -o three.npy --threads 3 -q
  same_file one.npy three.npy
  dltf gist folder batch.bin -o large.npy --side 64 -q
  [[ $(shape large.npy) == "float32 5 512" ]]
  run ! cmp -s one.npy large.npy
}

@test "CIFAR-10 files are data and labels for other commands, too" {
  images
  for i in {1..20}; do cat batch.bin; done >many.bin
  [[ $(dltf cluster many.bin -c 2 --labels many.bin --json | value 'd["samples"], d["columns"]') == "(40, 3072)" ]]
  head -c 5000 batch.bin >cut.bin
  fails 1 "cut.bin: is not a CIFAR-10 file: its size, 5,000 bytes, is not a multiple of 3,073" cluster cut.bin -c 2
}

@test "invalid input is rejected with a message" {
  images
  mkdir empty
  head -c 700 gray.pgm >folder/9.pgm
  head -c 5000 batch.bin >cut.bin
  printf '\xff' | cat - batch.bin | head -c 6146 >label.bin
  echo "no image" >text.png
  fails 2 "IMAGES is missing; usage: dltf gist IMAGES..." gist -o g.npy
  fails 2 "IMAGES is empty" gist gray.pgm "" -o g.npy
  fails 2 "-o OUT is missing: give an output file \(.npy" gist gray.pgm
  fails 2 "g.png: unsupported extension: descriptors can be written as .npy" gist gray.pgm -o g.png
  fails 2 "l.txt: unsupported extension: labels can be written as .npy" gist batch.bin -o g.npy --labels l.txt
  fails 2 "batch.bin: would overwrite an input|batch.bin: unsupported" gist gray.pgm batch.bin -o batch.bin
  fails 2 "g.npy: given for two outputs" gist batch.bin -o g.npy --labels g.npy
  fails 2 "--side: 48 is not a power of two" gist gray.pgm -o g.npy --side 48
  fails 2 "side: 16 is outside 32 .. 256" gist gray.pgm -o g.npy --side 16
  fails 1 "none.png: cannot open: No such file" gist none.png -o g.npy
  fails 1 "empty: is a folder without images: expected .png, .pgm, .ppm or .jpg files" gist gray.pgm empty -o g.npy
  fails 1 "folder/9.pgm: truncated" gist folder -o g.npy
  fails 1 "text.png: unrecognised format|text.png: is corrupt" gist text.png -o g.npy
  fails 1 "cut.bin: is not a CIFAR-10 file: its size, 5,000 bytes" gist batch.bin cut.bin -o g.npy
  fails 1 "label.bin: is not a CIFAR-10 file: record 0 \(counting from 0\) has label 255" gist label.bin -o g.npy
  fails 1 "gray.pgm: has no labels: only CIFAR-10 files have them" gist batch.bin gray.pgm -o g.npy --labels l.npy
  fails 1 "missing/g.npy: cannot create" gist gray.pgm -o missing/g.npy
  [[ $(echo g.*) == "g.*" && $(echo l.*) == "l.*" ]]
}
