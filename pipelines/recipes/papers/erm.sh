#!/usr/bin/env bash
# Trains logistic regression by objective perturbation, a baseline of the VIPS paper, and reports what it claims and what holds.
#
# Chaudhuri, Monteleoni, Sarwate: Differentially Private Empirical Risk Minimization (JMLR 12, 2011), Algorithm 2.
#
#   papers/erm.sh --schema SCHEMA [--epsilon 1] [FLAG…] TRAIN OUT
#
# TRAIN is private: a .csv, .tsv, .jsonl or .parquet, or rows of tokenize (.pp). SCHEMA is public: it says what the columns mean, and
# which is the label (tokenize/FORMATS.md). OUT is a folder. Use blr.sh for a proved ε: the paper's theorem is for exact arithmetic, so
# the report says ∞, and the recipe prints the claim. The weights are released once; the same command resumes and draws nothing twice.
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
#   --force           train even with fewer than 1,000 rows
#   --held FILE       held-out rows: prints the area under the ROC curve with its interval; no ε covers it. That of rows of
#                     tokenize rows --public (.pp) is on the page, too, with the ROC curve and the calibration
#   --title TEXT      title of the page, which all may read; by default the name of TRAIN
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$recipes/rows.sh"

epsilon=1 regularisation=1e-4 row_norm='' sigma='' unit=document
take "schema epsilon regularisation row-norm positive delta delimiter held title force!" "$@"
real regularisation delta ${row_norm:+row-norm}
holds "$delta < 1" || fail "--delta must be below 1, is $delta"
holds "$regularisation >= 1e-12 && $regularisation <= 1e6" || fail "--regularisation must be in [1e-12, 1e+06], is $regularisation"
perturbed=()
if [[ $epsilon == none ]]; then
  sigma=none # few rows cost no budget then
else
  real epsilon
  holds "$epsilon >= 2 ^ -20 && $epsilon <= 512" || fail "--epsilon must be in [2^-20, 512], is $epsilon"
fi
rows_and_folder
row_documents "perturbed objective --epsilon $epsilon --regularisation $regularisation --row-norm ${row_norm:-columns}"
ledger=$inside/run.ledger row_norm=${row_norm:-$(default_norm)}
if [[ $epsilon != none ]]; then
  # Neighbours have the same number of rows, so this number is public.
  number=$(show --private "$inside/documents.pp" | grep -c '^{"document"')
  [[ -e $inside/erm.key ]] || enough "$number"
  # The mean norm of b/n (Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 2: Gamma(d, 2/ε′), ε′ = ε − 2·log(1 + ¼/(nΛ)), or ε/2 if that is not
  # above 0). At w = 0 the loss has a gradient of at most ½, as rows have a norm of at most 1.
  tilt=$(awk -v n="$number" -v d="$(grep -c '' "$shown/features.txt")" -v e="$epsilon" -v l="$regularisation" \
    'BEGIN {rest = e - 2 * log(1 + .25 / (n * l)); printf "%.2g", d / n / ((rest > 0 ? rest : e / 2) / 2)}')
  ! holds "$tilt > .5" || echo "$(basename "$0"): warning: too few rows for this ε and --regularisation: the noise in the gradient has a norm of" \
    "$tilt, the rows at most 0.5, so the weights are mostly noise" >&2
  keep "$inside/erm.key" secret_key "$inside/erm.key"
  perturbed=(--epsilon "$epsilon" --secret "$inside/erm.key")
fi
begin "$ledger"

if [[ -e $shown/model.pp ]]; then
  echo "$out has a model already: nothing to train" >&2
else
  pipeline sample --all --run erm "$inside/documents.pp" \
    -- estep erm --row-norm "$row_norm" --positive "$positive" --regularisation "$regularisation" "${perturbed[@]}" "${vocabulary[@]}" \
    -- privatize none --run erm --ledger "$ledger" \
    -- mstep erm "${vocabulary[@]}" -o "$shown/model.pp"
fi
[[ $epsilon == none ]] ||
  echo "The paper claims ε $epsilon of these weights, by a theorem for exact arithmetic. It is the paper's claim, and the ledger has ∞."
predictor erm "$ledger" --row-norm "$row_norm"
