#!/usr/bin/env bats
# dltf evaluate and dltf top: what a model does on data. tests/interop/evaluate_interop.py compares the numbers with NumPy.
load common

@test "evaluate prints the measures, the same from a file and a stream" {
  run -0 --separate-stderr dltf evaluate "$model" "$toy/Xtest.npy"
  [[ $output == *"explained variance"*"after refit"*"relative error"*"cosine similarity"*"entries per code"*"atoms in use"*"density of atoms"* ]]
  dltf evaluate "$model" "$toy/Xtest.npy" --threads 1 --json >a.json
  dltf evaluate "$model" - --threads 2 --json <"$toy/Xtest.npy" >b.json
  same_file <(grep -v seconds a.json) <(grep -v seconds b.json)
  dltf encode "$model" "$toy/Xtest.npy" -o c.npz --json >c.json
  [[ $(value 'd["relative_error"], d["explained_variance"]' <a.json) == "$(value 'd["relative_error"], d["explained_variance"]' <c.json)" ]]
  [[ $(value '0 < d["refit_relative_error"] <= d["relative_error"] and d["l0"] == 3 and d["frac_alive"] > 0.9' <a.json) == True ]]
  [[ $(value 'sorted(d["feature_density_quantiles"].values()) == list(d["feature_density_quantiles"].values())' <a.json) == True ]]
}

@test "evaluate refuses what it cannot measure" {
  fails 2 "no-error" evaluate "$model" "$toy/X.npy" --no-error
  printf '1,2\n3,4\n' >narrow.csv
  fails 1 "narrow.csv: 2 columns, but the model expects 16" evaluate "$model" narrow.csv
  fails 1 "missing.npy" evaluate "$model" missing.npy
}

@test "top shows the samples of atoms, named or by number" {
  dltf top "$model" "$toy/Xtest.npy" --atoms 3,17 --top 4 --json -o top.npz >a.json
  [[ $(value '[a["atom"] for a in d["atoms"]], [f["feature_index"] for f in d["features"]]' <a.json) == "([3, 17], [3, 17])" ]]
  [[ $(value 'len(d["atoms"][0]["top"])' <a.json) == 4 && -s top.npz ]]
  dltf top "$model" - --atoms 3,17 --top 4 --threads 2 --json <"$toy/Xtest.npy" >b.json
  [[ $(value 'd["atoms"]' <a.json) == "$(value 'd["atoms"]' <b.json)" ]]
  first=$(value 'd["atoms"][0]["top"][0]["row"]' <a.json)
  seq "$SAMPLES" | sed 's/^/sample/' >names.txt
  dltf top "$model" "$toy/Xtest.npy" --atoms 3 --names names.txt --json >n.json
  [[ $(value 'd["atoms"][0]["top"][0]["name"], d["features"][0]["activations"][0]["tokens"]' <n.json) == "('sample$((first + 1))', ['sample$((first + 1))'])" ]]
  run -0 dltf top "$model" "$toy/Xtest.npy" --most-used 2
  [[ $output == *"atom "*"of the codes, mean"*"top"*"random"*"intervals"*"correlated"*"atom "* ]]
}

@test "as many names as columns are the words of atoms" {
  printf 'word%d\n' {0..15} >words.txt
  run -0 dltf top "$model" "$toy/Xtest.npy" --atoms 0 --names words.txt
  [[ $output == *"words"*"word"* ]]
  dltf top "$model" "$toy/Xtest.npy" --atoms 0 --names words.txt --json >w.json
  [[ $(value 'len(d["atoms"][0]["words"]), d["features"][0]["pos_str"] == d["atoms"][0]["words"]' <w.json) == "(10, True)" ]]
  [[ $(value 'all(abs(a) >= abs(b) for a, b in zip(d["atoms"][0]["word_weights"], d["atoms"][0]["word_weights"][1:]))' <w.json) == True ]]
  printf 'a\nb\n' >few.txt
  fails 1 "few.txt: 2 lines, but DATA has $SAMPLES samples of 16 columns" top "$model" "$toy/Xtest.npy" --names few.txt
}

@test "top draws atoms above their samples" {
  dltf top "$model" "$toy/Xtest.npy" --most-used 3 --top 4 --picture top.png -q
  [[ $(head -c 4 top.png | tail -c 3) == PNG ]]
  fails 2 "must be a file" top "$model" - --picture p.png </dev/null
  fails 2 "expected 16" top "$model" "$toy/Xtest.npy" --picture p.png --shape 3x3
}

@test "top refuses atoms that do not exist and other outputs" {
  fails 2 "the model has 24 atoms" top "$model" "$toy/Xtest.npy" --atoms 24
  fails 2 "exclude each other" top "$model" "$toy/Xtest.npy" --atoms 1 --most-used 3
  fails 2 "written as .npz" top "$model" "$toy/Xtest.npy" -o top.csv
  fails 1 "missing.txt: cannot open: No such file" top "$model" "$toy/Xtest.npy" --names missing.txt
}
