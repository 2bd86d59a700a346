#!/usr/bin/env bash
# Makes the wide table of VIPS's figure 5: documents of two classes, by the words that are in them.
#
#   papers/figures/bags.sh --positive CLASSES --negative CLASSES [FLAG…] TEXT OUT
#
# TEXT is public, what tokenize text reads, with labels. OUT gets rows.jsonl, a row for each document of these classes, and schema.json. A
# row has a 1 for each frequent word that is in the document. Do not use this for private text: its frequent words are a release of it.
#
#   --positive LIST  labels of the positive class, with commas; a * stands for the rest of a label: comp.*
#   --negative LIST  labels of the negative class
#   --words 1000     number of the most frequent words to keep; among equals, the first of the vocabulary
#   --vocab FILE     vocabulary of TEXT, in which the frequent words are chosen; by default 8,000 words of English Wikipedia
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../stages.sh"

positive='' negative='' words=1000
take "positive negative words vocab" "$@"
[[ ${#arguments[@]} == 2 && -n $positive && -n $negative ]] || fail "wants --positive, --negative, TEXT and OUT, see --help"
positive words
flat=yes
text_and_folder
for list in positive negative; do
  [[ ${!list} =~ ^[a-zA-Z0-9._,*-]+$ ]] || fail "--$list must be a list of labels, is ${!list}"
  pattern=${!list//./[.]}
  pattern=${pattern//\*/.*}
  printf -v "$list" '^(%s)$' "${pattern//,/|}"
done

keep "$out/documents.pp" documents "$text" "$out/documents.pp"
[[ $vocab ]] || vocab=$recipes/../vocabulary/english.txt
# Lines of the first file are the vocabulary. A line of the second is a document: its class, and its words by their number from 0.
show --private "$out/documents.pp" | sed -n 's/^{"document".*"label":"\([^"]*\)".*"words":{\([^}]*\)}.*/\1 \2/p' | sed 's/"\([0-9]*\)":[0-9]*,*/\1 /g' |
  LC_ALL=C awk -v words="$words" -v positive="$positive" -v negative="$negative" -v out="$out" '
  FILENAME != "-" {vocabulary[FNR - 1] = $1; next}
  {
    class = $1 ~ positive ? "yes" : $1 ~ negative ? "no" : ""
    if (class == "") next
    rows++
    $1 = class
    row[rows] = $0
    for (i = 2; i <= NF; i++) total[$i]++
  }
  END {
    for (rank = 1; rank <= words; rank++) {
      most = 0
      for (id = 0; id in vocabulary; id++) if (!(id in kept) && total[id] > most) {most = total[id]; best = id}
      if (!most) exit 1
      kept[best]
    }
    schema = out "/schema.json"
    print "{\"intercept\": true, \"columns\": [" >schema
    for (id = 0; id in vocabulary; id++)
      if (id in kept) printf "  {\"name\": \"%s\", \"type\": \"number\", \"least\": 0, \"most\": 1, \"missing\": \"ignore\"},\n", vocabulary[id] >schema
    print "  {\"name\": \"CLASS\", \"type\": \"label\", \"positive\": \"yes\", \"negative\": \"no\"}]}" >schema
    for (r = 1; r <= rows; r++) {
      n = split(row[r], of, " ")
      printf "{\"CLASS\":\"%s\"", of[1] >(out "/rows.jsonl")
      for (i = 2; i <= n; i++) if (of[i] in kept) printf ",\"%s\":1", vocabulary[of[i]] >(out "/rows.jsonl")
      print "}" >(out "/rows.jsonl")
    }
  }' "$vocab" - || fail "$text has too few words of the vocabulary in these classes"
rm -- "$out/documents.pp"
