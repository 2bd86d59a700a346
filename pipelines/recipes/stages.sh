# Sourced by the recipes: the stages on PATH. In a checkout they are built; an installation has them (../install/install.sh).
# PRIVPIPE_BIN names another folder that has them.

# fail MESSAGE [CODE] ends the recipe as a stage does: by default as wrong usage.
fail() {
  echo "$(basename "$0"): error: $1" >&2
  exit "${2:-80}"
}

recipes=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=$(readlink -f -- "$recipes/../..")
if [[ -z ${PRIVPIPE_BIN:-} && -e $root/go.mod ]]; then
  PRIVPIPE_BIN=$root/bin
  type -P go >/dev/null || fail "Go is not on PATH, and builds the stages of a checkout: put it there, or use an installation" 82
  (cd "$root" && go build -o bin/ ./...)
fi
PRIVPIPE_BIN=$(cd "${PRIVPIPE_BIN:-$root/../../libexec/privpipe}" && pwd)
PATH=$PRIVPIPE_BIN:$PATH

# take "NAME…" ARGUMENT… sets the variable NAME for each flag --NAME VALUE or --NAME=VALUE and leaves the other arguments in `arguments`. A NAME
# with a ! behind it is a switch: --NAME sets it to yes.
take() {
  local known=" $1 "
  shift
  arguments=()
  while (($#)); do
    case $1 in
      -h | --help) usage && exit ;;
      --*=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        continue
        ;;
      --*)
        if [[ $known == *" ${1#--}! "* ]]; then
          printf -v "${1#--}" yes
          shift
          continue
        fi
        [[ $known == *" ${1#--} "* ]] || fail "unknown flag $1, see --help"
        (($# > 1)) || fail "$1 needs a value"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
}

# text_and_folder takes the arguments TEXT and OUT of a recipe and makes the folder, which names the run if nothing else does.
# ${vocabulary[@]} are the flags for --vocab.
text_and_folder() {
  [[ ${#arguments[@]} == 2 ]] || fail "wants TEXT and OUT, see --help"
  text=${arguments[0]} out=${arguments[1]}
  [[ -e $text ]] || fail "no such text: $text"
  [[ -f $text || -d $text ]] || fail "must be a file or a folder, is neither: $text" # it is read more than once
  [[ -z $vocab || -f $vocab ]] || fail "no such vocabulary: $vocab"
  [[ -z $held || -e $held ]] || fail "no such text: $held"
  mkdir -p -- "$out" 2>/dev/null || fail "cannot make the folder $out" 82
  run=${run:-$(basename -- "$(cd "$out" && pwd -P)")}
  vocabulary=(${vocab:+--vocab "$vocab"})
}

# score MODEL FLAG… scores a model on the held-out text, if there is one.
score() {
  local model=$1
  shift
  [[ -n $held ]] || return 0
  keep "$out/held.pp" documents "$held" "$out/held.pp"
  pipeline estep lda --score --model "$model" "$@" "$out/held.pp" -- evaluate perplexity -- tee "$out/perplexity.txt"
}

# usage prints the recipe's own head: the comment from its second line on.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# documents TEXT OUTPUT makes a stream of documents of any kind of text: .jsonl, .csv, .txt or a folder of them, a UCI bag of words
# (docword…), all of these compressed or not, or a stream that is there already (.pp).
documents() {
  case $(basename "$1") in
    *.pp) cp -- "$1" "$2.unfinished" && mv -- "$2.unfinished" "$2" ;;
    docword*)
      [[ -n $vocab ]] || fail "a UCI file counts words of a vocabulary of its own: give --vocab"
      pipeline tokenize uci --vocab "$vocab" -o "$2" "$1"
      ;;
    *) pipeline tokenize text "${vocabulary[@]}" -o "$2" "$1" ;;
  esac
}

# keep FILE COMMAND… runs COMMAND, whose output is FILE, unless FILE is there: a recipe that was stopped goes on where it
# was. Stages write a file whole or not at all.
keep() {
  local file=$1
  shift
  [[ -e $file ]] || "$@"
}

# begin LEDGER begins the ledger of a recipe's own folder, unless it is there. No recipe begins a ledger that it was given.
begin() { [[ -e $1 ]] || { account ledger new "$1" && echo "$(basename "$0"): began the ledger $1" >&2; }; }

# used GRANT LEDGER says that a ledger has been charged by a grant. A grant that was planned and is not used yet is planned again:
# another run may have charged the ledger meanwhile.
used() { [[ -e $1 ]] && grep -qs "\"grant\":{\"version\":[23],\"id\":\"$(sed -n 's/^  "id": "\(.*\)",$/\1/p' "$1")\"" "$2"; }

# train runs the stages with the flags in the arrays sample, estep, privatize and mstep, unless the model is there: over pipes,
# or where there are brokers over the topics of a run, each stage a process of its own and $workers of estep.
train() {
  if [[ -e $out/model.pp ]]; then
    echo "$out has its model: nothing to train" >&2
    return
  fi
  one_line
  if [[ -z $brokers ]]; then
    over_pipes
  else
    over_topics
  fi
  no_line
}

# one_line has a terminal show all the training in one line. Where there is a grant account watch draws it, until nobody reads
# its output any more; where there is none, mstep does. The stages before it are silent, over topics too.
line=''
one_line() {
  local i grant='' ledger=''
  export PRIVPIPE_{SAMPLE,ESTEP}_NO_PROGRESS=1
  for i in "${!privatize[@]}"; do
    case ${privatize[i]} in
      --grant) grant=${privatize[i + 1]} ;;
      --ledger) ledger=${privatize[i + 1]} ;;
    esac
  done
  if [[ -t 2 && -n $grant ]]; then
    exec {line}< <(exec account watch --grant "$grant" "$ledger")
    drawing=$!
    export PRIVPIPE_MSTEP_NO_PROGRESS=1
  fi
}

