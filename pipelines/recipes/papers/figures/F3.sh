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
#   --vocab FILE      public vocabulary; by default 8,000 words of English Wikipedia
#   --seed 1          seed of the random first topics
#   --quick           a small figure: half a pass, two noises, sizes 1000 and 2000, 5 topics
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

sigmas='' sizes='' passes='' topics=''
take "sigmas sizes passes topics vocab seed quick!" "$@"
sigmas=${sigmas:-$([[ $quick ]] && echo 1.24 2 || echo 1 1.1 1.24 1.5 2)}
sizes=${sizes:-$([[ $quick ]] && echo 1000 2000 || echo 5000 10000 20000)}
passes=${passes:-$([[ $quick ]] && echo 0.5 || echo 2.5)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
figure_begin
unigram

# train SERIES SIZE SIGMA RECIPE FLAG… runs a system and sets $found to its perplexity.
train() {
  system "$1-$2-$3" "${@:4}"
  found=$(perplexity "$1-$2-$3")
  point "S = $2" "$1" line "$3" "$found"
}

declare -A moments
first=${sigmas%% *} last=${sigmas##* } smallest=${sizes%% *} largest=${sizes##* }
for size in $sizes; do
  rounds=$(awk "BEGIN {printf \"%.0f\", $passes * $population / $size}")
  for sigma in $sigmas; do
    common=(--batch "$size" --rounds "$rounds" --sigma "$sigma" --delta 1e-4)
    train moments "$size" "$sigma" vips-lda.sh "${common[@]}"
    m=$found moments[$size,$sigma]=$found
    train strong "$size" "$sigma" vips-lda.sh "${common[@]}" --composition strong
    strong=$found
    train "no clipping" "$size" "$sigma" vips-lda.sh "${common[@]}" --share 1
    finding must "S = $size, σ = $sigma: moments $m < strong $strong, and < no clipping $found" "$m < $strong && $m < $found"
    finding printed "S = $size, σ = $sigma: moments $m below the unigram $unigram" "$m < $unigram"
    finding printed "S = $size, σ = $sigma: strong $strong < no clipping $found" "$strong < $found"
  done
  point "S = $size" unigram level "$first" "$unigram"
  [[ $first == "$last" ]] || point "S = $size" unigram level "$last" "$unigram"
done
for sigma in $sigmas; do
  finding must "σ = $sigma: larger batches are better: ${moments[$largest,$sigma]} at S = $largest, ${moments[$smallest,$sigma]} at S = $smallest" \
    "${moments[$largest,$sigma]} < ${moments[$smallest,$sigma]}"
done

# The moments accountant paper: the same with Poisson sampling, and with the clip of its equation 9.
poisson=(ma-lda.sh --rate "$(awk "BEGIN {printf \"%.6g\", $largest / $population}")" --rounds "$rounds" --sigma "$first")
m=${moments[$largest,$first]}
system ma-document "${poisson[@]}"
document=$(perplexity ma-document)
finding must "S = $largest, σ = $first: with Poisson sampling $document is within 10 % of $m" "$document < 1.1 * $m && $document > 0.9 * $m"
system ma-batch "${poisson[@]}" --clip batch
batch=$(perplexity ma-batch)
finding must "S = $largest, σ = $first: the minibatch clipped as printed, $batch, is worse than the unigram $unigram" "$batch > $unigram"
figure_end --title "Noise and batches (VIPS, figure 2)" --x "noise over the sensitivity σ" --y "held-out perplexity per word (bound)" \
  --note "$topics topics, $passes passes over $population documents; strong composition has the noise of the same claimed ε at δ = 1e-4" \
  --note "unigram: exact frequencies of words, without privacy; lower is better"
