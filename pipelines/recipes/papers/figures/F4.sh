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
#   --vocab FILE      public vocabulary; by default 8,000 words of English Wikipedia
#   --seed 1          seed of the random first topics
#   --quick           a small figure: 1,000 documents in a round, 8 rounds, 5 topics
#
# The convergence rule of SUB-LDA (evaluate converged) reads the same scores: its line is in findings.txt.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

sigma=1.24 size='' rounds='' topics=''
take "sigma size rounds topics vocab seed quick!" "$@"
size=${size:-$([[ $quick ]] && echo 1000 || echo 20000)}
rounds=${rounds:-$([[ $quick ]] && echo 8 || echo 20)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
figure_begin
unigram

echo model,topic,share,rank,word,probability >"$out/F5.csv"
declare -A round_of likeliest
# trace SERIES RECIPE FLAG… runs a system and takes its perplexity after each round, and its words.
trace() {
  local series=$1 round bound
  system "$series" "${@:2}" --batch "$size" --rounds "$rounds" --tau0 1024 --trace
  while read -r round bound; do
    round_of[$series,$round]=$bound
    point "after each round" "$series" line "$round" "$bound"
  done < <(awk 'NR > 1 {print $1, $2}' "$out/$series/by-round.txt")
  evaluate topics --top 10 --csv "$out/$series/model.pp" | tail -n +2 | sed "s/^/$series,/" >>"$out/F5.csv"
  # The mean over topics of the probability of a topic's first word.
  likeliest[$series]=$(evaluate topics --top 1 --csv "$out/$series/model.pp" | awk -F, 'NR > 1 {sum += $NF} END {printf "%.4f", sum / (NR - 1)}')
  finding measured "$series: $(evaluate converged --threshold 5 --for 3 "$out/$series/by-round.pp" 2>/dev/null || echo "no 4 rounds on end change by at most 5")" -
}
private=(vips-lda.sh --sigma "$sigma" --delta 1e-4)
trace non-private ../online-lda.sh
trace moments "${private[@]}"
trace strong "${private[@]}" --composition strong
trace "no clipping" "${private[@]}" --share 1
point "after each round" unigram level 1 "$unigram"
point "after each round" unigram level "$rounds" "$unigram"

for ((round = 3; round <= rounds; round++)); do
  n=${round_of[non-private,$round]} m=${round_of[moments,$round]} s=${round_of[strong,$round]} c=${round_of[no clipping,$round]}
  finding must "round $round: non-private $n < moments $m < strong $s, and < no clipping $c" "$n < $m && $m < $s && $m < $c"
done
gap() { awk "BEGIN {printf \"%.1f\", ${round_of[no clipping,$1]} - ${round_of[strong,$1]}}"; }
finding printed "no clipping approaches strong composition: $(gap 3) apart at round 3, $(gap "$rounds") at round $rounds" \
  "$(gap "$rounds") < $(gap 3)"
finding must "F5, mean probability of a topic's first word: non-private ${likeliest[non-private]} > moments ${likeliest[moments]} > strong ${likeliest[strong]}" \
  "${likeliest[non-private]} > ${likeliest[moments]} && ${likeliest[moments]} > ${likeliest[strong]}"
figure_end --title "Perplexity after each round (VIPS, figure 3)" --x "round" --y "held-out perplexity per word (bound)" \
  --note "σ = $sigma, S = $size of $population documents, $topics topics; lower is better" \
  --note "unigram: exact frequencies of words, without privacy"
