# The recipes of the papers' figures source this file. A figure is $out/NAME.csv, .svg, .png and findings.txt: what must hold of a
# right implementation, and fails the recipe if it does not, and what a paper printed, beside what was measured.
figures=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
papers=$figures/..
source "$papers/../stages.sh"
export PRIVPIPE_BIN

name=$(basename "$0" .sh) vocab='' held='' run='' seed=1 quick=''

# figure_begin takes the arguments TEXT, HELD and OUT, makes the folder, and tokenizes both texts once.
figure_begin() {
  [[ ${#arguments[@]} == 3 ]] || fail "wants TEXT, HELD and OUT, see --help"
  local public=${arguments[1]}
  arguments=("${arguments[0]}" "${arguments[2]}")
  [[ -e $public ]] || fail "no such text: $public"
  text_and_folder
  : >"$out/findings.txt"
  echo panel,series,kind,x,y >"$out/$name.csv"
  keep "$out/text.pp" documents "$text" "$out/text.pp"
  held=$out/held.pp
  keep "$held" public_documents "$public"
  population=$(show "$out/text.pp" | grep -c '^{"document"')
}

# public_documents TEXT makes $held, of public text.
public_documents() {
  case $(basename "$1") in
    *.pp) cp -- "$1" "$held" ;;
    docword*) tokenize uci --public --vocab "$vocab" -o "$held" "$1" ;;
    *) tokenize text --public "${vocabulary[@]}" -o "$held" "$1" ;;
  esac
}

# system FOLDER RECIPE FLAG… runs a recipe in $out/FOLDER, unless it has run there. What it read is removed afterwards. The papers'
# unit is the document, even of a text with users, and a figure is drawn of any text: hence --force.
system() {
  local to=$out/$1 recipe=$2 force=(--force)
  shift 2
  [[ ! -e $to/done ]] || return 0
  [[ $recipe != *online-lda.sh ]] || force=() # it protects nobody
  "$papers/$recipe" "${force[@]}" "$@" --topics "$topics" --seed "$seed" "${vocabulary[@]}" --held "$held" "$out/text.pp" "$to" >"$to.log" 2>&1 || {
    local code=$?
    cat "$to.log" >&2
    fail "$recipe failed" "$code"
  }
  rm -rf -- "$to"/documents.pp "$to"/run.ledger.releases
  touch "$to/done"
}

# unigram sets $unigram to the perplexity of the exact frequencies of the words, without privacy.
unigram() {
  local to=$out/unigram
  mkdir -p -- "$to"
  begin "$to/run.ledger"
  [[ -e $to/model.pp ]] || pipeline sample --all "$out/text.pp" -- estep words -- privatize none --ledger "$to/run.ledger" \
    -- mstep words "${vocabulary[@]}" -o "$to/model.pp"
  unigram=$(estep words --score --model "$to/model.pp" "$held" | evaluate perplexity | awk '/^variational/ {print $3}')
}

# perplexity FOLDER prints the held-out perplexity of a model by the variational bound.
perplexity() { awk '/^variational bound/ {print $3}' "$out/$1/perplexity.txt"; }

# point PANEL SERIES KIND X Y adds a row to the figure.
point() { (IFS=, && echo "$*") >>"$out/$name.csv"; }

# finding must|printed|measured TEXT CONDITION writes a finding; CONDITION is of awk, of numbers. What was only measured has none.
finding() {
  local verdict=fails
  [[ $1 != measured ]] || verdict=-
  [[ $verdict == - ]] || ! awk "BEGIN {exit !($3)}" || verdict=holds
  printf '%s\t%s\t%s\n' "$verdict" "$1" "$2" >>"$out/findings.txt"
}

# figure_end FLAG… draws the figure with flags of evaluate chart, and ends with 1 if something fails that must hold.
figure_end() {
  for ending in svg png; do
    evaluate chart "$@" -o "$out/$name.$ending" "$out/$name.csv"
  done
  verdict
}

verdict() {
  cat "$out/findings.txt"
  ! grep -q $'^fails\tmust' "$out/findings.txt" || fail "a finding that must hold does not" 1
}
