#!/usr/bin/env bats
# Hostile files and hostile surroundings: a sentence instead of damage.
load common

# forge FROM TO NOTE VALUE: a safetensors file with a note changed; the value may contain Python's escapes.
forge() {
  "$PYTHON" - "$@" <<'PYTHON'
import json, struct, sys
source, target, note, value = sys.argv[1:]
content = open(source, "rb").read()
end = 8 + struct.unpack("<Q", content[:8])[0]
header = json.loads(content[8:end])
header["__metadata__"][note.encode().decode("unicode_escape")] = value.encode().decode("unicode_escape")
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(target, "wb").write(struct.pack("<Q", len(text)) + text + content[end:])
PYTHON
}

# Control characters other than line ends, and C1 controls in UTF-8.
controls=$'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]'

# clean FILE: no control characters.
clean() { ! LC_ALL=C grep -Pq "$controls" "$1" || { cat -v "$1"; return 1; }; }

@test "notes and options in files do not reach the terminal unescaped" {
  local evil='\x1b[2J\x1b]0;title\x07\u009b31m\nforged line'
  forge "$model" evil.safetensors 'no\x1b[31mte' "$evil"
  dltf inspect evil.safetensors >shown
  clean shown
  grep -Fq 'no\x1b[31mte = \x1b[2J\x1b]0;title\x07\xc2\x9b31m\x0aforged line' shown
  dltf inspect evil.safetensors --json >shown
  clean shown
  [[ $(value 'list(d["notes"].values()).count("\x1b[2J\x1b]0;title\x07\u009b31m\nforged line")' <shown) == 1 ]]

  timeout -s INT 1 "$DLTF" train "$toy/X.npy" -m 24 -k 3 --steps 100000000 -o b.safetensors -q || (($? == 124))
  for note in option.theta stage encoder.choice start data.checksum stages; do
    forge b.safetensors.checkpoint evil.checkpoint "$note" "$evil"
    timeout -s INT 0.3 "$DLTF" train "$toy/X.npy" --resume evil.checkpoint -o c.safetensors >shown 2>&1 || true
    clean shown
    ! grep -q "^forged line" shown
  done
}

@test "file names do not reach the terminal unescaped" {
  local name=$'new\nline \x1b[31m'
  cp "$model" "$name.safetensors"
  dltf inspect "$name.safetensors" >shown 2>&1
  clean shown
  fails 1 'new\\x0aline \\x1b\[31m.npy: cannot open' encode "$model" "$name.npy"
  cp "$toy/X.npy" "$name.npy"
  fails 2 'new\\x0aline \\x1b\[31m.npy: would overwrite' train "$name.npy" -o "$name.npy"
  # The command that is printed can be pasted.
  dltf train "$name.npy" -m 24 -k 3 "${FAST[@]}" >shown
  clean shown
  (cd . && eval "$(sed -n 's/^next *//p' shown) -q")
  [[ -s $name.codes.npz ]]
}
