#!/usr/bin/env bats
# dltf plot: histories of dictionaries and networks, comparison of runs, bad files.
load common

# history NAME OPTIONS...: trains and writes NAME.csv.
history() {
  local name=$1
  shift
  dltf train "$toy/X.npy" -m 24 -k 3 "$@" --history "$name.csv" -o "$name.safetensors" -q
}

@test "a history is drawn with its stages" {
  history best --encoder distilled --steps 10 --batch 100 --polish 1 --finetune 10
  run -0 dltf plot best.csv -o best.svg
  [[ $output == *best*"relative error"*"at the end"*written*best.svg* ]]
  "$PYTHON" -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' best.svg
  [[ $(grep -c '<polyline' best.svg) == 2 ]]
  grep -q 'Stages: minibatch, polish, encoder' best.svg
  [[ $(grep -c '<title>' best.svg) == $(tail -n +2 best.csv | cut -d, -f1 | uniq | wc -l) ]]
  run ! grep -Eq 'nan|inf"|>-0<' best.svg
}

@test "several histories share a picture" {
  history one --encoder tied "${FAST[@]}"
  mkdir other
  cp one.csv other
  history ksvd --method ksvd --iterations 4
  dltf plot one.csv other/one.csv ksvd.csv --x iterations --y log --title 'Three <runs>' -o all.svg -q
  [[ $(grep -c '<polyline' all.svg) == 6 ]]
  grep -q 'Three &lt;runs' all.svg
  grep -q '>other/one.csv<' all.svg
  grep -q '>ksvd<' all.svg
  grep -q 'iterations of all stages' all.svg
  run -0 dltf plot one.csv ksvd.csv -o all.svg --json
  [[ $(value '[h["iterations"] for h in d["histories"]][1]' <<<"$output") == 4 ]]
  [[ $(value 'd["histories"][0]["refit_error"] > 0' <<<"$output") == True ]]
}

@test "histories with the same name are different curves" {
  history one --method ksvd --iterations 2
  long=$(printf '%060d' 0)
  mkdir "$long" "$long/a" "$long/b"
  cp one.csv "$long/a"
  cp one.csv "$long/b"
  dltf plot one.csv "$long/a/one.csv" "$long/b/one.csv" one.csv -o all.svg -q
  [[ $(grep -c '<polyline' all.svg) == 8 ]]
}

@test "the time of a resumed training goes on" {
  printf 'stage,raw_error,refit_error,seconds\na,.5,.4,1\na,.4,.3,2\nb,.3,.2,1\n' >h.csv
  dltf plot h.csv -o h.svg -q
  # 2 + 1 seconds: the point of the second stage is at the right end of the frame, two thirds after the first stage
  [[ $(grep -c '>3</text>' h.svg) == 1 ]]
  # a row without a time does not delay the next
  printf 'stage,raw_error,refit_error,seconds\na,.5,.4,2\na,.4,.3,\na,.3,.2,4\n' >gap.csv
  dltf plot gap.csv -o gap.svg -q
  run ! grep -q '>6</text>' gap.svg
}

@test "the history of a network" {
  printf 'epoch,rate,loss,error,seconds\n1,.1,2,.5,.1\n2,.1,.01,.4,.2\n' >n.csv
  dltf plot n.csv -o n.svg -q
  [[ $(grep -c '<polyline' n.svg) == 2 ]]
  grep -q '>error on validation samples<' n.svg
  history d --method ksvd --iterations 2
  fails 1 'different kind of history than n.csv' plot n.csv d.csv -o x.svg
}

@test "what cannot be drawn" {
  history a --method ksvd --iterations 2
  fails 2 '\-o FILE.svg is missing' plot a.csv
  fails 2 'unsupported extension: plots can be written as .svg' plot a.csv -o a.png
  fails 2 'would overwrite an input' plot a.csv x.svg -o x.svg
  fails 1 'none.csv: cannot open: No such file' plot none.csv -o x.svg
  fails 1 'not a history' plot <(printf 'a,b\n1,2\n') -o x.svg
  fails 1 'has no iterations' plot <(head -1 a.csv) -o x.svg
  fails 1 'line 3 has 1 fields' plot <(head -2 a.csv; echo ksvd) -o x.svg
  fails 1 'zero byte|UTF-8' plot a.safetensors -o x.svg
  fails 1 'Is a directory' plot . -o x.svg
  fails 2 'at most 8 histories|at most 8 fit' plot a.csv a.csv a.csv a.csv a.csv a.csv a.csv a.csv a.csv -o x.svg
  printf 'stage,raw_error,refit_error,seconds\na,0,0,1\n' >zero.csv
  fails 2 'not all values are positive' plot zero.csv --y log -o x.svg
  dltf plot zero.csv -o zero.svg -q
  printf 'epoch,seconds,loss,error\n1,1e16,1,1\n2,1.0000000000000002e16,0.5,0.5\n' >late.csv
  dltf plot late.csv -o late.svg -q
  [[ ! -e x.svg ]]
}

@test "hostile names and numbers make well-formed pictures" {
  header='stage,raw_error,refit_error,seconds\n'
  printf "$header"'\033[2J]]>,.5,.4,1\n<b>&"\47,.4,.3,2\n\357\277\276,.3,.2,3\n' >stage.csv
  printf "$header"'a,.5,.4,1e308\na,1e308,1e-310,1e308\na,1e300,5e-324,1\nb,.1,.1,1e308\n' >time.csv
  cp time.csv $'a]]><script>.csv'
  cp time.csv $'\357\277\276\033\301.csv'
  for y in linear auto; do
    dltf plot stage.csv time.csv a*.csv $'\357\277\276\033\301.csv' --y $y --title $'<\001\377]]>' -o all.svg -q
    "$PYTHON" -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' all.svg
    run ! grep -Eq '"(-?[0-9]*nan|-?inf|[^"]*[0-9]{9})|<script|<b>' all.svg
  done
}
