#!/usr/bin/env bats
# dltf hash index and dltf hash search: neighbours as NumPy finds them, files, bad input.
load common

setup_file() { :; }

# compare K RADIUS: the neighbours of queries.npy in database.npy that NumPy finds are those in all files k-*.npy, with the
# distances in d-*.npy, in n.ivecs, and within the radius in r-*.npz.
compare() {
  "$PYTHON" - "$@" <<'PYTHON'
import glob, sys
import numpy as np, scipy.sparse
k, radius = map(int, sys.argv[1:])
X, Q = np.load("database.npy"), np.load("queries.npy")
D = np.unpackbits(X[None] ^ Q[:, None], axis=2).sum(2, dtype=np.int64)
order = np.argsort(D, axis=1, kind="stable")
nearest, within = glob.glob("k-*.npy"), glob.glob("r-*.npz")
assert nearest and len(nearest) == len(within)
for path in nearest:
    found, distances = np.load(path), np.load(path.replace("k-", "d-"))
    assert found.dtype == distances.dtype == np.int32 and (found == order[:, :k]).all(), path
    assert (distances == np.take_along_axis(D, found, 1)).all(), path
vectors = np.fromfile("n.ivecs", "<i4").reshape(len(Q), 1 + k)
assert (vectors[:, 0] == k).all() and (vectors[:, 1:] == order[:, :k]).all()
for path in within:
    found = scipy.sparse.load_npz(path)
    assert found.shape == D.shape and found.dtype == np.int32 and found.nnz > 0, path
    for q in range(len(Q)):
        begin, end = found.indptr[q:q + 2]
        near = [i for i in order[q] if D[q, i] <= radius]
        assert list(found.indices[begin:end]) == near and list(found.data[begin:end]) == list(D[q, near]), path
PYTHON
}

@test "the neighbours that NumPy finds, with every method and from an index" {
  "$PYTHON" -c 'import numpy, scipy' || skip "NumPy or SciPy is not installed"
  local bytes from method
  for bytes in 3 8 33; do
    binary_codes database.npy 400 $bytes 1
    binary_codes queries.npy 6 $bytes 2
    [[ $bytes == 33 ]] || dltf hash index database.npy -q
    for from in npy index; do
      for method in auto flat multi-index; do
        [[ $bytes != 33 || $from-$method == npy-flat ]] || continue
        dltf hash search database.$from queries.npy -k 9 --method $method -o k-$from-$method.npy --distances d-$from-$method.npy -q
        dltf hash search database.$from queries.npy --radius $((3 * bytes)) --method $method -o r-$from-$method.npz -q
      done
    done
    dltf hash search database.npy queries.npy -k 9 -o n.ivecs -q
    compare 9 $((3 * bytes))
    rm -f database.index [kdr]-*
  done
}

@test "a summary and the first neighbours" {
  binary_codes database.npy 1000 8 1
  head -c $((128 + 80)) database.npy | sed 's/(1000, 8)/(10, 8)  /' >queries.npy # its first ten codes
  run -0 dltf hash search database.npy queries.npy -k 3 --method flat
  [[ $output == *"codes"*"1000"*"bits"*"64"*"queries"*"10"*"method"*"flat"*"query 0"*"0 (0), "*"query 4"*"4 (0), "* ]]
  [[ $output != *"query 5"* ]]
  run -0 dltf hash search database.npy queries.npy --radius 0
  [[ $output == *"radius"*"0"*"neighbours"*"10"*"query 3"*"3 (0)"* ]]
  dltf hash search database.npy queries.npy --radius 0 --json >r.json
  [[ $(value 'd["codes"], d["bits"], d["queries"], d["radius"], d["neighbours"], d["method"]' <r.json) == "(1000, 64, 10, 0, 10, 'flat')" ]]
  [[ $(value '[(r["query"], r["rows"], r["distances"]) for r in d["first"]][1]' <r.json) == "(1, [1], [0])" ]]
  run -0 dltf hash search database.npy queries.npy -k 3 -o n.npy -q
  [[ -z $output ]]
}

