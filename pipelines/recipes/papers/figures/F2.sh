#!/usr/bin/env bash
# Compares table 1 of the zCDP paper: the leading words of topics, for three ways to compose rounds.
#
#   papers/figures/F2.sh [--epsilon 0.5] [FLAG…] TEXT HELD OUT
#
# TEXT is private, as in lda.sh. HELD is public text of the same kind: coherence is counted in it. OUT is a folder:
# F2-words.csv gets the words, F2.csv their means over topics.
#
#   --epsilon 0.5     ε that the paper claims for each private model, at δ 1e-4
#   --size 400        number of documents in a round; 40 % of the documents are seen
#   --length 500      N: each document is cut to this many words
#   --topics 100      number of topics K
#   --vocab FILE      public vocabulary; by default 8,000 words of English Wikipedia
#   --seed 1          seed of the random first topics
#   --quick           a small figure: 20 words of a document, 3 topics
#
# The noise as printed is the paper's. With the noise of the sum nothing is learned from so few documents in a round.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilon=0.5 size=400 length='' topics=''
take "epsilon size length topics vocab seed quick!" "$@"
length=${length:-$([[ $quick ]] && echo 20 || echo 500)}
topics=${topics:-$([[ $quick ]] && echo 3 || echo 100)}
figure_begin

rounds=$((population * 2 / 5 / size > 0 ? population * 2 / 5 / size : 1))
echo model,first_word_probability,npmi >"$out/F2.csv"
echo model,topic,share,rank,word,probability >"$out/F2-words.csv"
declare -A first npmi
# words SERIES MODEL takes the words of a model, the mean probability of a topic's first word, and the mean coherence of topics.
words() {
  evaluate topics --top 10 --csv "$2" | tail -n +2 | sed "s/^/$1,/" >>"$out/F2-words.csv"
  first[$1]=$(evaluate topics --top 1 --csv "$2" | awk -F, 'NR > 1 {sum += $NF} END {printf "%.5f", sum / (NR - 1)}')
  npmi[$1]=$(evaluate coherence --reference "$held" "$2" | awk '$1 == "mean" {print $2}')
  echo "$1,${first[$1]},${npmi[$1]}" >>"$out/F2.csv"
}
system none ../online-lda.sh --batch "$size" --rounds "$rounds" --tau0 1024
words non-private "$out/none/model.pp"
for literal in '' --literal; do
  for composition in zcdp16 zcdp16-strong zcdp16-linear; do
    system "$composition$literal" zcdp-lda.sh $literal --composition "$composition" --epsilon "$epsilon" --batch "$size" --rounds "$rounds" \
      --length "$length"
    words "$composition$literal" "$out/$composition$literal/model.pp"
  done
done
n=${first[non-private]} z=${first[zcdp16--literal]} a=${first[zcdp16-strong--literal]} l=${first[zcdp16-linear--literal]}
finding must "noise as printed, mean probability of a topic's first word: non-private $n > zCDP $z > advanced $a and linear $l" "$n > $z && $z > $a && $z > $l"
finding printed "linear above advanced, as in the table: $l and $a" "$l > $a"
n=${npmi[non-private]} z=${npmi[zcdp16--literal]} a=${npmi[zcdp16-strong--literal]} l=${npmi[zcdp16-linear--literal]}
finding printed "noise as printed, coherence: non-private $n > zCDP $z > advanced $a and linear $l" "$n > $z && $z > $a && $z > $l"
n=${first[non-private]} z=${first[zcdp16]} a=${first[zcdp16-strong]} l=${first[zcdp16-linear]}
finding printed "noise of the sum, mean probability of a topic's first word: non-private $n > zCDP $z > advanced $a and linear $l" \
  "$n > $z && $z > $a && $z > $l"
verdict
