#!/usr/bin/env bash
# Draws figure 5 of VIPS: how well logistic regression ranks rows, by ε, for one table.
#
#   papers/figures/F6.sh --schema SCHEMA [FLAG…] TABLE OUT
#
# VIPS-BLR as published is by moments and by strong composition, as the figure has it: 100 rounds of 156 rows, and the noise that the accountant
# gives for ε. Beside it stands ours, blr.sh, with few rounds of all rows.
#
# TABLE is public: a CSV without a line of names, or JSON Lines. Each run holds out another fifth of its rows. OUT is a folder.
#
#   --schema FILE     public schema of the columns
#   --epsilons "0.5 1 2 4"
#                     ε of the private models, ascending, at δ 1e-4; that of ERM is pure, and claimed only
#   --rounds 10       number of rounds of ours, each of all rows
#   --row-norm R      longer rows are scaled to this norm; by default the root of the number of columns
#   --spread 0.006    standard deviation of the logarithm of one run's area, by which orders are judged;
#                     by default that of Adult
#   --runs 5          runs of each system, each with a split of its own
#   --seed 1          number of the first split; the next have the next
#   --quick           a small figure: ε 0.5 and 2 runs
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilons='' rounds=10 row_norm='' spread=0.006
take "schema epsilons rounds row-norm spread runs seed quick!" "$@"
epsilons=${epsilons:-$([[ $quick ]] && echo 0.5 || echo 0.5 1 2 4)}
runs=${runs:-$([[ $quick ]] && echo 2 || echo 5)}
delta=1e-4 splits=5 of_published=0.1 # the standard deviation of VIPS-BLR, on Adult
real spread ${row_norm:+row-norm}
[[ $schema ]] || fail "wants --schema, a public schema of the columns"
figure_splits

declare -A area
before=''
# curve SERIES RECIPE FLAG… runs a system and draws its areas at $epsilon.
curve() {
  system "${@:2}"
  area[$1,$epsilon]=$perplexities
  points "$panel" "$1" line "$epsilon" "$perplexities"
}
norm=(${row_norm:+--row-norm "$row_norm"})
batch=(--rounds "$rounds" --delta "$delta" "${norm[@]}")
system ../blr.sh "${batch[@]}" --sigma none
exact=$perplexities
# Λ is fixed in public: to choose it on the data, as the paper does, is a release.
erm=(--regularisation 1e-4 --delta "$delta" "${norm[@]}")
system erm.sh "${erm[@]}" --epsilon none
least_loss=$perplexities
for epsilon in $epsilons; do
  panel="Our BLR and ERM"
  points "$panel" "BLR without noise" level "$epsilon" "$exact"
  curve "BLR (PLD)" ../blr.sh "${batch[@]}" --epsilon "$epsilon"
  sigma=$(account noise --accountant strong --epsilon "$epsilon" --delta "$delta" --all --rounds "$rounds" --json |
    sed 's/.*"noise_multiplier":\([^,]*\),.*/\1/')
  curve "BLR (strong)" ../blr.sh "${batch[@]}" --sigma "$sigma"
  panel="VIPS-BLR as published" # a panel has room for six curves
  for accountant in moments strong; do
    # The sensitivity is √5/2 (estep/blr/claim.md), and a little more on the grid.
    sigma=$(account noise --accountant $accountant --epsilon "$epsilon" --delta "$delta" --fixed "156/$((population * (splits - 1) / splits))" --rounds 100 \
      --sensitivity 1.1182 --json | sed 's/.*"noise_multiplier":\([^,]*\),.*/\1/')
    curve "VIPS-BLR ($accountant)" vips-blr.sh --sigma "$sigma" --delta "$delta" "${norm[@]}"
  done
  panel="Our BLR and ERM"
  points "$panel" "ERM without noise" level "$epsilon" "$least_loss"
  curve "ERM" erm.sh "${erm[@]}" --epsilon "$epsilon"

  order must "ε = $epsilon" "BLR (PLD)" "${area[BLR (PLD),$epsilon]}" "BLR without noise" "$exact"
  order must "ε = $epsilon" "BLR (strong)" "${area[BLR (strong),$epsilon]}" "BLR (PLD)" "${area[BLR (PLD),$epsilon]}"
  spread=$of_published order printed "ε = $epsilon" "VIPS-BLR (strong)" "${area[VIPS-BLR (strong),$epsilon]}" "VIPS-BLR (moments)" "${area[VIPS-BLR (moments),$epsilon]}"
  spread=$of_published order printed "ε = $epsilon" "VIPS-BLR (moments)" "${area[VIPS-BLR (moments),$epsilon]}" "BLR (PLD)" "${area[BLR (PLD),$epsilon]}"
  spread=$of_published order printed "ε = $epsilon" ERM "${area[ERM,$epsilon]}" "VIPS-BLR (strong)" "${area[VIPS-BLR (strong),$epsilon]}"
  order printed "ε = $epsilon" ERM "${area[ERM,$epsilon]}" "BLR (strong)" "${area[BLR (strong),$epsilon]}"
  [[ -z $before ]] || order must "private ERM rises with ε" "ERM at ε = $before" "${area[ERM,$before]}" "at ε = $epsilon" "${area[ERM,$epsilon]}"
  before=$epsilon
done
order must "private ERM rises with ε" "ERM at ε = $before" "${area[ERM,$before]}" "without noise" "$least_loss"
spread_found
figure_end --title "Logistic regression by ε (VIPS, figure 5)" --x "ε, at δ = $delta" --y "area under the ROC curve, held out" --log-x \
  --note "$population rows, of which each run holds out a fifth; $rounds rounds of all rows; more is better; runs: $runs"
