#!/usr/bin/env bash
# Draws figure 2 of VIPS: perplexity by noise, for three sizes of a batch.
#
#   papers/figures/F3.sh [FLAG…] TEXT HELD OUT
#
# TEXT is private, as in lda.sh. HELD is public text of the same kind. OUT is a folder.
#
#   --sigmas "1 1.1 1.24 1.5 2"
#                     noise over the paper's sensitivity
#   --sizes "5000 10000 20000"
#                     numbers of documents in a round
#   --passes 2.5      passes over the documents; the paper has 400,000 documents and one pass, so 2.5 of 160,000 give its rounds
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first topics of the first run; the next have the next
#   --quick           a small figure: σ 1.24, size 1000, half a pass, 5 topics, 4 runs
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

sigmas='' sizes='' passes='' topics=''
take "sigmas sizes passes topics vocab runs seed quick!" "$@"
sigmas=${sigmas:-$([[ $quick ]] && echo 1.24 || echo 1 1.1 1.24 1.5 2)}
sizes=${sizes:-$([[ $quick ]] && echo 1000 || echo 5000 10000 20000)}
passes=${passes:-$([[ $quick ]] && echo 0.5 || echo 2.5)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
runs=${runs:-$([[ $quick ]] && echo 4 || echo 3)}
spread=$([[ $quick ]] && echo 0.085 || echo 0.026) # of perplexities: Go comments, or Reddit
figure_begin
unigram

# train SERIES SIZE SIGMA FLAG… runs VIPS and puts its perplexities into $found. F4 takes the same runs, and scores each round.
declare -A found
train() {
  system vips-lda.sh --batch "$2" --rounds "$rounds" --sigma "$3" --delta 1e-4 --trace "${@:4}"
  found[$1,$2,$3]=$perplexities
  points "S = $2" "$1" line "$3" "$perplexities"
}

first=${sigmas%% *} last=${sigmas##* } smallest=${sizes%% *} largest=${sizes##* }
for size in $sizes; do
  rounds=$(awk "BEGIN {printf \"%.0f\", $passes * $population / $size}")
  for sigma in $sigmas; do
    train moments "$size" "$sigma"
    train strong "$size" "$sigma" --composition strong
    train "no clipping" "$size" "$sigma" --share 1
    moments=${found[moments,$size,$sigma]} strong=${found[strong,$size,$sigma]} unclipped=${found[no clipping,$size,$sigma]}
    order must "S = $size, σ = $sigma" moments "$moments" strong "$strong"
    order must "S = $size, σ = $sigma" moments "$moments" "no clipping" "$unclipped"
    order printed "S = $size, σ = $sigma" moments "$moments" unigram "$unigram"
    order printed "S = $size, σ = $sigma" strong "$strong" "no clipping" "$unclipped"
  done
  points "S = $size" unigram level "$first" "$unigram"
  [[ $first == "$last" ]] || points "S = $size" unigram level "$last" "$unigram"
done
if [[ $smallest != "$largest" ]]; then
  for sigma in $sigmas; do
    order must "larger batches are better, σ = $sigma" "S = $largest" "${found[moments,$largest,$sigma]}" "S = $smallest" "${found[moments,$smallest,$sigma]}"
  done
fi

# The moments accountant paper: the same with Poisson sampling, and with the clip of its equation 9.
moments=${found[moments,$largest,$first]}
poisson=(ma-lda.sh --rate "$(awk "BEGIN {printf \"%.6g\", $largest / $population}")" --rounds "$rounds" --sigma "$first")
system "${poisson[@]}"
document=$perplexities
system "${poisson[@]}" --clip batch
batch=$perplexities
order must "S = $largest, σ = $first, minibatch clipped as printed" unigram "$unigram" clipped "$batch"
order must "S = $largest, σ = $first, the clip of each document is better" "each document" "$document" minibatch "$batch"
within 10 "S = $largest, σ = $first" "Poisson sampling" "$document" "sampling without replacement" "$moments"
spread_found
figure_end --title "Noise and batches (VIPS, figure 2)" --x "noise over the sensitivity σ" --y "held-out perplexity per word (bound)" \
  --note "$topics topics, $passes passes over $population documents; lower is better; runs: $runs" \
  --note "strong composition has the noise of the same claimed ε at δ = 1e-4" \
  --note "unigram: exact frequencies of words, without privacy"
