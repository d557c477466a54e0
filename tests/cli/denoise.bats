#!/usr/bin/env bats
# dltf noise, dltf denoise and reproduce table4.
load common

# A gray or colour image of 40 x 36 with an edge and a gradient: picture gray|colour FILE
setup_file() { :; }

picture() {
  "$PYTHON" - "$1" "$2" <<'PYTHON'
import sys
kind, name = sys.argv[1:]
value = lambda x, y, c: (60 + 2 * x + 20 * c + (70 if x + y > 40 else 0)) % 256
pixels = bytes(value(x, y, c) for y in range(36) for x in range(40) for c in range(3 if kind == "colour" else 1))
open(name, "wb").write((b"P6" if kind == "colour" else b"P5") + b"\n40 36\n255\n" + pixels)
PYTHON
}

@test "noise and denoise, from one format to another" {
  picture gray a.pgm
  dltf noise a.pgm --sigma 15 --seed 3 -o n.npy -q
  run -0 dltf denoise n.npy --reference a.pgm --patch 4 -m 24 -o c.png
  [[ $output == *"40 x 36, gray, 32 bits"*"(estimated)"*PSNR*"(noisy"*SSIM*c.png* ]]
  [[ $(head -c 4 c.png | tail -c 3) == PNG ]]
  dltf denoise n.npy --sigma 15 --reference a.pgm --patch 4 -m 24 -o c.pgm --json >r.json
  [[ $(value 'd["psnr"] > d["psnr_noisy"] + 2 and d["sigma"] == 15 and not d["sigma_estimated"] and 0 < d["ssim"] <= 1' <r.json) == True ]]
  [[ $(value 'd["patches"], d["m"]' <r.json) == "(1221, 24)" ]]
}

@test "colour images, methods and stages" {
  picture colour a.ppm
  dltf noise a.ppm --sigma 15 -o n.png -q
  for method in dltf ksvd paper; do
    for stages in 1 2; do
      dltf denoise n.png --sigma 15 --method $method --stages $stages --patch 4 -m 24 --reference a.ppm -o c.ppm --json >r.json
      [[ $(value 'd["channels"] == 3 and d["psnr"] > d["psnr_noisy"] + 1' <r.json) == True ]]
    done
  done
}

@test "the same seed gives the same noise, any number of threads the same image" {
  picture gray a.pgm
  dltf noise a.pgm --seed 1 -o n.png -q
  dltf noise a.pgm --seed 1 -o again.png -q
  dltf noise a.pgm --seed 2 -o other.png -q
  same_file n.png again.png
  run ! cmp -s n.png other.png
  dltf denoise n.png --patch 4 -m 24 --threads 1 -o one.png -q
  dltf denoise n.png --patch 4 -m 24 --threads 2 -o two.png -q
  same_file one.png two.png
}

# shape FILE.png: width, height and channels.
shape() {
  "$PYTHON" -c 'import struct, sys; w, h, d, c = struct.unpack(">IIBB", open(sys.argv[1], "rb").read()[16:26]); print(w, h, {0: 1, 2: 3}[c], d)' "$1"
}

@test "a strip shows the image before and after, and what was removed" {
  local kind
  for kind in gray colour; do
    picture $kind a.ppm
    dltf noise a.ppm --sigma 15 -o n.png -q
    dltf denoise n.png --sigma 15 --patch 4 -m 24 -o c.png --strip three.png -q
    run -0 dltf denoise n.png --sigma 15 --patch 4 -m 24 -o c.png --reference a.ppm --strip four.png
    [[ $output == *strip*four.png* ]]
    [[ $(shape three.png) == "128 36 "$([[ $kind == gray ]] && echo 1 || echo 3)" 8" ]]
    [[ $(shape four.png) == "172 36 "* ]]
  done
  # panels are the images themselves; the last one is gray where nothing was removed
  picture gray a.pgm
  dltf noise a.pgm --sigma 15 -o n.pgm -q
  dltf denoise n.pgm --sigma 15 --patch 4 -m 24 -o c.pgm --strip s.png -q
  gray_pixels s.png >pixels
  "$PYTHON" - <<'PYTHON'
noisy, clean = (open(name, "rb").read()[-40 * 36:] for name in ("n.pgm", "c.pgm"))
for y, line in enumerate(open("pixels")):
    row, span = bytes.fromhex(line), slice(40 * y, 40 * y + 40)
    assert row[:40] == noisy[span] and row[44:84] == clean[span] and row[40:44] == row[84:88] == b"\xff" * 4, y
    for seen, a, b in zip(row[88:], noisy[span], clean[span]):
        # the result is rounded after the difference was taken
        assert abs(seen - min(max(127.5 + 127.5 / 45 * (a - b), 0), 255)) <= 127.5 / 90 + 1, (y, seen, a, b)
PYTHON
  fails 2 "would overwrite an input" denoise n.png -o c.png --strip n.png
  fails 2 "given for two outputs" denoise n.png -o c.png --strip c.png
  fails 2 "pictures can be written as .png" denoise n.png -o c.png --strip s.svg
}

