#!/usr/bin/env bash
# Draws figure 3 of VIPS, perplexity by round, and its table 3, the leading words of topics (F5).
#
#   papers/figures/F4.sh [FLAG…] TEXT HELD OUT
#
# TEXT is private, as in lda.sh. HELD is public text of the same kind. OUT is a folder. It also gets F5.csv, the words.
#
#   --sigma 1.24      noise over the paper's sensitivity
#   --size 20000      number of documents in a round
#   --rounds 20       number of rounds
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first topics of the first run; the next have the next
#   --quick           a small figure: 1,000 documents in a round, half a pass, 5 topics, 4 runs
#
# The convergence rule of SUB-LDA (evaluate converged) reads the same scores: its line is in findings.txt.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

sigma=1.24 size='' rounds='' topics=''
take "sigma size rounds topics vocab runs seed quick!" "$@"
size=${size:-$([[ $quick ]] && echo 1000 || echo 20000)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
runs=${runs:-$([[ $quick ]] && echo 4 || echo 3)}
spread=$([[ $quick ]] && echo 0.085 || echo 0.02) # of perplexities: Go comments, or Reddit
figure_begin
rounds=${rounds:-$([[ $quick ]] && awk "BEGIN {printf \"%.0f\", 0.5 * $population / $size}" || echo 20)}
unigram

echo model,run,topic,share,rank,word,probability >"$out/F5.csv"
declare -A of_round likeliest
# trace SERIES RECIPE FLAG… runs a system and takes its perplexities after each round, and its words.
trace() {
  local series=$1 round folder
  system "${@:2}"
  for ((round = 1; round <= rounds; round++)); do
    of_round[$series,$round]=$(awk -v round="$round" '$1 == round {printf " %s", $2}' "${folders[@]/%//public/by-round.txt}")
    points "after each round" "$series" line "$round" "${of_round[$series,$round]}"
  done
  likeliest[$series]=$(first_words)
  for folder in "${folders[@]}"; do
    evaluate topics --relevance 1 --top 10 --csv "$folder/public/model.pp" | tail -n +2 | sed "s/^/$series,${folder##*/},/" >>"$out/F5.csv"
    finding measured "$series, seed ${folder##*/}: $(evaluate converged --threshold 5 --for 3 "$folder/private/by-round.pp" 2>/dev/null ||
      echo "no 4 rounds on end change by at most 5")"
  done
}
private=(vips-lda.sh --batch "$size" --rounds "$rounds" --sigma "$sigma" --delta 1e-4 --trace)
trace non-private ../online-lda.sh --batch "$size" --rounds "$rounds" --tau0 1024 --trace
trace moments "${private[@]}"
trace strong "${private[@]}" --composition strong
trace "no clipping" "${private[@]}" --share 1
points "after each round" unigram level 1 "$unigram"
points "after each round" unigram level "$rounds" "$unigram"

# The order of what is learned from all documents that were seen; at the start, all depends on the first topics.
moments=${of_round[moments,$rounds]} strong=${of_round[strong,$rounds]} unclipped=${of_round[no clipping,$rounds]}
order must "round $rounds" non-private "${of_round[non-private,$rounds]}" moments "$moments"
order must "round $rounds" moments "$moments" strong "$strong"
order must "round $rounds" moments "$moments" "no clipping" "$unclipped"
spread_found
gap() { awk "BEGIN {printf \"%.1f\", $(mean "${of_round[no clipping,$1]}") - $(mean "${of_round[strong,$1]}")}"; }
finding measured "printed: no clipping approaches strong composition. $(gap 3) apart at round 3, $(gap "$rounds") at round $rounds" -
spread=0.2 # of a first word's probability: Go comments
what="F5, mean probability of a topic's first word"
order must "$what" moments "${likeliest[moments]}" non-private "${likeliest[non-private]}"
order must "$what" strong "${likeliest[strong]}" moments "${likeliest[moments]}"
figure_end --title "Perplexity after each round (VIPS, figure 3)" --x "round" --y "held-out perplexity per word (bound)" \
  --note "σ = $sigma, S = $size of $population documents, $topics topics; lower is better; runs: $runs" \
  --note "unigram: exact frequencies of words, without privacy"