@test "an index is mapped, written the same for any number of threads, and can be an input" {
  binary_codes database.npy 3000 16 1
  dltf hash index database.npy -o 1.index --threads 1 --json >r.json
  [[ $(value 'd["codes"], d["bits"], d["tables"] > 4, d["output"]' <r.json) == "(3000, 128, True, '1.index')" ]]
  for threads in 2 3; do
    dltf hash index database.npy -o $threads.index --threads $threads -q
    same_file 1.index $threads.index
    dltf hash search 1.index database.npy -k 7 --threads $threads -o $threads.npy -q
  done
  same_file 2.npy 3.npy
  run -0 dltf hash index database.npy
  [[ $output == *"tables"*"bytes per code"*"database.index"* ]]
  same_file 1.index database.index
  dltf hash index 1.index -o again.index -q
  same_file 1.index again.index
  run -0 dltf hash search 1.index database.npy --radius 2
  [[ $output == *"method"*"multi-index"* ]]
}

@test "bad input gets one sentence" {
  binary_codes database.npy 20 8
  binary_codes other.npy 3 9
  binary_codes long.npy 3 64
  binary_codes longer.npy 3 513
  binary_codes none.npy 0 8
  fails 2 "-k K or --radius R is missing" hash search database.npy database.npy
  fails 2 "-k and --radius exclude each other" hash search database.npy database.npy -k 1 --radius 1
  fails 2 "QUERIES is missing" hash search database.npy
  fails 1 "other.npy: codes have 72 bits, but those of the database have 64" hash search database.npy other.npy -k 1
  fails 2 "database.npy: has 20 codes, fewer than the 21 neighbours requested" hash search database.npy database.npy -k 21
  fails 1 "none.npy: contains no numbers: an axis has length 0" hash search none.npy database.npy -k 1
  fails 1 "none.npy: contains no numbers: an axis has length 0" hash search database.npy none.npy -k 1
  fails 1 "longer.npy: codes of 4104 bits are too long" hash search longer.npy longer.npy -k 1
  fails 1 "longer.npy: codes of 4104 bits are too long" hash index longer.npy
  fails 2 "long.npy: codes have 512 bits: multi-index hashing supports at most 256" hash index long.npy
  fails 2 "long.npy: codes have 512 bits: multi-index" hash search long.npy long.npy -k 1 --method multi-index
  printf '1,2\n3,4\n' >reals.csv
  fails 1 "reals.csv: expected packed bits .uint8. but found float64" hash search reals.csv database.npy -k 1
  fails 1 "reals.csv: expected packed bits .uint8. but found float64" hash search database.npy reals.csv -k 1
  fails 2 "k: 0 is outside" hash search database.npy database.npy -k 0
  fails 2 "radius: -1 is outside" hash search database.npy database.npy --radius -1
  fails 2 "radius: 4097 is outside" hash search database.npy database.npy --radius 4097
  fails 2 "n.npy: the number of neighbours within a radius differs" hash search database.npy database.npy --radius 3 -o n.npy
  fails 2 "--distances needs -k" hash search database.npy database.npy --radius 3 --distances d.npy
  fails 2 "n.txt: unsupported extension: neighbours can be written as .npy" hash search database.npy database.npy -k 3 -o n.txt
  fails 2 "d.csv: unsupported extension" hash search database.npy database.npy -k 3 --distances d.csv
  fails 2 "database.npy: would overwrite an input" hash search database.npy database.npy -k 3 -o database.npy
  fails 2 "database.npy: would overwrite an input" hash index database.npy -o database.npy
  fails 2 "unknown option --radios; did you mean --radius" hash search database.npy database.npy --radios 3
  [[ ! -e n.npy && ! -e d.npy && ! -e long.index ]]
}

@test "hostile index files" {
  binary_codes database.npy 50 4
  dltf hash index database.npy -q
  head -c 1000 database.index >short.index
  fails 1 "short.index: truncated: expected [0-9]* bytes but found 1000" hash search short.index database.npy -k 1
  head -c 20 database.index >header.index
  fails 1 "header.index: truncated: an index has a header of 64 bytes" hash search header.index database.npy -k 1
  (cat database.index && echo) >long.index
  fails 1 "long.index: is corrupt: expected" hash search long.index database.npy -k 1
  (head -c 8 database.index && printf '\2' && tail -c +10 database.index) >new.index
  fails 1 "new.index: version 2 of the index is not supported: expected 1" hash search new.index database.npy -k 1
  # Tables of random numbers.
  size=$(stat -c %s database.index)
  (head -c $((64 + 256)) database.index && yes x | head -c $((size - 64 - 256))) >tables.index
  fails 1 "tables.index: is corrupt: a table has an entry that is out of range" \
    hash search tables.index database.npy --radius 1 --method multi-index
  dltf hash search tables.index database.npy --radius 1 --method flat -q >/dev/null
}