# no_line waits until that line is erased.
no_line() {
  [[ -n $line ]] || return 0
  exec {line}<&-
  line=''
  wait "$drawing" || true
}

# over_pipes has the FIFO out/params from mstep back to estep.
over_pipes() {
  rm -f -- "$out/params"
  mkfifo -- "$out/params"
  pipeline sample "${sample[@]}" "$out/documents.pp" \
    -- estep "${estep[@]}" --params "$out/params" \
    -- privatize "${privatize[@]}" \
    -- mstep "${mstep[@]}" --params-out "$out/params" -o "$out/model.pp"
  rm -f -- "$out/params"
}

# topics_of_run makes the topics of a run over brokers, if there are any, before anything is charged.
topics_of_run() { [[ -z $brokers ]] || pipeline topics --partitions "$partitions" "$brokers" "$run" >"$out/topics"; }

# over_topics ends as soon as a stage fails. The same command goes on: every stage finds in the topics where it was.
over_topics() {
  local at=kafka://$brokers/$run
  stages=()
  sample "${sample[@]}" --run "$run" --follow "$at.releases" --secret "$out/coins" -o "$at.rounds.private" "$out/documents.pp" &
  stages+=($!)
  for ((worker = 0; worker < workers; worker++)); do
    estep "${estep[@]}" --params "$at.parameters" -o "$at.contributions.private" "$at.rounds.private?group=$run.estep" &
    stages+=($!)
  done
  privatize "${privatize[@]}" --run "$run" --claims "$at.claims" -o "$at.releases" "$at.contributions.private?group=$run.privatize" &
  stages+=($!)
  mstep "${mstep[@]}" --run "$run" --params-out "$at.parameters" -o "$out/model.pp" "$at.releases" &
  stages+=($!)
  together
}

