#!/usr/bin/env bats
# Help, version, manual and completion.
load common

@test "the overview lists the commands, one for each file of them" {
  local names source
  names=$(commands; listed)
  for source in "$BATS_TEST_DIRNAME"/../../cli/cmd_*.c; do
    source=${source##*/cmd_} source=${source%.c}
    grep -qx "${source/_/ }" <<<"$names"
  done
}

@test "reproduce: help, manual and completion list every experiment with its methods" {
  dltf help reproduce >help
  dltf manual >manual
  dltf completion bash >completion
  mkdir -p data/mnist
  touch data/mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte.gz # --plan only checks that they exist
  local experiment names methods
  names=$(experiments)
  for experiment in $names; do
    [[ -s $BATS_TEST_DIRNAME/../../experiments/$experiment.c ]]
    methods=$(dltf reproduce "$experiment" --plan --data data --json -q | value '", ".join(dict.fromkeys(r["method"] for r in d["rows"]))')
    [[ -n $methods && $(tr -s ' \n' ' ' <help) == *" $experiment "*" --methods: $methods "* ]]
    grep -qx ".It Cm $experiment" manual
    [[ $(tr '\n' ' ' <manual) == *" $experiment "*"methods: $methods "* ]]
    grep -q "^ *$experiment) _dltf_list \"${methods//, / }\" ;;" completion
  done
  [[ $(grep -c "_dltf_list \"" completion) == $(wc -w <<<"$names") ]]
}

@test "dltf alone and an unknown command list the commands" {
  run -2 --separate-stderr dltf
  [[ $stderr == *"Commands:"*train*encode* ]]
  run -0 --separate-stderr dltf --help
  [[ $output == *"Commands:"*train*encode* && -z $stderr ]]
  fails 2 "did you mean 'train'" tran
  fails 2 "did you mean 'inspect'" help inspekt
  fails 2 "did you mean '--version'" --verson
  fails 2 "lists the commands" xyzzy
}

@test "a group of commands lists them and knows their names" {
  run -2 --separate-stderr dltf hash
  [[ -z $output && $stderr == *"Commands:"* ]]
  fails 2 "dltf hash: unknown command 'xyzzy'; 'dltf hash --help' lists the commands" hash xyzzy
  fails 2 "unknown command 'xyzzy'" help hash xyzzy
  fails 2 "unknown option '-k'" hash -k 10
  fails 2 "dltf hash: unknown command 'serch'; did you mean 'search'" hash serch
  fails 2 "did you mean 'index'" help hash indx
  run -0 dltf hash --help
  [[ $output == *"Usage: dltf hash COMMAND"*"Commands:"*"index "*"search "*"Example"* ]]
}

@test "--version names version, kernels, BLAS and build" {
  run -0 dltf --version
  [[ ${lines[0]} =~ ^dltf\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
  [[ $output == *BLAS*HDF5* ]]
}

@test "every command has help with an example, in three ways" {
  names=$(commands; listed)
  while read -ra command; do
    run -0 --separate-stderr dltf "${command[@]}" --help
    [[ $output == *"Usage: dltf ${command[*]} "* && $output == *"Example"*"dltf ${command[*]} "* && -z $stderr ]]
    local first=$output
    run -0 dltf help "${command[@]}"
    [[ $output == "$first" ]]
    run -0 dltf "${command[@]}" --nonsense -h
    [[ $output == "$first" ]]
    run ! grep -q ' $' <<<"$first"
  done < <(sort -u <<<"$names")
}

@test "help shows every library option with its default" {
  run -0 dltf train --help
  for option in -m -k --seed --threads --init --lambda --theta --beta --iterations --output --resume --history --quiet; do
    [[ $output == *" $option"* ]]
  done
  [[ $(grep -c -e '--init' <<<"$output") == 1 ]]
}

@test "the manual page is complete and clean" {
  dltf manual >dltf.1
  names=$(commands; listed)
  while read -r command; do
    grep -qx ".Ss dltf $command" dltf.1
  done <<<"$names"
  if command -v mandoc >/dev/null; then
    run -0 mandoc -Tlint dltf.1
    [[ -z $output ]]
  fi
}

# complete_words WORD...: completions of the last word.
complete_words() {
  COMP_WORDS=(dltf "$@") COMP_CWORD=$#
  _dltf
  echo "${COMPREPLY[*]}"
}

@test "bash completion knows commands, options, choices and files" {
  dltf completion bash >completion.bash
  source completion.bash
  [[ $(complete -p dltf) == *"-F _dltf dltf" ]]
  [[ $(complete_words tr) == train ]]
  [[ $(complete_words train --thet) == "--theta-start --theta" ]]
  [[ $(complete_words train --no-) == --no-center && $(complete_words encode --no-) == --no-error ]]
  [[ $(complete_words encode --select p) == positive ]]
  [[ $(complete_words encode --select m) == model ]]
  [[ $(complete_words train --select "") == "abs positive" ]]
  [[ $(complete_words help enc) == encode ]]
  [[ $(complete_words reproduce t | xargs) == $(experiments | grep ^t | xargs) ]]
  [[ $(complete_words reproduce timing --methods "" | xargs) == "original dltf" ]]
  [[ $(complete_words reproduce table1 --methods original,ks) == original,ksvd ]]
  [[ -z $(complete_words train --seed "") ]]
  touch "data file.npy"
  [[ $(complete_words train da) == "data file.npy" ]]
  [[ $(complete_words ha) == hash ]]
  [[ $(complete_words hash se) == search ]]
  [[ $(complete_words help hash se) == search ]]
  [[ -z $(complete_words help train se) ]]
  [[ $(complete_words hash search --rad) == --radius ]]
  [[ $(complete_words hash search --method m) == multi-index ]]
  [[ $(complete_words hash search da) == "data file.npy" ]]
  touch start.safetensors
  [[ $(complete_words train --init s | xargs -n1 | sort | xargs) == "samples start.safetensors" ]]
  [[ $(complete_words train --init g) == gaussian ]]
  fails 2 "unsupported shell 'tcsh': expected bash, fish or zsh" completion tcsh
}

@test "help names every value of every choice" {
  # As the completion script lists them, which is made from the tables of the parser.
  dltf completion bash | sed -n 's/^    "\([a-z -]*\)",--\([a-z-]*\).*_dltf_words "\([^"]*\)".*/\1|\2|\3/p' >choices
  [[ $(wc -l <choices) -ge 15 ]]
  local command option values value
  while IFS='|' read -r command option values; do
    # shellcheck disable=SC2086
    dltf help $command >text
    for value in $values; do
      grep -qw -- "$value" text || { echo "dltf help $command does not name $value of --$option"; return 1; }
    done
  done <choices
}

@test "-V is --version" {
  [[ $(dltf -V) == "$(dltf --version)" ]]
}

# fish_words LINE: completions of the last word, without descriptions.
fish_words() { fish --no-config -c "source dltf.fish; complete -C '$1'" | cut -f1; }

@test "fish completion knows commands, options, choices and files" {
  command -v fish >/dev/null || skip "fish is not installed"
  dltf completion fish >dltf.fish
  export HOME=$PWD XDG_DATA_HOME=$PWD XDG_CONFIG_HOME=$PWD
  touch some-data.npy
  [[ $(fish_words "dltf tr") == train ]]
  [[ $(fish_words "dltf hash s") == search ]]
  [[ $(fish_words "dltf train --enc") == --encoder ]]
  [[ $(fish_words "dltf train --no-") == --no-center ]]
  [[ $(fish_words "dltf train --encoder ti" | sort) == $'tied\ntight' ]]
  [[ $(fish_words "dltf train some") == some-data.npy ]]
  [[ $(fish_words "dltf hash train --method ne") == neighbour ]]
  [[ $(fish_words "dltf reproduce figu") == figure1 ]]
  [[ -z $(fish_words "dltf hash train --encod") ]]
}

# zsh_words WORD...: what the script passes to _describe or _arguments, a line each.
zsh_words() {
  zsh -f -c '_describe() { print -l -- ${(P)2}; }; _arguments() { print -l -- "$@"; }; compdef() { :; }
    words=(dltf "$@"); CURRENT=$#words; source ./_dltf' zsh "$@"
}

@test "zsh completion knows commands, options, choices and files" {
  command -v zsh >/dev/null || skip "zsh is not installed"
  dltf completion zsh >_dltf
  [[ $(head -1 _dltf) == "#compdef dltf" ]]
  zsh_words "" | grep -q '^train:learn a dictionary'
  zsh_words hash "" | grep -q '^search:'
  zsh_words train "" >train
  grep -qxF -- '--encoder[scores by the dictionary itself]:KIND:(auto tied tight dual distilled learned best)' train
  grep -qxF -- '--no-center[opposite of --center]' train
  grep -qF -- '(-m --m)--m[number of atoms' train && grep -qxF -- '*:file:_files' train
  zsh_words hash train "" | grep -q -- '--method\[.*(lsh .*neighbour)$'
  zsh_words reproduce "" | grep -q '^1:value:(table1 .*learners'
}

@test "the manual page names every environment variable that the program reads" {
  local name names
  names=$(grep -rhoE 'getenv\("[A-Z_]+"\)' "$BATS_TEST_DIRNAME"/../../{src,cli,experiments} | grep -oE '[A-Z_]{4,}' | sort -u)
  [[ $(wc -w <<<"$names") -ge 3 ]]
  dltf manual >manual
  for name in $names; do grep -qE "^\.It Ev (.* )?$name( |$)" manual || { echo "$name is missing"; return 1; }; done
}
