# Recipes source this file. It puts the stages on PATH: in a checkout it builds them; an installation has them
# (../install/install.sh). PRIVPIPE_BIN names another folder with the stages.

# fail MESSAGE [CODE] ends the recipe with the exit code of a stage, by default the code of wrong usage.
fail() {
  echo "$(basename "$0"): error: $1" >&2
  exit "${2:-80}"
}

# stop CODE stops what runs in the background, waits for it, and exits. The traps are set before anything is started, be it the build of
# the stages. The shell's own list of jobs has a stage that was started just now, too, which ${stages[@]} may lack.
stop() {
  trap '' TERM INT HUP
  jobs -p | xargs -r kill 2>/dev/null || true
  wait 2>/dev/null || true
  local again='run the same command to resume'
  [[ -z ${streams:-} ]] || again='its streams lack the rounds to come, so name another folder'
  echo "$(basename "$0"): stopped; $again" >&2
  planned
  exit "$1"
}

# planned prints what the plan of the recipe costs, if it has begun. It is for a recipe that ends before its last round: whoever ends it because
# of what it released has that ε, and not the smaller one of account report (privatize/PRIVACY.md).
planned() {
  local grant=${shown:-}/grant.json epsilon delta
  [[ -e $grant && -n ${ledger:-} ]] && used "$grant" "$ledger" && ! grep -q '^  "cost"' "$grant" || return 0 # a filter has a theorem for that
  epsilon=$(planned_epsilon "$grant") delta=$(sed -n 's/^    "delta": \([^,]*\),$/\1/p' "$grant")
  echo "$(basename "$0"): to end it here because of what it released costs ε ${epsilon:-of all rounds of $grant}${delta:+ at δ $delta}, which is that of the whole plan" >&2
}

# planned_epsilon GRANT prints the ε of the ledger after all releases of a grant, as planned.
planned_epsilon() { sed -n 's/^    "epsilon": \([^,]*\),$/\1/p' "$1"; }

