#!/usr/bin/env bash
# Draws figure 6 of VIPS: how well logistic regression ranks rows, by the noise, beside DPVI.
#
#   papers/figures/F7.sh --schema SCHEMA [FLAG…] TRAIN HELD OUT
#
# TRAIN is private, HELD public: rows of one schema, as in blr.sh. OUT is a folder.
#
#   --schema FILE     public schema of the columns
#   --sigmas "none 1 6 12"
#                     noise over the sensitivity; none is drawn at 0
#   --rate 0.004      share of the rows in a round
#   --rounds 100      number of rounds
#   --spread 0.02     standard deviation of the logarithm of one run's area, by which orders are judged
#   --runs 20         runs of each system; the figure has their mean and range
#   --seed 1          seed of the first run of DPVI; the next have the next
#   --quick           a small figure: no noise and σ 12, a twentieth of the rows in each of 20 rounds, 2 runs
#
# In the second panel VIPS has the noise of the authors' program, which passes the variance where the standard deviation belongs: σ²/S in
# place of σ. DPVI is the same in both.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

sigmas='' rate='' rounds='' spread=0.02
take "schema sigmas rate rounds spread runs seed quick!" "$@"
sigmas=${sigmas:-$([[ $quick ]] && echo none 12 || echo none 1 6 12)}
rate=${rate:-$([[ $quick ]] && echo 0.05 || echo 0.004)}
rounds=${rounds:-$([[ $quick ]] && echo 20 || echo 100)}
runs=${runs:-$([[ $quick ]] && echo 2 || echo 20)}
positive rounds
real rate spread
[[ $schema ]] || fail "wants --schema, a public schema of the columns"
figure_begin

batch=$(awk "BEGIN {printf \"%.0f\", $rate * $population}")
((batch > 0)) || fail "--rate $rate leaves no row of $population in a round"
declare -A area
# curve PANEL SERIES RECIPE FLAG… runs a system and draws its areas at $sigma.
curve() {
  system "${@:3}"
  area[$1,$2,$sigma]=$perplexities
  points "$1" "$2" line "${sigma/none/0}" "$perplexities"
}
right="noise of the sum" literal="noise as in the program"
for sigma in $sigmas; do
  sampled=(--rate "$rate" --rounds "$rounds" --sigma "$sigma")
  printed=(--batch "$batch" --rounds "$rounds" --sigma "$sigma")
  curve "$right" "BLR" ../blr.sh "${sampled[@]}"
  curve "$right" "VIPS-BLR" vips-blr.sh "${printed[@]}"
  curve "$right" DPVI dpvi.sh "${sampled[@]}"
  curve "$literal" "VIPS-BLR" vips-blr.sh "${printed[@]}" $([[ $sigma == none ]] || echo --literal)
  curve "$literal" DPVI dpvi.sh "${sampled[@]}"
done

least=${sigmas%% *} most=${sigmas##* }
for series in BLR DPVI; do
  order must "both fall with σ" "$series at σ = $most" "${area[$right,$series,$most]}" "at σ = $least" "${area[$right,$series,$least]}"
done
[[ $least != none ]] || finding printed "without noise the area of BLR is at least .88: $(summary BLR "${area[$right,BLR,none]}")" "$(mean "${area[$right,BLR,none]}") >= .88"
for sigma in $sigmas; do
  [[ $sigma != none ]] || continue
  order printed "σ = $sigma, DPVI is ahead of BLR" BLR "${area[$right,BLR,$sigma]}" DPVI "${area[$right,DPVI,$sigma]}"
  order printed "σ = $sigma, VIPS is more robust, $right" DPVI "${area[$right,DPVI,$sigma]}" VIPS "${area[$right,VIPS-BLR,$sigma]}"
  order printed "σ = $sigma, VIPS is more robust, $literal" DPVI "${area[$literal,DPVI,$sigma]}" VIPS "${area[$literal,VIPS-BLR,$sigma]}"
done
spread_found
figure_end --title "Logistic regression by the noise (VIPS, figure 6)" --x "σ, noise over the sensitivity" --y "area under the ROC curve, held out" \
  --note "$population rows, $batch of them in each of $rounds rounds; more is better; runs: $runs"
