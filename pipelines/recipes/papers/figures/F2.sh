#!/usr/bin/env bash
# Compares table 1 of the zCDP paper: the leading words of topics, for three ways to compose rounds.
#
#   papers/figures/F2.sh [--epsilon 0.5] [FLAG…] TEXT HELD OUT
#
# TEXT is private, as in lda.sh. HELD is public text of the same kind: coherence is counted in it. OUT is a folder:
# F2-words.csv gets the words, F2.csv their means over topics, of each run.
#
#   --epsilon 0.5     ε that the paper claims for each private model, at δ 1e-4
#   --size 400        number of documents in a round; 40 % of the documents are seen
#   --length 500      N: each document is cut to this many words
#   --topics 100      number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system
#   --seed 1          seed of the first topics of the first run; the next have the next
#   --quick           a small figure: ε 0.05, 20 words of a document, 3 topics
#
# The noise as printed is the paper's. With the noise of the sum nothing is learned from so few documents in a round.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilon='' size=400 length='' topics=''
take "epsilon size length topics vocab runs seed quick!" "$@"
epsilon=${epsilon:-$([[ $quick ]] && echo 0.05 || echo 0.5)}
length=${length:-$([[ $quick ]] && echo 20 || echo 500)}
topics=${topics:-$([[ $quick ]] && echo 3 || echo 100)}
runs=${runs:-3}
spread=0.2 # of a first word's probability: Go comments
figure_begin

rounds=$((population * 2 / 5 / size > 0 ? population * 2 / 5 / size : 1))
echo model,run,first_word_probability,npmi >"$out/F2.csv"
echo model,run,topic,share,rank,word,probability >"$out/F2-words.csv"
declare -A first npmi
# words SERIES RECIPE FLAG… runs a system and takes the words of its models, the mean probability of a topic's first word, and the
# mean coherence of topics.
words() {
  local of
  system "${@:2}"
  first[$1]=$(first_words) npmi[$1]=''
  for of in "${folders[@]}"; do
    evaluate topics --relevance 1 --top 10 --csv "$of/public/model.pp" | tail -n +2 | sed "s/^/$1,${of##*/},/" >>"$out/F2-words.csv"
    npmi[$1]+=" $(evaluate coherence --reference "$held" "$of/public/model.pp" | awk '$1 == "mean" {print $2}')"
  done
  paste -d, <(printf "$1,%s\n" "${folders[@]##*/}") <(printf '%s\n' ${first[$1]}) <(printf '%s\n' ${npmi[$1]}) >>"$out/F2.csv"
}
words non-private ../online-lda.sh --batch "$size" --rounds "$rounds" --tau0 1024
for literal in '' --literal; do
  for composition in zcdp16 zcdp16-strong zcdp16-linear; do
    words "$composition$literal" zcdp-lda.sh $literal --composition "$composition" --epsilon "$epsilon" --batch "$size" --rounds "$rounds" \
      --length "$length"
  done
done

what="mean probability of a topic's first word"
for literal in --literal ''; do
  panel=$([[ $literal ]] && echo "noise as printed" || echo "noise of the sum")
  kind=$([[ $literal ]] && echo must || echo printed) # with the noise of the sum, all are noise
  z=${first[zcdp16$literal]}
  order "$kind" "$panel, $what" zCDP "$z" non-private "${first[non-private]}"
  order "$kind" "$panel, $what" advanced "${first[zcdp16-strong$literal]}" zCDP "$z"
  order "$kind" "$panel, $what" linear "${first[zcdp16-linear$literal]}" zCDP "$z"
done
order printed "as in the table, $what" advanced "${first[zcdp16-strong--literal]}" linear "${first[zcdp16-linear--literal]}"
for series in non-private zcdp16--literal zcdp16-strong--literal zcdp16-linear--literal; do
  finding measured "coherence: $(summary "$series" "${npmi[$series]}")"
done
verdict
