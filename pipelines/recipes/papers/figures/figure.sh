# The recipes of the papers' figures source this file. A figure is $out/NAME.csv, .svg and NAME-findings.txt: what must hold of a
# right implementation, and fails the recipe if it does not, and what a paper printed, beside what was measured.
#
# Noise and first topics are of chance, so each system runs $runs times, and orders are of means. An order is judged only if its
# means are further apart than chance puts them: by $deviations standard deviations of their difference. Then a true order is
# found reversed with a probability of at most 3.4e-6 (one side of the normal distribution). $spread is the standard deviation of
# the logarithm of one run's number, as a recipe's author measured it; another text may have another one.
figures=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
papers=$figures/..
source "$papers/../stages.sh"
export PRIVPIPE_BIN

name=$(basename "$0" .sh) vocab='' held='' run='' seed=1 runs='' quick='' spread='' deviations=4.5 all_perplexities='' topics='' splits=''
likelihood='variational bound' # by which perplexities are taken; that of Gibbs samplers is plug-in

# figure_begin takes the arguments TEXT, HELD and OUT, makes the folder, and tokenizes both texts once. Figures in one folder share
# the texts and the systems that they have in common. With $schema they are tables, with $image images.
figure_begin() {
  [[ ${#arguments[@]} == 3 ]] || fail "wants TEXT, HELD and OUT, see --help"
  local public=${arguments[1]}
  arguments=("${arguments[0]}" "${arguments[2]}")
  [[ -e $public ]] || fail "no such text: $public"
  figure_folder "held-out text $(checksum "$public")"
  held=$out/held.pp
  keep "$held" public_documents "$public" "$held"
}

# figure_folder SETTINGS takes the arguments TEXT and OUT, makes the folder, and tokenizes the text once.
figure_folder() {
  [[ $runs =~ ^[1-9][0-9]?$ ]] || fail "--runs must be a number from 1 to 99, is $runs"
  [[ $seed =~ ^[0-9]{1,9}$ ]] || fail "--seed must be a number of at most 9 digits, is $seed"
  [[ -z $schema || -f $schema ]] || fail "no such schema: $schema"
  flat=yes
  text_and_folder
  same "$1${image:+ --image $image --bernoulli ${bernoulli:-no}}"
  : >"$out/$name-findings.txt"
  echo panel,series,kind,x,y >"$out/$name.csv"
  keep "$out/documents.pp" documents "$text" "$out/documents.pp"
  population=$(show "$out/documents.pp" | grep -c '^{"document"')
}

# figure_splits takes the arguments TABLE and OUT. Run n of a system holds out each row whose number has the remainder n by $splits, and
# trains on the others.
figure_splits() {
  local split part
  [[ ${#arguments[@]} == 2 ]] || fail "wants TABLE and OUT, see --help"
  figure_folder splits
  for ((split = seed; split < seed + runs; split++)); do
    part=$out/split-$split
    mkdir -p -- "$part"
    [[ ! -e $part/held.pp ]] || continue
    awk "NR % $splits != $split % $splits" "$text" >"$part/train.${text##*.}"
    awk "NR % $splits == $split % $splits" "$text" >"$part/held.${text##*.}"
    documents "$part/train.${text##*.}" "$part/train.pp"
    public_documents "$part/held.${text##*.}" "$part/held.pp"
    rm -f -- "$part/train.${text##*.}" "$part/held.${text##*.}"
  done
}

# enough_documents refuses a text of which samplers learn nothing.
enough_documents() { ((population >= 10)) || fail "wants 10 documents or more, TEXT has $population"; }

# public_documents TEXT OUTPUT makes a stream of documents from a public text, with $sets of sets of words.
public_documents() {
  if [[ -z ${sets:-} ]]; then
    public_bags "$@"
    return
  fi
  public_bags "$1" "$2.bags"
  tokenize sets -o "$2" "$2.bags"
  rm -- "$2.bags"
}

public_bags() {
  case $(basename "$1") in
    *.pp) cp -- "$1" "$2" ;;
    docword*) tokenize uci --public --vocab "$vocab" -o "$2" "$1" ;;
    *)
      if [[ $image ]]; then
        local of=("$1") # which images reads
        public_text=yes images "$1" "$2"
      elif [[ $schema ]]; then
        tokenize rows --public --schema "$schema" -o "$2" "$1"
      else
        tokenize text --public "${vocabulary[@]}" -o "$2" "$1"
      fi
      ;;
  esac
}

# measured FOLDER prints what a run is measured by: the perplexity by the $likelihood, the area under the ROC curve, or the share of
# right pixels.
measured() {
  if [[ $image ]]; then
    sed -n 's/^model *\([^ ]*\).*/\1/p' "$1/private/right.txt"
  elif [[ $schema ]]; then
    awk 'NR == 2 {print $1}' "$1/public/auc.txt"
  else
    sed -n "s/^$likelihood *\([^ ]*\).*/\1/p" "$1/public/perplexity.txt"
  fi
}

# system RECIPE FLAG… runs a recipe with each seed, unless it has run. It sets $folders to the folders of the runs and $perplexities to
# what they are measured by. The papers' unit is the document, even of a text with users, and a figure
# is drawn of any text: hence --force.
system() {
  local recipe=$1 force=(--force) of to at
  shift
  set -- "$@" ${topics:+--topics "$topics"}
  of="$(basename "$recipe" .sh) $*" of=${of// --/,} of=${of//\//_}
  of=$out/runs/${of// /=}
  grep -q '^#   --force ' "$papers/$recipe" || force=() # the others train on any text
  mkdir -p -- "$of"
  folders=() perplexities=''
  for ((at = seed; at < seed + runs; at++)); do
    to=$of/$at
    [[ -e $to/done ]] || system_run "$@"
    folders+=("$to")
    perplexities+=" $(measured "$to")"
  done
  all_perplexities+=$perplexities$'\n'
}

# system_run FLAG… runs the $recipe into the folder $to. What it read, and what can be made again, is removed afterwards.
system_run() {
  local data=("${vocabulary[@]}" --held "$held" "$out/documents.pp") seeds=(--seed "$at")
  [[ -z $schema ]] || data=(--schema "$schema" --held "$held" "$out/documents.pp")
  [[ -z $image ]] || data=(--image "$image" --held "$held" "$out/documents.pp")
  [[ -z $splits ]] || data=(--schema "$schema" --held "$out/split-$at/held.pp" "$out/split-$at/train.pp")
  [[ $recipe != *@(blr|erm).sh ]] || seeds=() # they begin with nothing of chance
  [[ ! -e $to/private/contributions.pp ]] || rm -rf -- "$to" # with --streams a run does not resume
  no_page=yes "$papers/$recipe" "${force[@]}" "$@" "${seeds[@]}" "${data[@]}" "$to" >"$to.log" 2>&1 || {
    local code=$?
    cat "$to.log" >&2
    fail "$recipe failed" "$code"
  }
  rm -rf -- "$to"/private/{documents.pp,held.pp,predictions.pp,run.ledger.releases} "$to"/public/models "$to"/private/{,first-,prior-}state*.pp
  touch "$to/done"
}

# unigram sets $unigram to the perplexity of the exact frequencies of the words, without privacy.
unigram() {
  local to=$out/unigram
  mkdir -p -- "$to"
  begin "$to/run.ledger"
  [[ -e $to/model.pp ]] || pipeline sample --all "$out/documents.pp" -- estep words -- privatize none --ledger "$to/run.ledger" \
    -- mstep words "${vocabulary[@]}" -o "$to/model.pp"
  unigram=$(estep words --score --model "$to/model.pp" "$held" | evaluate perplexity | awk '/^variational/ {print $3}')
}

# first_words prints the mean probability of a topic's first word in each of $folders.
first_words() {
  local of
  for of in "${folders[@]}"; do
    evaluate topics --relevance 1 --top 1 --csv "$of/public/model.pp" | awk -F, 'NR > 1 {sum += $NF} END {printf " %.6f", sum / (NR - 1)}'
  done
}

# points PANEL SERIES KIND X "Y…" adds a row of the figure for each run.
points() {
  local y
  for y in $5; do
    echo "$1,$2,$3,$4,$y" >>"$out/$name.csv"
  done
}

# mean "NUMBER…" prints the mean. summary NAME "NUMBER…" prints the name with the mean and the range.
mean() { awk '{for (i = 1; i <= NF; i++) sum += $i; printf "%.5g", sum / NF}' <<<"$1"; }
summary() {
  awk -v name="$1" '{
    least = greatest = $1
    for (i = 1; i <= NF; i++) {sum += $i; if ($i < least) least = $i; if ($i > greatest) greatest = $i}
    printf "%s %.4g", name, sum / NF
    if (least < greatest) printf " (%.4g to %.4g)", least, greatest
  }' <<<"$2"
}

# finding must|printed|measured TEXT CONDITION writes a finding; CONDITION is of awk, of numbers. What was only measured has none.
finding() {
  local verdict=fails
  [[ $1 != measured ]] || verdict=-
  [[ $verdict == - ]] || ! awk "BEGIN {exit !($3)}" || verdict=holds
  printf '%s\t%s\t%s\n' "$verdict" "$1" "$2" >>"$out/$name-findings.txt"
}

# order must|printed TEXT NAME "NUMBER…" NAME "NUMBER…" writes the finding that the first mean is below the second. Its verdict
# is chance if the means are not far enough apart for one.
order() {
  local apart verdict
  # In standard deviations of the difference of two means.
  apart=$(awk "BEGIN {print log($(mean "$6") / $(mean "$4")) / ($spread * sqrt(2 / $runs))}")
  verdict=$(awk "BEGIN {print ($apart > $deviations ? \"holds\" : $apart < -$deviations ? \"fails\" : \"chance\")}")
  printf '%s\t%s\t%s: %s < %s\n' "$verdict" "$1" "$2" "$(summary "$3" "$4")" "$(summary "$5" "$6")" >>"$out/$name-findings.txt"
}

# within PERCENT TEXT NAME "NUMBER…" NAME "NUMBER…" writes the finding, which must hold, that two means differ by at most so many percent.
# It holds too if chance may put them further apart.
within() {
  finding must "$2: $(summary "$3" "$4") is within $1 % and chance of $(summary "$5" "$6")" \
    "(log($(mean "$4") / $(mean "$6")))^2 < (log(1 + $1 / 100) + $deviations * $spread * sqrt(2 / $runs))^2"
}

# spread_found writes what the standard deviation was in these runs, of all systems together, so that a reader sees whether $spread is
# that of this text.
spread_found() {
  ((runs > 1)) || return 0
  finding measured "standard deviation of the logarithm of one run's ${measure:-$([[ $image ]] && echo share || { [[ $schema ]] && echo area || echo perplexity; })}: $(awk '{
    sum = squares = 0
    for (i = 1; i <= NF; i++) {sum += log($i); squares += log($i)^2}
    all += squares - sum^2 / NF; free += NF - 1
  } END {printf "%.4f", sqrt(all / free)}' <<<"${all_perplexities%$'\n'}"); the orders here are judged by $spread" -
}

# figure_end FLAG… draws the figure with flags of evaluate chart, and ends with 1 if something fails that must hold.
figure_end() {
  evaluate chart "$@" -o "$out/$name.svg" "$out/$name.csv"
  verdict
}

# verdict prints the findings, and fails with the first that must hold and does not.
verdict() {
  local failed
  cat "$out/$name-findings.txt"
  failed=$(sed -n $'/^fails\tmust\t/ {s///p; q}' "$out/$name-findings.txt")
  [[ ! $failed ]] || fail "a finding that must hold does not: $failed" 1
}
