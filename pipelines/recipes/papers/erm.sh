#!/usr/bin/env bash
# Trains logistic regression by objective perturbation, a baseline of the VIPS paper, and reports what it claims and what holds.
#
# Chaudhuri, Monteleoni, Sarwate: Differentially Private Empirical Risk Minimization (JMLR 12, 2011), Algorithm 2.
#
#   papers/erm.sh --schema SCHEMA [--epsilon 1] [FLAG…] TRAIN OUT
#
# TRAIN is private: a .csv, .tsv, .jsonl or .parquet, or rows of tokenize (.pp). SCHEMA is public: it says what the columns mean, and
# which is the label (tokenize/FORMATS.md). OUT is a folder. Use blr.sh for a proved ε: the paper's theorem is for exact arithmetic, so
# the report says ∞, and the claim beside it. The weights are released once; the same command resumes and draws nothing twice.
#
#   --schema FILE     public schema of the columns
#   --epsilon 1       pure ε that the paper claims; none: the minimiser without perturbation, which protects nobody either
#   --regularisation 1e-4
#                     Λ, which is public: to choose it on the data is a release. Larger Λ takes less noise, and fits less
#   --row-norm R      longer rows are scaled to this norm, which is public; by default the root of the number of columns, which no row
#                     passes
#   --positive 1      class that is predicted; 1 is the positive class of a schema, and a schema of classes has its names
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --delta 1e-6      δ of the report
#   --held FILE       held-out rows: prints the area under the ROC curve with its interval; no ε covers it
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"

epsilon=1 regularisation=1e-4 row_norm='' positive=1 delta=1e-6 schema=''
take "schema epsilon regularisation row-norm positive delta delimiter held" "$@"
[[ ${#arguments[@]} == 2 ]] || fail "wants TRAIN and OUT, see --help"
[[ $schema ]] || fail "wants --schema, a public schema of the columns"
[[ -f $schema ]] || fail "no such schema: $schema"
real regularisation delta ${row_norm:+row-norm}
holds "$delta < 1" || fail "--delta must be below 1, is $delta"
[[ $positive =~ ^[^[:space:]]+$ ]] || fail "--positive must be one word, is $positive"
objective=(--mechanism objective --claim paper --regularisation "$regularisation")
# Wrong flags fail here, before any row is read. Λ has the same limits without a perturbation.
[[ $epsilon == none ]] || real epsilon
account plan -q --dry-run "${objective[@]}" --epsilon "${epsilon/#none/1}"
tokenize features --dry-run --schema "$schema"
text_and_folder

# rows_of FILE OUTPUT makes a stream of rows.
rows_of() {
  case $1 in
    *.pp) cp -- "$1" "$2.unfinished" && mv -- "$2.unfinished" "$2" ;;
    *) tokenize rows --schema "$schema" ${delimiter:+--delimiter "$delimiter"} -o "$2" "$1" ;;
  esac
}

same "erm --epsilon $epsilon --regularisation $regularisation --row-norm ${row_norm:-columns} --positive $positive schema $(checksum "$schema")"
keep "$out/features.txt" tokenize features --schema "$schema" -o "$out/features.txt"
keep "$out/documents.pp" rows_of "$text" "$out/documents.pp"
# A column gives at most one feature that is not 0, and it is at most 1. Features of a category have the name of its column before the =.
row_norm=${row_norm:-$(sed 's/=.*//' "$out/features.txt" | uniq | awk 'END {printf "%.9g", sqrt(NR)}')}

ledger=$out/run.ledger
begin "$ledger"
if [[ -e $out/model.pp ]]; then
  echo "$out has a model already: nothing to train" >&2
elif [[ $epsilon == none ]]; then
  privatize objective --noiseless --regularisation "$regularisation" --run erm --ledger "$ledger" --row-norm "$row_norm" \
    --positive "$positive" --vocab "$out/features.txt" -o "$out/model.pp" "$out/documents.pp"
else
  keep "$out/grant.json" account plan "${objective[@]}" --epsilon "$epsilon" --vocab "$out/features.txt" --ledger "$ledger" -o "$out/grant.json"
  privatize objective --grant "$out/grant.json" --ledger "$ledger" --row-norm "$row_norm" --positive "$positive" \
    --vocab "$out/features.txt" -o "$out/model.pp" "$out/documents.pp"
fi

account report --delta "$delta" -o "$out/report.txt" "$ledger"
cat "$out/report.txt"
if [[ $held ]]; then
  rows_of "$held" "$out/held.pp"
  estep blr --score --model "$out/model.pp" --row-norm "$row_norm" --positive "$positive" -o "$out/scores.pp" "$out/held.pp"
  evaluate auc -o "$out/auc.txt" "$out/scores.pp"
  cat "$out/auc.txt"
fi
account report --json --delta "$delta" -o "$out/report.json" "$ledger"
evaluate report --model "$out/model.pp" --ledger "$ledger" --account "$out/report.json" "$out/report.html"
