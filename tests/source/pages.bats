#!/usr/bin/env bats
# bench/page: tables and numbers of the documentation against committed results. Works on a copy of the pages.

setup() {
  root=$BATS_TEST_DIRNAME/../..
  cd "$BATS_TEST_TMPDIR" || exit
  mkdir -p bench experiments
  cp -r "$root/README.md" "$root/docs" .
  cp -r "$root/bench/page" "$root/bench/pages" "$root/bench/results" bench
  cp -r "$root/experiments/results" experiments
}

# say TEXT: adds a block to a page.
say() {
  printf '\n%s\n' "$1" >>docs/search.md
}

# rejected WORDS: --check fails with this message.
rejected() {
  run bench/page --check
  [[ $status == 1 && $output == *"$1"* ]] || { echo "$output"; false; }
}

@test "a changed result, a changed table and a changed page are noticed" {
  bench/page --check
  sed -i 's/^km,mnist,0.54/km,mnist,0.64/' experiments/results/table3.csv
  rejected "docs/results.md does not show the results"
  bench/page
  grep -q 'km. | \*\*.64' docs/results.md
  bench/page --check
  sed -i 's/| `dltf` | \*\*.171/| `dltf` | **.161/' docs/results.md
  rejected "docs/results.md does not show the results"
}

@test "a number in the text is compared with its source" {
  say $'k-means .544, `dec` .759.\n<!-- from experiments/results/table3.csv: acc where data=mnist, method=km|dec: .544 .759 -->'
  bench/page --check
  say $'k-means .545.\n<!-- from experiments/results/table3.csv: acc where data=mnist, method=km: .545 -->'
  rejected ".545 is 0.54"
}

@test "smallest and largest values, percent, arrays of JSON" {
  say $'Between .097 and 2.004; 9.7%.
<!-- from experiments/results/table1.csv: min ave_dif where method=dltf-default: .097 -->
<!-- from experiments/results/table1.csv: max ave_dif where method=dltf-default: 2.004 -->
<!-- from experiments/results/table1.json#rows: x100 ave_dif where method=dltf-default, k=4: 9.7 -->'
  bench/page --check
}

@test "a source that does not fit is an error" {
  say $'Text without it.\n<!-- from experiments/results/table3.csv: acc where data=mnist, method=km: .544 -->'
  rejected ".544 is not in the text above its source"
  say $'.544\n<!-- from experiments/results/table33.csv: acc where data=mnist: .544 -->'
  rejected "experiments/results/table33.csv: not found"
  say $'.544\n<!-- from experiments/results/table3.csv: acc where data=mnist: .544 -->'
  rejected "6 rows of experiments/results/table3.csv have a 'acc'"
  say $'.544\n<!-- from experiments/results/table3.csv: acc where method=nobody: .544 -->'
  rejected "0 rows of"
  say $'.544 .759\n<!-- from experiments/results/table3.csv: acc where data=mnist, method=km: .544 .759 -->'
  rejected "2 numbers, but 1 values"
  say $'.544\n<!-- from nowhere -->'
  rejected "not a source"
}

@test "docs/results.md has no number without a source" {
  printf '\nAccuracy .999.\n' >>docs/results.md
  rejected ".999 has no source"
}