# tidy removes temporary files and ends background processes.
tidy() {
  [[ -z $line ]] || no_line
  note 2>/dev/null || true
  rm -rf -- "${temporary[@]}"
  ((${#watchers[@]} == 0)) || { kill "${watchers[@]}" && wait "${watchers[@]}"; } 2>/dev/null || true
}
stages=() temporary=() watchers=() line='' lock=''
trap 'stop 143' TERM
trap 'stop 130' INT
trap 'stop 129' HUP
trap tidy EXIT

recipes=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=$(readlink -f -- "$recipes/../..")
[[ ${PRIVPIPE_BIN-/} ]] || fail "PRIVPIPE_BIN is empty: unset it, or name the folder of the stages"
if [[ -z ${PRIVPIPE_BIN:-} && -e $root/go.mod ]]; then
  PRIVPIPE_BIN=$root/bin
  type -P go >/dev/null || fail "Go is not on PATH: it is needed to build the stages of a checkout; add it to PATH, or use an installation" 82
  [[ -e $PRIVPIPE_BIN/estep ]] || echo "$(basename "$0"): builds the stages, once: about a minute" >&2
  CGO_ENABLED=0 go build -C "$root" -o bin/ ./... & # static, as an installation is
  stages=($!)
  wait "${stages[@]}"
  stages=()
fi
PRIVPIPE_BIN=${PRIVPIPE_BIN:-$(readlink -m -- "$root/../../libexec/privpipe")}
[[ -d $PRIVPIPE_BIN ]] || fail "no stages in $PRIVPIPE_BIN: start the recipe in a checkout or from an installation, or name their folder in PRIVPIPE_BIN" 82
PRIVPIPE_BIN=$(cd "$PRIVPIPE_BIN" && pwd)
PATH=$PRIVPIPE_BIN:$PATH

# take "NAME…" ARGUMENT… sets the variable NAME for each flag --NAME VALUE or --NAME=VALUE, and puts the other arguments into
# `arguments`. A NAME with a ! after it is a switch: --NAME sets it to yes. The variable has _ for each - of the NAME.
take() {
  local known=" $1 " name
  shift
  arguments=()
  while (($#)); do
    case $1 in
      -h | --help) usage; exit ;;
      --*=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        continue
        ;;
      --*)
        name=${1#--}
        if [[ $known == *" $name! "* ]]; then
          printf -v "${name//-/_}" yes
          shift
          continue
        fi
        [[ $known == *" $name "* ]] || fail "unknown flag $1, see --help"
        (($# > 1)) && [[ -n $2 ]] || fail "$1 needs a value" # an empty one is of a command that failed before
        printf -v "${name//-/_}" %s "$2"
        shift
        ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
}

# real NAME… refuses flags whose values are not numbers above 0.
real() {
  local name value
  for name in "$@"; do
    value=${name//-/_}
    value=${!value}
    [[ $value =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$ ]] && holds "$value > 0 && $value < 1e300" || fail "--$name must be a positive number, is $value"
  done
}

# positive NAME… refuses flags whose values are not whole numbers above 0.
positive() {
  local name value
  for name in "$@"; do
    value=${name//-/_}
    value=${!value}
    [[ $value =~ ^[1-9][0-9]*$ ]] || fail "--$name must be a positive number, is $value"
  done
}

# seeded refuses a seed that is no whole number.
seeded() { [[ $seed =~ ^[0-9]{1,19}$ ]] || fail "--seed must be a whole number, is $seed"; }

# holds CONDITION succeeds if a condition of numbers, as awk writes it, is true.
holds() { awk "BEGIN {exit !($1)}"; }

# shared are the flags of all recipes that take TEXT and OUT, for take. A recipe passes "${shared…}" without those of them that it
# would ignore. The defaults follow.
shared="vocab columns delimiter phrases held title seed brokers run workers partitions"
vocab='' format='' columns='' delimiter='' quote='' ragged='' encoding='' phrases='' held='' title='' seed=1 keep='' rule='' others=()
date='' date_format='' zone='' from='' until='' on_error=''
brokers='' run='' workers=2 partitions=4

# own FOLDER makes a folder and locks it for this recipe: another one ends with the exit code of a lock. The stages inherit the lock, so
# those that outlive a killed recipe hold it, too. Without flock, as on macOS, the process of the recipe holds it.
own() {
  local of=$1/.lock holder
  mkdir -p -- "$1" 2>/dev/null || fail "cannot make the folder $1" 82
  { [[ -w $1 ]] && exec {lock}>>"$of"; } 2>/dev/null || fail "cannot write in the folder $1" 82
  holder=$(<"$of")
  if type -P flock >/dev/null; then
    flock -n "$lock" || holds_folder "$1" "$holder"
  else
    [[ -z $holder || ${holder##* } == "$$" ]] || ! ps -p "${holder##* }" >/dev/null 2>&1 || holds_folder "$1" "$holder"
  fi
  echo "$(basename "$0"), process $$" >"$of"
}

# holds_folder FOLDER HOLDER ends a recipe whose folder another one has.
holds_folder() { fail "another recipe works in $1: ${2:-it has just begun}; wait until it and its stages have ended" 91; }

# lay_out locks the folder $out, and sets $shown and $inside to the folders in it with what may be shown, and with the rest (OUT.md says what is
# where). It refuses an OUT that an earlier version began before anything is written there: a second ledger beside the first would know nothing
# of it. FIFOs of a recipe that was killed go. Figures, and what makes data, set flat: their OUT has no such folders.
flat='' shown='' inside=''
lay_out() {
  local old
  shown=$out inside=$out
  if [[ ! $flat ]]; then
    for old in settings run.ledger; do
      [[ ! -e $out/$old ]] || fail "$out was begun by an earlier version, which put $old there and not into $out/private: finish it with that version, or name another folder" 83
    done
    shown=$out/public inside=$out/private
  fi
  [[ ! -e $out || -d $out ]] || fail "$out is a file: OUT, a folder, comes last"
  own "$out"
  mkdir -p -- "$shown" && (umask 077 && mkdir -p -- "$inside") || fail "cannot make the folders $shown and $inside" 82
  [[ $flat ]] || chmod 700 -- "$inside"
  rm -rf -- "$inside"/fifos.*
}

# text_and_folder takes the arguments TEXT… and OUT of a recipe and makes the folder. Without --run, the folder's name is the name
# of the run; $named is the --run that was given. ${vocabulary[@]} are the flags for --vocab. $text is the first TEXT and ${others[@]} are the
# others. A TEXT that no file has as its name may be a pattern of files. Standard input, -, is kept in $inside, since recipes read it more
# than once. Only a recipe that sets $several takes any of these.
text_and_folder() {
  ((${#arguments[@]} >= 2)) && [[ ${several:-} || ${#arguments[@]} == 2 ]] || fail "wants TEXT and OUT, see --help"
  local given=("${arguments[@]:0:${#arguments[@]}-1}") one matches pattern=''
  named=$run out=${arguments[-1]} others=()
  [[ $out != ?*/ ]] || out=${out%"${out##*[!/]}"}
  positive workers partitions
  for one in "${given[@]}"; do
    if [[ ${several:-} && $one == - ]]; then
      [[ ${#given[@]} == 1 ]] || fail "standard input must be the only text"
    elif [[ -e $one ]]; then
      [[ -f $one || -d $one ]] || fail "must be a file or a folder, is neither: $one" # recipes read it more than once
    elif [[ ${several:-} ]] && matches=$(compgen -G "$one"); then
      mapfile -t -O "${#others[@]}" others <<<"$matches"
      pattern=yes
      continue
    else
      fail "no such text: $one"
    fi
    others+=("$one")
  done
  text=${others[0]}
  others=("${others[@]:1}")
  for one in "${others[@]}"; do
    case $(basename -- "$one") in
      docword* | *.pp) fail "bags of words must be the only text, and $one has them" ;;
    esac
  done
  [[ -z $vocab || -f $vocab || $vocab == english-8000 ]] || fail "no such vocabulary: $vocab"
  [[ -z $phrases || -f $phrases ]] || fail "no such list of phrases: $phrases"
  [[ -z $held || -e $held ]] || fail "no such text: $held"
  case $(basename -- "$text") in
    docword* | *.pp)
      # Without its date a document would be in each window.
      [[ -z $columns$delimiter$phrases${keep:-}${rule:-}${date:-} ]] ||
        fail "--columns, --delimiter, --phrases, --keep, --rule and --date are for a text, and $text has bags of words"
      [[ ${#others[@]} == 0 ]] || fail "bags of words must be the only text, and $text has them"
      ;;
  esac
  lay_out
  if [[ $text == - ]]; then
    text=$inside/input
    temporary+=("$text" "$text.unfinished") # removed at the end, whatever ends it
    (umask 077 && cat >"$text.unfinished") && mv -- "$text.unfinished" "$text"
  fi
  run=${run:-$(basename -- "$(cd "$out" && pwd -P)")}
  [[ ${#given[@]} == 1 && ! $pattern ]] || title=${title:-$run} # a file among several may be one document, whose id is its name
  vocabulary=(${vocab:+--vocab "$vocab"})
}

# scorer is the E-step that scores models.
scorer=lda

# score MODEL FLAG… scores a model on the held-out text, if there is one. With $trace it scores the models after each round, too, which
# mstep keeps in $shown/models. Scores of private text are private: no ε covers them.
score() {
  local model=$1 to
  shift
  rm -f -- {"$shown","$inside"}/{perplexity,by-round}.txt
  [[ -n $held ]] || return 0
  held_documents
  to=$(beside_held)
  estep "$scorer" --score --model "$model" "$@" -o "$inside/scores.pp" "$inside/held.pp"
  evaluate perplexity "$inside/scores.pp" | tee "$to/perplexity.txt"
  scores=$inside/scores.pp
  [[ -n ${trace:-} ]] || return 0
  keep "$inside/by-round.pp" estep "$scorer" --score --model "$shown/models" -o "$inside/by-round.pp" "$inside/held.pp"
  evaluate perplexity --rounds -o "$to/by-round.txt" "$inside/by-round.pp"
  cat "$to/by-round.txt"
  scores=$inside/by-round.pp
}

# beside_held prints the folder of what is said of the held-out documents: public only if they are.
beside_held() { if public "$inside/held.pp"; then echo "$shown"; else echo "$inside"; fi; }

# public STREAM succeeds if everybody may read a stream.
public() { (set +o pipefail && show "$1" | sed 1q | grep -q '"side":"PUBLIC"'); }

# present LEDGER FLAG… shows what a recipe has made: topics, the report of the ledger at $delta, scores by estep with these flags, and
# the page.
present() {
  local ledger=$1 scores=''
  shift
  evaluate topics --top 10 -o "$shown/topics.txt" "$shown/model.pp"
  account report --delta "$delta" -o "$shown/report.txt" "$ledger"
  cat "$shown/topics.txt" "$shown/report.txt"
  score "$shown/model.pp" "$@"
  page "$ledger" ${scores:+--scores "$scores"}
  made "$ledger" "@estep $scorer --infer --model $(printf '%q %q' "$shown/model.pp" "$inside/documents.pp")"
}

# made LEDGER COMMAND ends a recipe with four lines: the page, the model, what is private, and the next command, which has @ before each stage.
made() {
  local stages=$PRIVPIPE_BIN/ shows="all of $shown may be shown" has='documents, settings and keys'
  [[ -z ${no_page:-} ]] || return 0
  [[ $stages != "$PWD"/* ]] || stages=${stages#"$PWD/"}
  [[ -e $root/go.mod || ! -x $root/../../bin/privpipe ]] || stages='privpipe '
  ! grep -q '"epsilon": "∞"' "$shown/report.json" || shows='no ε protects what it learned from'
  [[ $1 != "$inside"/* ]] || has="the ledger, $has"
  printf '%s\n' "page:    $shown/report.html" "model:   $shown/model.pp ($shows)" "private: $inside ($has)" "next:    ${2//@/$stages}" >&2
}

# name_of TEXT prints the name of a text without its folder and its last extensions.
name_of() {
  local name=${1%/}
  name=${name##*/}
  while [[ $name =~ ^(.+)\.(zst|gz|bz2|xz|jsonl|json|csv|tsv|parquet|avro|txt|pp|npy)$ ]]; do name=${BASH_REMATCH[1]}; done
  printf %s "$name"
}

# page_of are the flags of evaluate report for the model; by default that of model.pp.
page_of=()

# page LEDGER [FLAG STREAM] makes events.json, the charges for other accountants, and report.html, a page with public numbers only, with
# the scores or predictions of the STREAM by this flag of evaluate report. If they are private, the page goes without them, and the recipe says how to make one for inside. ε over the releases
# costs many compositions, and a ledger of many runs far more of them, so the page has it only of the ledger in the recipe's own folder, and
# it is kept while the report stays the same. The page has $title or the name of the only text as its title, and the topics of start.pp, if the
# recipe has kept that. A figure sets $no_page: nobody reads the pages of its runs.
page() {
  [[ -z ${no_page:-} ]] || return 0
  local ledger=$1 curve=() of_model=("${page_of[@]}") report
  shift
  ((${#of_model[@]})) || of_model=(--model "$shown/model.pp")
  [[ $ledger != "$inside/run.ledger" ]] || curve=(--curve "$shown/curve.json")
  account report --json --delta "$delta" -o "$shown/report.now" "$ledger"
  if [[ ! -e $shown/curve.json ]] || ! cmp -s -- "$shown/report.now" "$shown/report.json"; then
    rm -f -- "$shown/report.json"
    ((${#curve[@]} == 0)) || account report -q --json --delta "$delta" "${curve[@]}" -o /dev/null "$ledger"
  fi
  mv -- "$shown/report.now" "$shown/report.json"
  data_set "$ledger"
  account export --format list "${of[@]}" -o "$shown/events.json" "$ledger" || rm -f -- "$shown/events.json" # of a charge without an event
  report=(evaluate report --title "${title:-$(name_of "$text")}" "${of_model[@]}" --ledger "$ledger" --account "$shown/report.json" "${curve[@]}")
  [[ ! -e $shown/start.pp ]] || report+=(--start "$shown/start.pp")
  [[ -z ${prior:-} || ! -e $shown/words.pp ]] || report+=(--words "$shown/words.pp")
  if (($#)) && ! public "$2"; then
    printf '%s: the held-out data are private, so %q has no numbers of them; a page for inside only: %s\n' "$(basename "$0")" "$shown/report.html" \
      "$(printf '%q ' "${report[@]}" "$@" --internal)$(printf %q "$inside/internal.html")" >&2
    shift 2
  fi
  "${report[@]}" "$@" "$shown/report.html"
}

# usage prints the comment at the start of the recipe, from its second line.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# documents TEXT OUTPUT makes a stream of documents from a text: a file of any format that tokenize text reads, or a folder of them,
# a UCI bag of words (docword…), all of these compressed or not, or a stream of documents (.pp), which it copies. With $sets each word of a
# document counts once. With $schema it makes documents from rows of what tokenize rows reads, with $image from images of this size.
schema='' image='' bernoulli=''
documents() {
  if [[ -z ${sets:-} ]]; then
    bags "$@"
    return
  fi
  bags "$1" "$2.bags"
  pipeline tokenize sets -o "$2" "$2.bags"
  rm -- "$2.bags"
}

# bags TEXT OUTPUT makes the documents with the counts of their words. With $public_text everybody may read them. With $sizes it also writes
# the size of each document of a text to this file. $stop_words are
# those of the text's language; by default English ones.
bags() {
  local of=("$1")
  [[ $1 != "${text:-}" ]] || of+=("${others[@]}")
  local reading=(${format:+--format "$format"} ${delimiter:+--delimiter "$delimiter"} ${quote:+--quote "$quote"} ${ragged:+--ragged}
    ${encoding:+--encoding "$encoding"})
  local period=(${date:+--date "$date"} ${date_format:+--date-format "$date_format"} ${zone:+--zone "$zone"} ${from:+--from "$from"} ${until:+--until "$until"} ${skipped:+--skipped "$skipped"} ${on_error:+--on-error "$on_error"})
  [[ -z ${seen:-} || $1 != "${text:-}" ]] || period+=(--seen "$seen")
  case $(basename "$1") in
    *.pp) cp -- "$1" "$2.unfinished" && mv -- "$2.unfinished" "$2" ;;
    *) if [[ $image ]]; then images "$@"; elif [[ $schema ]]; then rows "$@"; else texts "$@"; fi ;;
  esac
}

images() { pipeline tokenize images ${public_text:+--public} --image "$image" ${bernoulli:+--bernoulli} -o "$2" "${of[@]}"; }

rows() { pipeline tokenize rows --schema "$schema" "${reading[@]}" -o "$2" "${of[@]}"; }

texts() {
  case $(basename "$1") in
    docword*)
      [[ -n $vocab ]] || fail "a UCI file has its own vocabulary: name it with --vocab"
      pipeline tokenize uci ${public_text:+--public} --vocab "$vocab" -o "$2" "$1"
      ;;
    *)
      pipeline tokenize text ${public_text:+--public} ${sizes:+--sizes "$sizes"} ${stop_words:+--stop "$stop_words"} "${vocabulary[@]}" ${columns:+--columns "$columns"} "${reading[@]}" "${period[@]}" \
        ${phrases:+--phrases "$phrases"} ${keep:+--keep "$keep"} ${rule:+--rule "$rule"} -o "$2" "${of[@]}"
      ;;
  esac
}

# words_of_seeds FILE prints the words of a list of topics, in lower case, each once.
words_of_seeds() {
  sed 's/^\xef\xbb\xbf//; s/\r$//; /^#/d; s/^[^:]*://' -- "$1" | tr -s '[:space:]' '\n' | sed 's/.*/\L&/' | awk 'NF && !seen[$0]++'
}

# keep FILE COMMAND… runs COMMAND to make FILE, unless FILE exists. So a recipe that was stopped resumes. Stages write a file
# completely or not at all.
keep() {
  local file=$1
  shift
  [[ -e $file ]] || "$@"
}

# whole LEDGER stops the recipe if a ledger lacks charges of this folder or of one beside it, as a copy from a backup does. A ledger and
# its stored releases from one backup agree with each other, so each recipe also keeps the ledger's last hash in OUT/private/ledger.last.
whole() {
  local id of hash file last=() code=0
  id=$(identity "$1")
  for file in "$inside"/ledger.last "$out"/../*/{private/,}ledger.last; do # an earlier version had it in OUT
    [[ -f $file ]] || continue
    read -r of hash <"$file" || true
    [[ $of != "$id" ]] || last+=(--last-hash "$hash")
  done
  account verify -q "${last[@]}" "$1" >/dev/null || code=$?
  ((code != 90)) || fail "the ledger $1 was changed, or put back from a backup: kafka/recovery.md says what to do" 90
  ((code == 0)) || exit "$code"
  noted=$1
}

# note keeps the last hash of the ledger that was whole, at the end of the recipe, however it ends.
noted=''
note() {
  local hash
  [[ -n $noted && -e $noted ]] || return 0
  hash=$(tail -n 2 -- "$noted" | sed -n 's/.*"hash":"\([0-9a-f]\{64\}\)".*/\1/p' | tail -n 1)
  [[ -z $hash ]] || { printf '%s %s\n' "$(identity "$noted")" "$hash" >"$inside/ledger.last.unfinished" &&
    mv -- "$inside/ledger.last.unfinished" "$inside/ledger.last"; }
}

# data_set LEDGER sets ${of[@]} to the flags of account plan for --dataset: a grant is for one data set if those of the ledger are
# disjoint.
data_set() {
  of=()
  ! head -n 1 -- "$1" | grep -q '"disjoint_datasets":true' || of=(--dataset "$dataset")
}

# begin LEDGER begins the ledger in a recipe's own folder, unless it exists. No recipe begins a ledger that --ledger names.
begin() { [[ -e $1 ]] || { account ledger new "$1" && echo "$(basename "$0"): began the ledger $1" >&2; }; }

# used GRANT LEDGER succeeds if the ledger has a charge under the grant. An unused grant is planned again, because another run may
# have charged the ledger since.
used() { [[ -e $1 ]] && grep -qs "\"grant\":{\"version\":[23],\"id\":\"$(sed -n 's/^  "id": "\(.*\)",$/\1/p' "$1")\"" "$2"; }

# train runs the stages with the flags in the arrays sample, estep, privatize and mstep, unless the model exists. It runs them over
# pipes, or with --brokers over the topics of the run: there with $workers processes of estep, or with one for each partition if it
# keeps the topics of documents.
train() {
  if [[ -e $shown/model.pp ]]; then
    echo "$out has a model already: nothing to train" >&2
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

# one_line shows the progress of the whole training in one line of a terminal. With a grant, account watch draws it until its output
# is closed; without a grant, mstep does. The other stages are silent.
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
    exec {line}< <(
      [[ -z $lock ]] || exec {lock}>&-
      exec account watch --grant "$grant" "$ledger"
    )
    drawing=$!
    export PRIVPIPE_MSTEP_NO_PROGRESS=1
  fi
}

# no_line waits until the progress line is erased.
no_line() {
  [[ -n $line ]] || return 0
  exec {line}<&-
  line=''
  wait "$drawing" 2>/dev/null || true # stop may have waited for it already
}

# keeps_topics marks a run in which the topics of documents go on from round to round. estep keeps them in $inside/state….pp, and its coins
# have a key. With "coupled", one process answers all documents of a round together.
kept=()
keeps_topics() {
  keep "$inside/gibbs.key" secret_key "$inside/gibbs.key"
  # The state is of a named run, which goes on where the folder was moved to.
  [[ -z $named || ! -e $inside/run.name || $named == "$(<"$inside/run.name")" ]] ||
    fail "$out was begun as run $(<"$inside/run.name"): leave --run out, or name another folder"
  if [[ ! -e $inside/run.name ]]; then
    printf '%s\n' "$run" >"$inside/run.name.unfinished"
    mv -- "$inside/run.name.unfinished" "$inside/run.name"
  fi
  run=$(<"$inside/run.name")
  kept=(--run "$run")
  estep+=(--secret "$inside/gibbs.key")
  [[ ${1:-} != coupled ]] || partitions=1
}

# secret_key FILE makes a key that only its owner can read.
secret_key() { (umask 077 && head -c 32 /dev/urandom >"$1.unfinished") && mv -- "$1.unfinished" "$1"; }

# rounds writes the rounds of a run over pipes. It replaces the shell of the stage, so that what stops the stage stops sample.
rounds() { exec sample "${sample[@]}" "${kept[@]}" "$inside/documents.pp"; }

# over_pipes trains over pipes. The FIFO $inside/params leads from mstep back to estep. With $streams the parameters of all rounds stay in
# $shown/params.pp, and all contributions, which are private, in $inside/contributions.pp.
over_pipes() {
  local state=() kept_contributions=() params=$inside/params keeping=''
  ((${#kept[@]} == 0)) || state=(--state "$inside/state.pp")
  rm -f -- "$inside/params" "$inside/released"
  mkfifo -- "$inside/params"
  if [[ ${streams:-} ]]; then
    [[ ! -e $inside/contributions.pp ]] || fail "the run in $out was stopped, so its streams would lack rounds: name another folder"
    params=$inside/released kept_contributions=(-- private_tee "$inside/contributions.pp")
    mkfifo -- "$params"
    tee -p -- "$shown/params.pp" <"$params" >"$inside/params" &
    keeping=$!
    watchers+=("$keeping")
  fi
  pipeline rounds \
    -- estep "${estep[@]}" "${state[@]}" --params "$inside/params" "${kept_contributions[@]}" \
    -- privatize "${privatize[@]}" "${kept[@]}" \
    -- mstep "${mstep[@]}" "${kept[@]}" --params-out "$params" -o "$shown/model.pp"
  [[ -z $keeping ]] || wait "$keeping"
  rm -f -- "$inside/params" "$inside/released"
}

# private_tee FILE copies a stream into a file that only its owner can read. It replaces the shell, too.
private_tee() { umask 077 && exec tee -p -- "$1"; }

# topics_of_run makes the topics of the run if there are brokers. It is called before the first charge.
topics_of_run() { [[ -z $brokers ]] || pipeline topics --partitions "$partitions" "$brokers" "$run" >"$inside/topics"; }

# over_topics trains over the topics of the run and ends as soon as a stage fails. The same command then resumes: each stage finds
# its position in the topics.
over_topics() {
  local at=kafka://$brokers/$run coins=(--secret "$inside/coins")
  stages=()
  [[ " ${sample[*]} " != *" --all "* ]] || coins=() # it throws none
  sample "${sample[@]}" --run "$run" --follow "$at.releases" "${coins[@]}" -o "$at.rounds.private" "$inside/documents.pp" &
  stages+=($!)
  if ((${#kept[@]} == 0)); then
    for ((worker = 0; worker < workers; worker++)); do
      estep "${estep[@]}" --params "$at.parameters" -o "$at.contributions.private" "$at.rounds.private?group=$run.estep" &
      stages+=($!)
    done
  else # each partition has a state, and a worker of its own
    for ((partition = 0; partition < partitions; partition++)); do
      estep "${estep[@]}" --state "$inside/state-$partition.pp" --params "$at.parameters" -o "$at.contributions.private" \
        "$at.rounds.private?partition=$partition" &
      stages+=($!)
    done
  fi
  privatize "${privatize[@]}" --run "$run" --claims "$at.claims" -o "$at.releases" "$at.contributions.private?group=$run.privatize" &
  stages+=($!)
  mstep "${mstep[@]}" --run "$run" --params-out "$at.parameters" -o "$shown/model.pp" "$at.releases" &
  stages+=($!)
  together
}

# pipeline COMMAND… -- COMMAND… runs stages like a pipeline of the shell. If stages fail, it exits with the code of the cause.
# PRIVPIPE_PIPELINE tells the stages that they write to one place: the one that failed says why, and those whose input was cut say nothing.
pipeline() {
  local command=() input=/dev/null fifos output
  fifos=$(mktemp -d -- "${inside:-${TMPDIR:-/tmp}}/fifos.XXXXXX")
  temporary+=("$fifos")
  stages=()
  while (($#)); do
    if [[ $1 != -- ]]; then
      command+=("$1")
      shift
      (($# == 0)) || continue
      PRIVPIPE_PIPELINE=1 "${command[@]}" <"$input" &
    else
      shift
      output=$fifos/${#stages[@]}
      mkfifo -- "$output"
      PRIVPIPE_PIPELINE=1 "${command[@]}" <"$input" >"$output" &
      input=$output
      command=()
    fi
    stages+=($!)
  done
  together
}

# together waits for ${stages[@]}. If one fails, most others end by themselves, since their input is truncated (90) or their reader
# is gone (141). Ten seconds later the rest is stopped (143). The recipe exits with the code of the cause. Another signal is told of,
# whichever stage ended first: those whose input was cut say nothing.
together() {
  local pid code cause=0 weight worst=0
  while ((${#stages[@]})); do
    code=0 pid=''
    wait -n -p pid "${stages[@]}" || code=$?
    if [[ -z ${pid:-} ]]; then
      # bash 5.2 may have taken note of the end of all of them before, and then says 127. It still knows how each ended.
      code=0 pid=${stages[0]}
      wait "$pid" || code=$?
    fi
    ((code <= 128 || code == 141 || code == 143 && worst > 0)) || echo "$(basename "$0"): a stage was ended by a signal: exit code $code" >&2
    case $code in
      0) weight=0 ;;
      141) weight=1 ;;
      90) weight=2 ;;
      *) weight=3 ;;
    esac
    if ((weight > 0 && worst == 0)); then
      (
        [[ -z $lock ]] || exec {lock}>&-
        sleep 10 && kill "${stages[@]}"
      ) >/dev/null 2>&1 &
      watchers+=($!)
    fi
    ((weight <= worst)) || worst=$weight cause=$code
    forget "$pid"
  done
  ((cause == 0)) || exit "$cause"
}

# forget PID removes a stage that has ended from ${stages[@]}.
forget() {
  local kept=() pid
  for pid in "${stages[@]}"; do
    [[ $pid == "$1" ]] || kept+=("$pid")
  done
  stages=("${kept[@]}")
}

# same SETTINGS [FILE] refuses to resume in a folder that was begun with other settings, another text or another vocabulary. Files are
# compared by checksum, so that a folder may be moved. The settings file is written before FILE, the first thing that the recipe makes, by
# default the documents. It has a checksum of the text, so only its owner can read it.
same() {
  local settings before='' begun=${2:-$inside/documents.pp} reading one
  local made=("$begun" "$inside"/{documents,all-words,sizes}.pp "$shown/dictionary.txt")
  # Which documents there are, and whose, is no part of a query. The rule of words also says which spellings name one user.
  reading="${columns:+ --columns $columns}${delimiter:+ --delimiter $delimiter}${format:+ --format $format}${quote:+ --quote $quote}"
  reading+="${ragged:+ --ragged}${encoding:+ --encoding $encoding}${rule:+ --rule $rule}"
  reading+="${date:+ --date $date}${date_format:+ --date-format $date_format}${zone:+ --zone $zone}${from:+ --from $from}${until:+ --until $until}${on_error:+ --on-error $on_error}"
  settings=$1$reading
  [[ $1 != *" query "* ]] || settings="${1% query *}$reading query ${1##* query }"
  settings+="${keep:+ --keep $keep}"
  settings+="${schema:+ schema $(checksum "$schema")} vocabulary $([[ ! -e $vocab ]] && echo "$vocab" || checksum "$vocab")${phrases:+ phrases $(checksum "$phrases")}"
  if [[ ${growing:-} ]]; then # it has the same documents until then, which are kept
    settings+=" text until $until"
  else
    settings+=" text $(checksum "$text")"
    for one in "${others[@]}"; do
      settings+=" and $(checksum "$one")"
    done
  fi
  [[ ! -e $inside/settings ]] || before=$(<"$inside/settings")
  [[ $before != "$settings" ]] || return 0
  if [[ $before ]] && only_size && same_plan "$before" "$settings"; then
    rm -f -- "${made[@]}"
  elif [[ $before && ${2:-} == *.pp && -z ${brokers:-} ]] && unspent; then
    rm -f -- "${made[@]}" "$shown"/{*grant,planned}.json
  elif [[ -e $begun || -e $inside/documents.pp ]] || compgen -G "$shown/*grant.json" >/dev/null; then
    fail "$out was begun with other settings or another text: repeat them, or name another folder (${before%% vocabulary *})"
  fi
  (umask 077 && printf '%s\n' "$settings" >"$inside/settings.unfinished")
  mv -- "$inside/settings.unfinished" "$inside/settings"
}

# unspent succeeds if nothing was released in the folder, as after a text that no stage could read: nothing was planned, or its own ledger, and
# no other, was that of the settings, and has no charge. Another text or other settings then begin it again, with plans of their own.
unspent() {
  [[ -e $inside/run.ledger ]] || { ! compgen -G "$shown/*grant.json" >/dev/null && return; }
  [[ -s $inside/run.ledger ]] && ! grep -q '"charge":' "$inside/run.ledger" &&
    [[ ! $(<"$inside/settings") =~ ' ledger '([^ ]+) || ${BASH_REMATCH[1]} == own ]]
}

# only_size succeeds if the size of the text is all that was released in the folder.
only_size() {
  local grant
  [[ -e $shown/size.pp ]] || return 1
  for grant in "$shown"/{words-grant,grant}.json; do
    ! used "$grant" "${ledger:-$inside/run.ledger}" || return 1
  done
}

# same_plan SETTINGS SETTINGS succeeds if they differ only in what may follow from a release: what is between " query " and " text ".
same_plan() { [[ $1 == *" query "* && ${1% query *} == "${2% query *}" && ${1##* text } == "${2##* text }" ]]; }

# held_documents makes the documents of the held-out text, and drops what was made of another one. The checksum is private, as that
# in the settings.
held_documents() {
  local now
  now=$(checksum "$held")
  if [[ ! -e $inside/held.checksum || $(<"$inside/held.checksum") != "$now" ]]; then
    rm -f -- "$inside/held.pp" "$inside/by-round.pp"
    (umask 077 && printf '%s\n' "$now" >"$inside/held.checksum")
  fi
  keep "$inside/held.pp" documents "$held" "$inside/held.pp"
}

# identity LEDGER prints the identity of a ledger, which must exist, or "own" for "", the ledger in the recipe's own folder.
identity() {
  if [[ -z $1 ]]; then
    echo own
  else
    [[ -e $1 ]] || fail "no such ledger: $1; account ledger new makes one"
    sed -n '1s/.*"ledger":{"id":"\([0-9a-f]*\)".*/\1/p' "$1"
  fi
}

# checksum FILE prints a checksum of a file or of all files in a folder.
checksum() {
  if [[ -d $1 ]]; then
    (cd -- "$1" && find -L . -type f -exec cksum {} + | LC_ALL=C sort | cksum)
  else
    cksum <"$1"
  fi
}

# whose [DOCUMENTS [TEXT RULE]] stops the recipe if it is not clear whose budget is meant: documents name users and there is no --unit, or the
# other way round. The message names TEXT and the RULE. Whether documents name users is public (privatize/PRIVACY.md). The folder then accepts other settings.
whose() {
  local named='' fault='' one=${units:-documents} of=${1:-$inside/documents.pp}
  one=${one%s}
  ! compgen -G "$shown/*grant.json" >/dev/null || return 0
  ! (set +o pipefail && show --private "$of" | grep -qm 1 '^{"document":{"id":"\([^"\\]\|\\.\)*","user":') || named=yes
  if [[ $named && -z ${unit:-} ]]; then
    fault="${one}s name users, so --unit must say whose budget it is: document, or user"
  elif [[ -z $named && ${unit:-} == user ]]; then
    fault="no $one names a user, so --unit user protects single ${one}s"
  fi
  [[ $fault ]] || return 0
  rm -f -- "$of" "$inside"/{documents,sizes}.pp
  fail "${2:+$2: }$fault${3:+; $3}" 83
}

# enough NUMBER stops the recipe if a number of units, which is public, is too small for any budget. The folder then accepts other settings.
enough() {
  (($1 >= 1000)) || [[ ${force:-} ]] || {
    [[ -z ${out:-} ]] || rm -f -- "$inside/documents.pp"
    fail "fewer than 1000 ${units:-documents}: the noise is larger than what so few say; --force continues anyway" 83
  }
}

# Before most of the budget is spent, a recipe releases the size of the text, under a grant of its own, and stops if the text is beyond
# doubt not worth the rest (account advise --size). The noise on the number of documents is ± 100, and larger where that would take more
# than 2 % of the budget: as a Gaussian mechanism with noise σ spends 1/σ² of μ² (Dong, Roth, Su 2022, cor. 3.3), σ is at least √50 times
# the noise of a single release of the whole budget. The plans of the other releases do not depend on what is released here. With
# --documents or --force the operator states by public knowledge that the text is worth it, and no size is released.
#
# gate plans the grant, and sets ${beside[@]} to the flag for the plans of the other grants.
beside=()
gate() {
  local noise
  beside=()
  if [[ -e $shown/size-grant.json ]]; then
    ! used "$shown/size-grant.json" "$ledger" || return 0
  elif [[ ${stated:-} || ${force:-} ]]; then
    return 0
  fi
  noise=$(awk "BEGIN {x = sqrt(50) * $(single_noise); printf \"%.6g\", (x > 50 ? x : 50)}")
  plan_grant "$shown/size-grant.json" --all --noise-multiplier "$noise" --delta "$delta" --model size --matrix size=1x4
  beside=(--beside "$shown/size-grant.json")
}

# single_noise is the noise of one release of the whole budget.
# A run that may only add $part to the ledger plans as if that were the whole.
single_noise() { noise_over 1; }
# noise_over N is the noise of each of N releases that share the whole budget.
noise_over() { account noise --epsilon "${part:-$epsilon}" --delta "$delta" --all --rounds "$1" --json | sed -n 's/.*"noise_multiplier":\([-+.e0-9]*\).*/\1/p'; }

# plan_grant GRANT FLAG… plans a grant with these flags of account plan, unless it is charged. Once a grant of the folder is charged, the noise
# of the others is what was planned before, or ${planned_as}: it follows from the ledger and public settings alone. If another run has charged
# the ledger meanwhile, the noise would follow from what was released (account/ACCOUNTING.md), except under a filter, which allows that.
planned_as=''
plan_grant() {
  local grant=$1 before=${planned_as:-$1} one
  shift
  for one in "$before" "$shown"/{planned,grant}.json; do
    before=$one
    [[ ! -e $before ]] || break
  done
  ! used "$grant" "$ledger" || return 0
  account plan --ledger "$ledger" "${of[@]}" --unit "${unit:-document}" "$@" -o "$grant.again"
  for one in "$shown"/*grant.json; do
    if used "$one" "$ledger" && ! head -n 1 -- "$ledger" | grep -q '"filter":' && [[ $(noise_of "$grant.again") != "$(noise_of "$before")" ]]; then
      rm -f -- "$grant.again"
      fail "another run has charged the ledger since $out was planned, and its noise would follow from what was released meanwhile" 83
    fi
  done
  mv -- "$grant.again" "$grant"
}

# weigh releases the size of the text, if it was planned, and stops if the text is not worth the rest of the budget. A recipe that releases
# $topics, and not $words_only, is told if word frequencies alone are the better use of it. One that releases $clusters of vectors with so
# many $dimensions is told if they are too many.
weigh() {
  local code=0 without=() most
  [[ ${public:-} != none ]] || without=(--without-public)
  [[ -e $shown/size-grant.json ]] || return 0
  keep "$shown/size.pp" measure
  [[ -z ${stated:-} && -z ${force:-} && ! -e $shown/model.pp ]] || return 0
  account advise --size "$shown/size.pp" "${without[@]}" ${dimensions:+--dimension "$dimensions"} ${least_coverage:+--min-coverage "$least_coverage"} --unit "${unit:-document}" \
    --epsilon "${part:-$epsilon}" -o "$shown/size.txt" || code=$?
  if ((code == 0)); then
    [[ -z ${topics:-} || ${words_only:-} ]] || ! grep -q '^instead' "$shown/size.txt" ||
      echo "$(basename "$0"): topics of so small a text predict no better than word frequencies do ($shown/size.txt); this folder costs ε $epsilon" \
        "whether it goes on or not. The ε of lda.sh --words-only in another folder, which releases word frequencies, adds to that" >&2
    most=$(sed -n 's/^clusters *\([a-z0-9]*\).*/\1/p' "$shown/size.txt")
    [[ -z $most || $most != none && $most -ge $clusters ]] ||
      echo "$(basename "$0"): so few vectors of $dimensions numbers are enough for ${most/none/no} clusters, and not for $clusters" \
        "($shown/size.txt). Stop it now, and the same folder takes fewer --clusters, or --project to fewer numbers" >&2
    return 0
  fi
  ((code == 83)) || exit "$code"
  echo "$(basename "$0"): stopped before most of the budget: only the size of the text was released ($shown/size.txt). ε $epsilon holds" \
    "whether it goes on or not; --force goes on, and so does the same folder with ${topics:+other topics, words or vocabulary}${clusters:+other clusters, words or --project}" >&2
  exit 83
}

# noise_of GRANT prints the noise multiplier of a grant.
noise_of() { sed -n 's/^ *"noise_multiplier": \([-+.e0-9]*\),*$/\1/p' "$1"; }

measure() {
  keep "$inside/sizes.pp" tokenize sizes -o "$inside/sizes.pp" "$inside/documents.pp"
  pipeline sample --all --unit "${unit:-document}" "$inside/sizes.pp" \
    -- estep size \
    -- privatize --grant "$shown/size-grant.json" --ledger "$ledger" --dataset "$dataset" \
    -- mstep size -o "$shown/size.pp"
}

# some FILE fails if a stream has no document.
some() { (set +o pipefail && show "$1" | sed -n 2p | grep -q '^{"document"') || fail "no document in $text"; }