# pipeline COMMAND… -- COMMAND… runs stages as a pipeline of the shell would, and exits with the code that caused the others.
pipeline() {
  local command=() input=/dev/null fifos output
  fifos=$(mktemp -d)
  temporary+=("$fifos")
  stages=()
  while (($#)); do
    if [[ $1 != -- ]]; then
      command+=("$1")
      shift
      (($# == 0)) || continue
      "${command[@]}" <"$input" &
    else
      shift
      output=$fifos/${#stages[@]}
      mkfifo -- "$output"
      "${command[@]}" <"$input" >"$output" &
      input=$output
      command=()
    fi
    stages+=($!)
  done
  together
}

# together waits for ${stages[@]}. Where one fails, most others end by themselves, since their input is cut (90) or their reader
# goes away (141). What has not ended after ten seconds is stopped. The recipe exits with the code of the cause.
together() {
  local pid code cause=0 weight worst=0
  while ((${#stages[@]})); do
    code=0
    wait -n -p pid "${stages[@]}" || code=$?
    case $code in
      0) weight=0 ;;
      141) weight=1 ;;
      90) weight=2 ;;
      *) weight=3 ;;
    esac
    if ((weight > 0 && worst == 0)); then
      (sleep 10 && kill "${stages[@]}") 2>/dev/null &
      watchers+=($!)
    fi
    ((weight <= worst)) || worst=$weight cause=$code
    forget "$pid"
  done
  ((cause == 0)) || exit "$cause"
}

# forget PID takes a stage that has ended from ${stages[@]}.
forget() {
  local kept=() pid
  for pid in "${stages[@]}"; do
    [[ $pid == "$1" ]] || kept+=("$pid")
  done
  stages=("${kept[@]}")
}

# stop CODE stops the stages, waits for them, and exits.
stop() {
  trap '' TERM INT HUP
  ((${#stages[@]} == 0)) || kill "${stages[@]}" 2>/dev/null || true
  wait "${stages[@]}" 2>/dev/null || true
  echo "$(basename "$0"): stopped; the same command goes on" >&2
  exit "$1"
}

# tidy removes what a recipe leaves.
tidy() {
  no_line
  rm -rf -- "${temporary[@]}"
  ((${#watchers[@]} == 0)) || kill "${watchers[@]}" 2>/dev/null || true
}
stages=() temporary=() watchers=()
trap 'stop 143' TERM
trap 'stop 130' INT
trap 'stop 129' HUP
trap tidy EXIT

# same SETTINGS refuses to go on in the folder with what other settings or another text or vocabulary began. Files are told by
# what they hold, so that a folder may be moved. A settings file is there as soon as there are documents; it tells something of
# the text, so it is its owner's alone.
same() {
  local settings
  settings="$1 vocabulary $([[ -z $vocab ]] || checksum "$vocab") text $(checksum "$text")"
  if [[ ! -e $out/documents.pp ]]; then
    (umask 077 && printf '%s\n' "$settings" >"$out/settings.unfinished")
    mv -- "$out/settings.unfinished" "$out/settings"
  elif [[ $(<"$out/settings") != "$settings" ]]; then
    fail "$out was begun with other settings or another text: take them again, or another folder ($(sed 's/ vocabulary .*//' "$out/settings"))"
  fi
}

# identity LEDGER prints that of a ledger, which must be there; "own" for "", the ledger that a recipe begins in its folder.
identity() {
  if [[ -z $1 ]]; then
    echo own
  else
    [[ -e $1 ]] || fail "no such ledger: $1; account ledger new makes one"
    sed -n '1s/.*"ledger":{"id":"\([0-9a-f]*\)".*/\1/p' "$1"
  fi
}

# checksum FILE tells a file or a folder from another.
checksum() {
  if [[ -d $1 ]]; then
    (cd -- "$1" && find -L . -type f -exec cksum {} + | LC_ALL=C sort | cksum)
  else
    cksum <"$1"
  fi
}

# worth stops before anything is planned or charged for documents that are not worth it: too few, or in words that the vocabulary
# lacks. The folder then takes other settings. What is found is private: it stays in a file of its owner alone, and a terminal
# shows it.
worth() {
  local code=0
  [[ ! -e $out/grant.json ]] || return 0
  rm -f -- "$out/check.txt"
  tokenize check ${unit:+--unit "$unit"} ${force:+--force} -o "$out/check.txt" "$out/documents.pp" || code=$?
  [[ ! -t 2 || ! -e $out/check.txt ]] || cat "$out/check.txt" >&2
  ((code == 0)) || { rm -f -- "$out/documents.pp" && exit "$code"; }
}

# some FILE fails unless a stream has a document.
some() { (set +o pipefail && show "$1" | sed -n 2p | grep -q '^{"document"') || fail "no document in $text"; }