@test "a trained dictionary is used" {
  picture gray a.pgm
  dltf noise a.pgm -o n.npy -q
  "$PYTHON" -c 'import random; random.seed(1); print("\n".join(",".join(str(random.gauss(0, 1)) for _ in range(16)) for _ in range(200)))' >x.csv
  dltf train x.csv -m 20 -k 2 "${FAST[@]}" -o x.model.safetensors -q
  [[ $(dltf denoise n.npy --sigma 20 --patch 4 --model x.model.safetensors -o c.png --json | value 'd["m"]') == 20 ]]
  fails 2 "x.model.safetensors: atoms of 16 entries, but a patch of 8 x 8 has 64" denoise n.npy --sigma 20 --model x.model.safetensors -o d.png
}

@test "invalid input is rejected with a message" {
  picture gray a.pgm
  printf 'P5\n1 1\n255\na' >dot.pgm
  head -c 700 a.pgm >cut.pgm
  echo "no image" >text.png
  fails 1 "dot.pgm: 1 x 1 pixels are smaller than one patch" denoise dot.pgm --sigma 20 -o c.png
  fails 1 "cut.pgm: truncated" denoise cut.pgm -o c.png
  fails 1 "text.png: unrecognised image format" denoise text.png -o c.png
  fails 1 "none.png: cannot open" denoise none.png -o c.png
  fails 2 "sigma: -5 is outside 0 .. 1000" denoise a.pgm --sigma -5 -o c.png
  fails 2 "sigma: 1e9 is outside" denoise a.pgm --sigma 1e9 -o c.png
  fails 2 "OUT is missing" denoise a.pgm
  fails 2 "c.jpg: unsupported extension: images can be written as .png, .pgm, .ppm or .npy" denoise a.pgm -o c.jpg
  fails 2 "a.pgm: would overwrite an input" denoise a.pgm -o a.pgm
  fails 2 "c.ppm: a gray image can only be written as .png, .pgm or .npy" denoise a.pgm -o c.ppm
  fails 2 "--stride: 9 is more than the patch" denoise a.pgm --sigma 3 --stride 9 -o c.png
  fails 1 "the images differ" denoise a.pgm --reference dot.pgm -o c.png
  fails 2 "OUT is missing" noise a.pgm
  [[ $(echo c.*) == "c.*" ]]
}

# bats test_tags=long
@test "reproduce table4 names missing data, runs on a generated image, and draws" {
  [[ ${DLTF_TEST_SMALL:-0} != 1 ]] || skip "too slow under sanitizers"
  mkdir figures
  unset DLTF_DATA
  run -0 --separate-stderr dltf reproduce table4 --quick --seeds 1 --methods noisy,one-pass --json
  [[ $stderr == *"House not found"*"Set12"* ]]
  [[ $(value '[r["image"] for r in d["rows"]]' <<<"$output") == "['generated', 'generated']" ]]
  [[ $(value 'd["rows"][1]["psnr"] > d["rows"][0]["psnr"] + 8 and "notice" in d' <<<"$output") == True ]]
  dltf reproduce table4 --quick --seeds 1 --methods noisy --figures figures -q >/dev/null
  [[ $(head -c 4 figures/table4.png | tail -c 3) == PNG ]]
  [[ $(<figures/table4.html) == *"House not found"*"data:image/png;base64,"*"</html>"* ]]
  fails 2 "encoders has no figure" reproduce encoders --figures figures
}

@test "remarks on a dropped alpha channel and on JPEG" {
  "$PYTHON" - <<'PYTHON'
import struct, zlib
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + bytes(v for x in range(40) for v in (x * 5, y * 6, x * y % 97, 255)) for y in range(40))
open("a.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 6, 0, 0, 0))
                          + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PYTHON
  run -0 --separate-stderr dltf denoise a.png --sigma 5 --patch 4 -m 24 -o c.png
  [[ $stderr == *"a.png: the alpha channel is dropped"* && $stderr != *JPEG* ]]
  run -0 --separate-stderr dltf denoise c.png --sigma 5 --patch 4 -m 24 -o d.png
  [[ $stderr != *alpha* ]]
  cp "$(dirname "$BATS_TEST_FILENAME")"/../fuzz/corpus/jpeg/gray a.jpg
  run -0 --separate-stderr dltf denoise a.jpg --sigma 5 --patch 4 -m 24 -o c.png
  [[ $stderr == *"a.jpg: JPEG noise is not white"* ]]
}
