#!/usr/bin/env bash
# Draws figure 1 of SUB-LDA, the efficiency I(γ), and compares its table 3. It needs no text.
#
#   papers/figures/F14.sh [--quick] OUT
#
# I(γ) = γ·e^((α−1)·ε_sub(α)) is drawn as its logarithm. Its whole sum rises over all of (0, 1]; the extremum of the paper is there only
# without the last term of equation 3.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

take "quick!" "$@"
[[ ${#arguments[@]} == 1 ]] || fail "wants OUT, see --help"
out=${arguments[0]}
own "$out"
: >"$out/$name-findings.txt"
echo panel,series,kind,x,y >"$out/$name.csv"

# rows prints γ, the logarithm of I, and that of the printed sum, from the JSON of account efficiency.
rows() { tr '{' '\n' | sed -n 's/^"gamma":\([^,]*\),.*"log_efficiency":\([^,]*\),.*/\1 \2/p; s/^"renyi_loss":.*"log_efficiency":\([^,}]*\).*/\1/p' | awk 'NF == 2 {if (row) print row; row = $0; next} {row = row " " $1} END {print row}'; }
loss=2
for alpha in 2 5 14; do
  answer=$(account efficiency --alpha "$alpha" --epsilon-at-order "$loss" --points 20 --claim paper --json)
  before=-1e9 rises=1
  while read -r gamma exact printed; do
    points "α = $alpha" "exact" line "$gamma" "$exact"
    [[ -z $printed ]] || points "α = $alpha" "without the last term" line "$gamma" "$printed"
    rises=$(awk "BEGIN {print ($rises && ($exact > $before))}") before=$exact
  done < <(rows <<<"$answer")
  finding must "α = $alpha: the exact I(γ) rises on (0, 1]" "$rises"
  extremum=$(sed -n 's/.*"claim_extremum":\([^,]*\),.*/\1/p' <<<"$answer") near=$(awk "BEGIN {printf \"%.4f\", $alpha / ($alpha + 1)}")
  finding printed "α = $alpha: the printed sum has its extremum at $extremum, near α/(α+1) = $near" "($extremum - $near)^2 < 0.02^2"
done
exact=$(account efficiency --table-3 --json | tr '{' '\n' | sed -n 's/^"gamma":.*"renyi_loss":\([^,]*\),.*/\1/p' | xargs printf '%.4f ')
finding must "table 3, exact: $exact" "\"$exact\" == \"0.0465 0.7719 1.2809 1.6273 1.8895 2.0000 \""
figure_end --title "Efficiency of sampling words (SUB-LDA, figure 1)" --x "sampling ratio γ" --y "logarithm of I(γ), less is better" \
  --note "noise of ε(α) = $loss; without the last term of equation 3, as the paper computes, it has an extremum near α/(α+1)"
