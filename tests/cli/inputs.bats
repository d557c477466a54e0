#!/usr/bin/env bats
# Every command on files that are empty, folders, unreadable or missing: one message that names the file and the reason.
load common

# Every way to pass an input file, written as @, to a command. Commands that read no file are listed alone.
uses=(
  "train @"
  "train X --init @"
  "train X --resume @"
  "train - --raw 16 --resume @"
  "suggest @"
  "encode @ X"
  "encode MODEL @"
  "encode MODEL @ --raw -o codes.npz"
  "decode @ CODES"
  "decode MODEL @"
  "decode MODEL CODES --original @"
  "inspect @"
  "evaluate @ X"
  "evaluate MODEL @"
  "top @ X"
  "top MODEL @"
  "top MODEL X --names @"
  "report @ X"
  "report MODEL @"
  "report MODEL X --names @"
  "report MODEL X --labels @"
  "export @ --c"
  "import"
  "certify @"
  "certify MODEL @ --noise 1"
  "certify MODEL X --codes @"
  "certify MODEL X --noise 1 --supports @"
  "synth"
  "score @ --truth TOY"
  "plot @ -o out.svg"
  "noise @ -o out.png"
  "denoise @ -o out.png"
  "denoise IMAGE --reference @ -o out.png"
  "denoise IMAGE --model @ -o out.png"
  "gist @ -o out.npy"
  "gist IMAGE @ -o out.npy"
  "cluster @ -c 2"
  "cluster X -c 2 --labels @"
  "cluster X -c 2 --load-pca @"
  "cluster X --resume @"
  "hash train @ -m 8"
  "hash train X --resume @"
  "hash encode @ X"
  "hash encode HASHER @"
  "hash evaluate @ BITS --labels LABELS --query-labels LABELS"
  "hash evaluate BITS @ --labels LABELS --query-labels LABELS"
  "hash evaluate BITS BITS --labels @ --query-labels LABELS"
  "hash evaluate BITS BITS --labels LABELS --query-labels @"
  "hash evaluate BITS BITS --data @ --query-data X"
  "hash evaluate BITS BITS --data X --query-data @"
  "hash index @"
  "hash search @ BITS -k 1"
  "hash search BITS @ -k 1"
  "pretrain @"
  "classify train @ --labels LABELS"
  "classify train X --labels @"
  "classify train X --labels LABELS --init @"
  "classify train X --labels LABELS --resume @"
  "classify train X --labels LABELS --validation @ --validation-labels LABELS"
  "classify train X --labels LABELS --validation X --validation-labels @"
  "classify predict @ X"
  "classify predict CLASSIFIER @"
  "classify evaluate @ X --labels LABELS"
  "classify evaluate CLASSIFIER @ --labels LABELS"
  "classify evaluate CLASSIFIER X --labels @"
  "reproduce"
  "completion"
  "manual"
)

# The name of the command, one or two words: all before an operand or an option.
command_of() { sed 's/ [^a-z].*//' <<<"$1"; }

# refused FILE REASON: every use fails with this reason and leaves no files behind.
refused() {
  local file=$1 reason=$2 use word before arguments count=0
  printf 'P5\n8 8\n255\n%064d' 0 >image.pgm
  dltf encode "$model" "$toy/X.npy" -o z.npz -q
  dltf hash train "$toy/X.npy" --method lsh -m 8 -o hasher.safetensors -q
  dltf hash encode hasher.safetensors "$toy/X.npy" -o bits.npy -q
  seq "$SAMPLES" >labels.csv
  cp "$BATS_TEST_DIRNAME/../fuzz/corpus/network/classifier" classifier.safetensors
  before=$(ls)
  for use in "${uses[@]}"; do
    [[ $use == *@* ]] || continue
    arguments=()
    for word in $use; do
      case $word in
        @) word=$file ;;
        X) word=$toy/X.npy ;;
        MODEL) word=$model ;;
        CODES) word=z.npz ;;
        TOY) word=$toy ;;
        IMAGE) word=image.pgm ;;
        HASHER) word=hasher.safetensors ;;
        BITS) word=bits.npy ;;
        LABELS) word=labels.csv ;;
        CLASSIFIER) word=classifier.safetensors ;;
      esac
      arguments+=("$word")
    done
    fails 1 "^dltf $(command_of "$use"): $file: $reason" "${arguments[@]}" || { echo "in: dltf $use"; return 1; }
    [[ $(ls) == "$before" ]] || { echo "dltf $use left: $(ls)"; return 1; }
    count=$((count + 1))
  done
  ((count >= 15))
}

@test "all commands are in the list" {
  names=$(commands)
  [[ $(for use in "${uses[@]}"; do command_of "$use"; done | uniq) == "$names" ]]
}

@test "an empty file" {
  : >empty
  refused empty "is empty"
}

@test "a folder" {
  mkdir folder
  refused folder "(is a directory, not a file|cannot read: Is a directory|is a folder without images)"
}

@test "an unreadable file" {
  [[ $(id -u) != 0 ]] || skip "root may read everything"
  cp "$toy/X.npy" closed
  chmod 000 closed
  refused closed "cannot open: Permission denied"
}

@test "a missing file" {
  unset 'uses[1]' # --init reports a misspelt choice instead: files.bats
  refused missing "cannot open: No such file or directory"
}

@test "where a folder is expected: an empty folder, nothing, a file" {
  mkdir folder
  : >empty
  fails 1 "folder/dictionary.npy: cannot open: No such file" score "$model" --truth folder
  fails 1 "missing/dictionary.npy: cannot open: No such file" score "$model" --truth missing
  fails 1 "empty/dictionary.npy: cannot open: Not a directory" score "$model" --truth empty
  fails 1 "folder: contains no sparse autoencoder" import folder
  fails 1 "missing: is not a folder" import missing
  fails 1 "empty: is not a folder" import empty
}

@test "commands that read no file accept none" {
  : >empty
  fails 2 "unexpected argument 'empty'" synth empty
  fails 2 "unexpected argument 'empty'" manual empty
  fails 2 "unknown experiment 'empty'" reproduce empty
  fails 2 "unsupported shell 'empty'" completion empty
}
