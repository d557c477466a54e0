#!/usr/bin/env bats
# dltf-mpi with 1, 2 and 4 ranks on one machine.
load common

@test "training by minibatches gives the same bytes for any number of ranks" {
  options=(-m 24 -k 3 --encoder best --steps 12 --polish 2 --finetune 6 --epochs 0.1 --center --checkpoint-every 0)
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for count in 1 2 4; do
    ranks "$count" train "$toy/X.npy" "${options[@]}" -q -o "$count.safetensors"
    same_file one.safetensors "$count.safetensors"
  done
}

@test "ranks subtract the same mean" {
  "$PYTHON" -c 'import numpy, sys; numpy.save("shifted.npy", numpy.load(sys.argv[1]) + 1)' "$toy/X.npy"
  for norm in "" --unit-norm "--unit-norm --remove-mean"; do
    options=(-m 24 -k 3 --encoder learned --epochs 0.1 $norm --checkpoint-every 0)
    dltf train shifted.npy "${options[@]}" -q -o one.safetensors
    [[ $(dltf inspect one.safetensors) == *"centered: the mean held"* ]] || [[ $norm == *remove-mean ]]
    ranks 3 train shifted.npy "${options[@]}" -q -o three.safetensors
    same_file one.safetensors three.safetensors
  done
}

@test "the paper's model is the same for a power of two of ranks" {
  options=(-m 24 -k 3 --encoder tied --steps 5 --iterations 12 --admm 4 --tolerance 0)
  dltf train "$toy/X.npy" "${options[@]}" -q -o one.safetensors
  for count in 2 4; do
    ranks "$count" train "$toy/X.npy" "${options[@]}" -q -o "$count.safetensors"
    same_file one.safetensors "$count.safetensors"
  done
}

@test "ranks that share the W-step give the same model" { # m m n >= 2^18 for each of two
  dltf synth -n 80 -m 120 -k 4 -N 7000 --noise 0.05 -q -o wide
  options=(-m 120 -k 4 --encoder tied --steps 2 --iterations 2 --admm 2 --tolerance 0)
  dltf train wide/X.npy "${options[@]}" -q -o one.safetensors
  for count in 2 4; do
    ranks "$count" train wide/X.npy "${options[@]}" -q -o "$count.safetensors"
    same_file one.safetensors "$count.safetensors"
  done
}

@test "three ranks give the same model up to rounding" {
  options=(-m 24 -k 3 --encoder tied --steps 2 --iterations 3 --tolerance 0 --json)
  dltf train "$toy/X.npy" "${options[@]}" -o one.safetensors | value 'd["history"][-1]["objective"]' >one
  ranks 3 train "$toy/X.npy" "${options[@]}" -o three.safetensors | value 'd["history"][-1]["objective"]' >three
  [[ $("$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); print(abs(a - b) <= 1e-6 * a)' "$(<one)" "$(<three)") == True ]]
}

@test "rank 0 alone reports, and counts what it sends" {
  ranks 2 train "$toy/X.npy" -m 24 -k 3 --encoder tied --steps 0 --iterations 4 --tolerance 0 --json -o m.safetensors >report
  # A pass: C, D, use, code_sum and 4 others, each value once to the other rank; the scan: 24 bytes for each of its 20
  # of 40 parts; 16 bytes each to compare the command line, the file and the first dictionary.
  [[ $(value 'd["ranks"]' <report) == 2 ]]
  [[ $(value 'd["rank_bytes_sent"] == 4 * 8 * (24 * 16 + 24 * 24 + 2 * 24 + 4) + 20 * 24 + 3 * 16' <report) == True ]]
}

@test "commands that run as one process say so" {
  run -2 ranks 2 decode "$model" none.npz
  [[ $output == *"dltf decode: runs as one process: start it without mpirun"* ]]
  run -2 ranks 2 train "$toy/X.npy" -m 24 -k 3 --method ksvd
  [[ $output == *"--method: ksvd updates one atom after the other"* ]]
  run -2 ranks 2 train "$toy/X.npy" -m 64 -k 3 --nested
  [[ $output == *"--nested: training with several ranks does not support it"* ]]
}

@test "encoding gives the same files" {
  dltf encode "$model" "$toy/X.npy" --refit --json -o one.npz | value 'd["relative_error"], d["explained_variance"]' >error
  dltf encode "$model" "$toy/X.npy" --dense -q -o one.npy
  [[ $(ranks 2 encode "$model" "$toy/X.npy" --refit --json -o 2.npz | value 'd["relative_error"], d["explained_variance"]') == $(<error) ]]
  same_file one.npz 2.npz
  ranks 3 encode "$model" "$toy/X.npy" --dense -q -o 3.npy
  same_file one.npy 3.npy
  tail -c +129 "$toy/X.npy" >X.f32
  ranks 2 encode "$model" X.f32 --raw --dense -q -o raw.npy
  same_file one.npy raw.npy
}

@test "clustering finds the same clusters" {
  options=(-c 12 --restarts 2 --iterations 20 --json)
  dltf encode "$model" "$toy/X.npy" -q -o codes.npz
  for case in "2 $toy/X.npy" "3 codes.npz"; do
    read -r count data <<<"$case"
    dltf cluster "$data" "${options[@]}" -o one.npy --centers centers.csv >one
    ranks "$count" cluster "$data" "${options[@]}" -o more.npy --centers other.csv >more
    same_file one.npy more.npy
    # Sums of samples are rounded differently, centers of single precision hardly.
    [[ $(value "abs(d['inertia'] - $(value 'd["inertia"]' <one)) <= 1e-9 * d['inertia'] and d['ranks']" <more) == "$count" ]]
    [[ $(wc -l <other.csv) == 12 ]]
  done
}

@test "clustering fills empty clusters, and refuses what runs as one process" {
  yes 1,2 | head -5 >few.csv # fewer different samples than clusters
  yes 3,4 | head -5 >>few.csv
  dltf cluster few.csv -c 4 --restarts 1 --json >one
  ranks 3 cluster few.csv -c 4 --restarts 1 --json >more
  [[ $(value 'd["sizes"]' <one) == "$(value 'd["sizes"]' <more)" ]]
  run -2 ranks 2 cluster "$toy/X.npy" -c 3 --pca 2
  [[ $output == *"--pca: runs as one process"* ]]
}

@test "Hamming search finds the same neighbours" {
  binary_codes base.npy 3000 8 1
  binary_codes queries.npy 40 8 2
  dltf hash search base.npy queries.npy -k 7 -q -o k.npy --distances d.npy
  dltf hash search base.npy queries.npy --radius 24 -q -o r.npz
  ranks 2 hash search base.npy queries.npy -k 7 -q -o k2.npy --distances d2.npy
  same_file k.npy k2.npy
  same_file d.npy d2.npy
  ranks 3 hash search base.npy queries.npy --radius 24 --method multi-index -q -o r2.npz
  same_file r.npz r2.npz
}
