#!/usr/bin/env bash
# Makes the small corpora of the Gibbs papers' figures: the most frequent words of a text, and its first documents to train and to hold out.
#
#   papers/figures/corpus.sh [FLAG…] TEXT OUT
#
# TEXT is public, a UCI bag of words (docword…) or what tokenize text reads. OUT gets docword.train.txt, docword.held.txt and vocab.txt. Do not
# use this for private text: the most frequent words of a text are a release of it.
#
#   --vocab FILE     vocabulary of TEXT, in which the frequent words are chosen; that of a UCI file
#   --words 1000     number of the most frequent words to keep; among equals, the first of the vocabulary
#   --train 3000     number of documents to train
#   --held 430       number of documents after these to hold out
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../stages.sh"

vocab='' words=1000 train=3000 held=430
take "vocab words train held" "$@"
[[ ${#arguments[@]} == 2 && -n $vocab ]] || fail "wants --vocab, TEXT and OUT, see --help"
text=${arguments[0]} out=${arguments[1]}
[[ -f $text ]] || fail "no such text: $text"
[[ -f $vocab ]] || fail "no such vocabulary: $vocab"
positive words train held
flat=yes
lay_out
documents=$(mktemp)
temporary+=("$documents")

documents "$text" "$out/documents.pp"
# A line of $documents is a document: its words, by their number from 0, and their counts.
show --private "$out/documents.pp" | sed -n 's/^{"document".*"words":{\([^}]*\)}.*/\1/p' | tr -d '"' | tr ':,' '  ' >"$documents"
rm -- "$out/documents.pp"
LC_ALL=C awk -v words="$words" -v train="$train" -v held="$held" -v out="$out" '
  FILENAME != ARGV[1] {vocabulary[FNR - 1] = $1; next}
  {for (i = 1; i < NF; i += 2) total[$i] += $(i + 1); text[++number] = $0}
  # write NAME FIRST LAST writes these documents in the format of the UCI repository.
  function write(name, first, last,   d, i, n, of, pairs) {
    if (last > number) last = number
    for (d = first; d <= last; d++) {
      n = split(text[d], of)
      for (i = 1; i < n; i += 2) pairs += of[i] in place
    }
    printf "%d\n%d\n%d\n", last - first + 1, words, pairs >name
    for (d = first; d <= last; d++) {
      n = split(text[d], of)
      for (i = 1; i < n; i += 2) if (of[i] in place) print d - first + 1, place[of[i]], of[i + 1] >name
    }
  }
  END {
    if (number <= train) exit 1
    for (rank = 1; rank <= words; rank++) {
      most = -1
      for (id = 0; id in vocabulary; id++) if (!(id in kept) && total[id] + 0 > most) {most = total[id] + 0; best = id}
      if (most < 1) exit 2
      kept[best]
    }
    for (id = 0; id in vocabulary; id++) if (id in kept) {place[id] = ++at; print vocabulary[id] >(out "/vocab.txt")}
    write(out "/docword.train.txt", 1, train); write(out "/docword.held.txt", train + 1, train + held)
  }' "$documents" "$vocab" || case $? in
  2) fail "$text has fewer than $words words of the vocabulary: --words must be at most their number" ;;
  *) fail "$text has too few documents: --train must be below their number, is $train" ;;
esac
