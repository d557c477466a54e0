#!/usr/bin/env bats
# dltf encode --coder, dltf train --method ksvd.
load common

error_of() { dltf encode "$model" "$toy/Xtest.npy" -o "$1.npz" --json "${@:2}" | value 'd["relative_error"]'; }

@test "every coder encodes, better than the refitted feature" {
  feature=$(error_of feature --refit)
  for coder in omp htp shortlist; do
    error=$(error_of "$coder" --coder "$coder")
    [[ $(value "0 < $error <= $feature" <<<"{}") == True ]]
  done
  for coder in iht niht; do
    one=$(error_of "$coder" --coder "$coder" --passes 1)
    many=$(error_of "$coder" --coder "$coder")
    [[ $(value "$many < $one" <<<"{}") == True ]]
  done
  [[ $(error_of one --coder htp --passes 1) == "$feature" ]]
}

@test "an error target gives shorter codes; its values are coefficients" {
  all=$(dltf encode "$model" "$toy/Xtest.npy" -o a.npz --coder omp --json | value 'd["entries_per_sample"]')
  few=$(dltf encode "$model" "$toy/Xtest.npy" -o b.npz --coder omp --error 1 --json | value 'd["entries_per_sample"]')
  [[ $(value "0 < $few < $all == 3" <<<"{}") == True ]]
  [[ $(dltf encode "$model" "$toy/Xtest.npy" -o c.npz --coder omp) != *--refit*coefficients* ]]
}

@test "the report tells which coders store correlations" {
  for coder in threshold incoherent; do
    [[ $(dltf encode "$model" "$toy/Xtest.npy" -o a.npz --coder "$coder") == *"values are correlations; use --refit"* ]]
    [[ $(dltf encode "$model" "$toy/Xtest.npy" -o a.npz --coder "$coder" --refit) != *correlations* ]]
  done
  for coder in omp iht niht htp shortlist; do
    [[ $(dltf encode "$model" "$toy/Xtest.npy" -o a.npz --coder "$coder") != *correlations* ]]
  done
}

@test "incoherent: shorter codes with less coherence or a threshold" {
  all=(encode "$model" "$toy/Xtest.npy" --coder incoherent --json)
  some=$(dltf "${all[@]}" -o a.npz --coherence 0.3 | value 'd["entries_per_sample"]')
  few=$(dltf "${all[@]}" -o b.npz --coherence 0.02 | value 'd["entries_per_sample"]')
  large=$(dltf "${all[@]}" -o c.npz --coherence 0.3 --threshold 1 | value 'd["entries_per_sample"]')
  [[ $(value "0 < $few < $some <= 3 and 0 < $large < $some" <<<"{}") == True ]]
  dltf "${all[@]}" -o d.npz --coherence 1 >/dev/null
  dltf encode "$model" "$toy/Xtest.npy" -o e.npz --coder incoherent --coherence 1 --select positive -q
  ! cmp -s d.npz e.npz
}

@test "shortlist: longer lists and a second one lower the error; k candidates are the refitted feature" {
  feature=$(error_of feature --refit)
  one=$(error_of one --coder shortlist)
  two=$(error_of two --coder shortlist --lists 2)
  [[ $(value "0 < $two <= $one <= $feature" <<<"{}") == True ]]
  same=$(error_of same --coder shortlist --candidates 3)
  [[ $(value "abs($same - $feature) < 1e-6" <<<"{}") == True ]]
  fails 2 "--candidates: 2 is not between k = 3 and the 24 atoms" encode "$model" "$toy/Xtest.npy" -o x.npz --coder shortlist --candidates 2
  fails 2 "--candidates: 25 is not between k = 3 and the 24 atoms" encode "$model" "$toy/Xtest.npy" -o x.npz --coder shortlist --candidates 25
  fails 2 "--lists: applies to coder shortlist, not to coder htp" encode "$model" "$toy/Xtest.npy" -o x.npz --coder htp --lists 2
  [[ ! -e x.npz ]]
}

@test "the same codes on any number of threads" {
  for coder in omp iht niht htp incoherent shortlist; do
    dltf encode "$model" "$toy/Xtest.npy" -o one.npz --coder "$coder" --threads 1 -q
    dltf encode "$model" "$toy/Xtest.npy" -o two.npz --coder "$coder" --threads 2 -q
    same_file one.npz two.npz
  done
}

@test "options of another coder are rejected" {
  fails 2 "--passes: applies to coder iht, niht or htp, not to coder omp" encode "$model" "$toy/Xtest.npy" -o x.npz --coder omp --passes 3
  fails 2 "--error: applies to coder omp, not to coder threshold" encode "$model" "$toy/Xtest.npy" -o x.npz --error 1
  fails 2 "--select: the coder omp chooses atoms by magnitude" encode "$model" "$toy/Xtest.npy" -o x.npz --coder omp --select positive
  fails 2 "--coherence: applies to coder incoherent, not to coder threshold" encode "$model" "$toy/Xtest.npy" -o x.npz --coherence 0.2
  fails 2 "--threshold: applies to coder incoherent, not to coder htp" encode "$model" "$toy/Xtest.npy" -o x.npz --coder htp --threshold 1
  fails 2 "is not one of threshold\|omp\|iht\|niht\|htp\|incoherent\|shortlist" encode "$model" "$toy/Xtest.npy" -o x.npz --coder lasso
  [[ ! -e x.npz ]]
}

@test "K-SVD: the same file on any number of threads, a history, codes of omp with less error" {
  ksvd=(-m 24 -k 3 --method ksvd --iterations 8)
  dltf train "$toy/X.npy" "${ksvd[@]}" --threads 1 -o one.safetensors --history h.csv -q
  dltf train "$toy/X.npy" "${ksvd[@]}" --threads 2 -o two.safetensors --json >report.json
  same_file one.safetensors two.safetensors
  [[ $(wc -l <h.csv) == 9 && $(sed -n 2p h.csv) == ksvd,0,* ]]
  [[ $(value 'd["options"]["method"], d["history"][0]["stage"], d["iterations"]' <report.json) == "('ksvd', 'ksvd', 8)" ]]
  [[ $(value 'd["history"][-1]["relative_error"] < d["history"][0]["relative_error"]' <report.json) == True ]]
  dltf train "$toy/X.npy" "${ksvd[@]}" --update approximate --error 0.1 -o three.safetensors -q
  [[ $(dltf inspect three.safetensors) == *"approximate"* ]]
  run ! cmp -s one.safetensors three.safetensors
}

@test "options of another method are rejected" {
  fails 2 "--steps: applies to encoder tied, tight, dual, distilled, best or method omp, not to method ksvd" train "$toy/X.npy" --method ksvd --steps 3 -o x.safetensors
  fails 2 "--error: applies to method ksvd" train "$toy/X.npy" --error 3 -o x.safetensors
  fails 2 "--update: applies to method ksvd" train "$toy/X.npy" --update approximate -o x.safetensors
  fails 2 "--select: positive is not supported by K-SVD" train "$toy/X.npy" --method ksvd --select positive -o x.safetensors
  [[ ! -e x.safetensors ]]
}
