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
#   --vocab FILE      public vocabulary; by default 8,000 words of English Wikipedia
#   --seed 1          seed of the random first topics
#   --quick           a small figure: sizes 200 and 400, 20 words of a document, 3 topics
#
# The left panel has noise on the sum of a batch in proportion to what a document can add. The right panel has the noise of the printed
# equation 4, which is S/D of it, and protects nobody.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilon=1 sizes='' length='' topics=''
take "epsilon sizes length topics vocab seed quick!" "$@"
sizes=${sizes:-$([[ $quick ]] && echo 200 400 || echo 10 20 50 100 200 400)}
length=${length:-$([[ $quick ]] && echo 20 || echo 500)}
topics=${topics:-$([[ $quick ]] && echo 3 || echo 100)}
figure_begin

declare -A at label=([zcdp16]=zCDP [zcdp16-strong]=advanced [zcdp16-linear]=linear)
left='noise of the sum' right='noise as printed'
for size in $sizes; do
  rounds=$((population * 2 / 5 / size > 0 ? population * 2 / 5 / size : 1))
  for literal in '' --literal; do
    panel=$([[ $literal ]] && echo "$right" || echo "$left")
    system "none-$size" ../online-lda.sh --batch "$size" --rounds "$rounds" --tau0 1024
    at[none$literal,$size]=$(perplexity "none-$size")
    point "$panel" non-private line "$size" "${at[none$literal,$size]}"
    for composition in zcdp16 zcdp16-strong zcdp16-linear; do
      system "$composition$literal-$size" zcdp-lda.sh $literal --composition "$composition" --epsilon "$epsilon" --batch "$size" --rounds "$rounds" \
        --length "$length"
      at[$composition$literal,$size]=$(perplexity "$composition$literal-$size")
      point "$panel" "${label[$composition]}" line "$size" "${at[$composition$literal,$size]}"
    done
  done
done
# Models that are worse than the uniform distribution are all noise, and their order is chance.
uniform=$(awk '/^variational bound/ {print $5}' "$out/none-${sizes%% *}/perplexity.txt")
below() { echo "($1 < $2 || $1 >= $uniform && $2 >= $uniform)"; }
for size in $sizes; do
  for literal in '' --literal; do
    n=${at[none$literal,$size]} z=${at[zcdp16$literal,$size]} a=${at[zcdp16-strong$literal,$size]} l=${at[zcdp16-linear$literal,$size]}
    panel=$([[ $literal ]] && echo "$right" || echo "$left")
    finding must "S = $size, $panel: non-private $n < zCDP $z < advanced $a < linear $l, as far as they are below uniform $uniform" \
      "$n < $z && $(below "$z" "$a") && $(below "$a" "$l")"
  done
done
first=${sizes%% *} last=${sizes##* }
for composition in zcdp16 zcdp16-strong zcdp16-linear; do
  finding printed "smaller batches are better, $left, ${label[$composition]}: ${at[$composition,$first]} at S = $first, ${at[$composition,$last]} at S = $last" \
    "${at[$composition,$first]} < ${at[$composition,$last]}"
  finding printed "smaller batches are better, $right, ${label[$composition]}: ${at[$composition--literal,$first]} at S = $first, ${at[$composition--literal,$last]} at S = $last" \
    "${at[$composition--literal,$first]} < ${at[$composition--literal,$last]}"
done
finding must "with the noise of the sum larger batches are better: zCDP ${at[zcdp16,$last]} at S = $last, ${at[zcdp16,$first]} at S = $first" \
  "$(below "${at[zcdp16,$last]}" "${at[zcdp16,$first]}")"
figure_end --title "Composition of rounds (zCDP paper, figure 1)" --log-x --x "documents in a round S" --y "held-out perplexity per word (bound)" \
  --note "ε = $epsilon claimed at δ = 1e-4, $topics topics, N = $length, 40 % of $population documents seen; lower is better" \
  --note "noise as printed (equation 4) is S/D of what protects: its real ε is in the reports of the runs"
