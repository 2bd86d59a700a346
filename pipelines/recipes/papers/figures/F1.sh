#!/usr/bin/env bash
# Draws figure 1 of the zCDP paper: perplexity by the size of a batch, for three ways to compose rounds.
#
#   papers/figures/F1.sh [--epsilon 1] [FLAG…] TEXT HELD OUT
#
# TEXT is private, as in lda.sh. HELD is public text of the same kind. OUT is a folder.
#
#   --epsilon 1       ε that the paper claims for each private model, at δ 1e-4
#   --sizes "10 20 50 100 200 400"
#                     numbers of documents in a round; 40 % of the documents are seen
#   --length 500      N: each document is cut to this many words
#   --topics 100      number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first topics of the first run; the next have the next
#   --quick           a small figure: ε 0.05, size 400, 20 words of a document, 3 topics
#
# The left panel has noise on the sum of a batch in proportion to what a document can add. The right panel has the noise of the printed
# equation 4, which is S/D of it, and protects nobody.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilon='' sizes='' length='' topics=''
take "epsilon sizes length topics vocab runs seed quick!" "$@"
epsilon=${epsilon:-$([[ $quick ]] && echo 0.05 || echo 1)}
sizes=${sizes:-$([[ $quick ]] && echo 400 || echo 10 20 50 100 200 400)}
length=${length:-$([[ $quick ]] && echo 20 || echo 500)}
topics=${topics:-$([[ $quick ]] && echo 3 || echo 100)}
runs=${runs:-3}
spread=$([[ $quick ]] && echo 0.085 || echo 0.011) # of perplexities: Go comments, or Reddit with the noise of equation 4
figure_begin

declare -A at label=([zcdp16]=zCDP [zcdp16-strong]=advanced [zcdp16-linear]=linear)
left='noise of the sum' right='noise as printed'
for size in $sizes; do
  rounds=$((population * 2 / 5 / size > 0 ? population * 2 / 5 / size : 1))
  system ../online-lda.sh --batch "$size" --rounds "$rounds" --tau0 1024
  at[none,$size]=$perplexities
  for literal in '' --literal; do
    panel=$([[ $literal ]] && echo "$right" || echo "$left")
    points "$panel" non-private line "$size" "${at[none,$size]}"
    for composition in zcdp16 zcdp16-strong zcdp16-linear; do
      system zcdp-lda.sh $literal --composition "$composition" --epsilon "$epsilon" --batch "$size" --rounds "$rounds" --length "$length"
      at[$composition$literal,$size]=$perplexities
      points "$panel" "${label[$composition]}" line "$size" "$perplexities"
    done
  done
done

# Models that are worse than the uniform distribution are all noise, and nothing decides their order.
uniform=$(awk '/^variational bound/ {print $5}' "${folders[0]}/public/perplexity.txt")
# compare KIND TEXT NAME KEY NAME KEY writes the finding that the first is below the second.
compare() {
  if awk "BEGIN {exit !($(mean "${at[$4]}") >= $uniform && $(mean "${at[$6]}") >= $uniform)}"; then
    finding measured "$2: $(summary "$3" "${at[$4]}") and $(summary "$5" "${at[$6]}") are both worse than uniform $uniform"
  else
    order "$1" "$2" "$3" "${at[$4]}" "$5" "${at[$6]}"
  fi
}
for size in $sizes; do
  for literal in '' --literal; do
    panel=$([[ $literal ]] && echo "$right" || echo "$left")
    compare must "S = $size, $panel" non-private "none,$size" zCDP "zcdp16$literal,$size"
    compare must "S = $size, $panel" zCDP "zcdp16$literal,$size" advanced "zcdp16-strong$literal,$size"
    compare must "S = $size, $panel" advanced "zcdp16-strong$literal,$size" linear "zcdp16-linear$literal,$size"
  done
  compare must "S = $size, zCDP" "$right" "zcdp16--literal,$size" "$left" "zcdp16,$size"
done
first=${sizes%% *} last=${sizes##* }
if [[ $first != "$last" ]]; then
  for literal in '' --literal; do
    panel=$([[ $literal ]] && echo "$right" || echo "$left")
    for composition in zcdp16 zcdp16-strong zcdp16-linear; do
      compare printed "smaller batches are better, $panel, ${label[$composition]}" "S = $first" "$composition$literal,$first" "S = $last" "$composition$literal,$last"
    done
  done
  compare must "larger batches are better, $left, zCDP" "S = $last" "zcdp16,$last" "S = $first" "zcdp16,$first"
fi
spread_found
figure_end --title "Composition of rounds (zCDP paper, figure 1)" --log-x --x "documents in a round S" --y "held-out perplexity per word (bound)" \
  --note "ε = $epsilon claimed at δ = 1e-4, $topics topics, N = $length, 40 % of $population documents seen; lower is better; runs: $runs" \
  --note "noise as printed (equation 4) is S/D of what protects: its real ε is in the reports of the runs"
