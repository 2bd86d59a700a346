#!/usr/bin/env bash
# Makes small public data on which all.sh --quick runs all systems and figures: text, a table and images.
#
#   papers/made.sh OUT
#
# OUT gets
#
#   all.jsonl held.jsonl          the comments of Go's own source, and those of one package; without Go they cannot be made
#   thousand.jsonl                the first thousand of these comments
#   some.jsonl rest.jsonl         1,000 and 200 documents of five topics, each with 120 words of its own in words.txt: such topics are
#                                 learned in a few rounds, and noise hides them. The label, low or high, says of which topics
#                                 most words are
#   train.csv held.csv            4,000 and 1,000 rows of 63 features, most of which tell a little of the class; schema.json
#   linear.json                   schema of the same rows, whose label is a number
#   train.idx held.idx            2,000 and 300 images of 6 × 6 pixels with two neighbouring rows or columns on, and one pixel of
#                                 twenty wrong: their mean has no pixel on
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../stages.sh"

take "" "$@"
[[ ${#arguments[@]} == 1 ]] || fail "wants OUT, see --help"
out=${arguments[0]}
type -P go >/dev/null || fail "Go is not on PATH: its source is the text" 82
own "$out"
export LC_ALL=C # bytes, not characters

comments "$(go env GOROOT)/src" >"$out/all.jsonl"
comments "$(go env GOROOT)/src/fmt" >"$out/held.jsonl"
head -n 1000 "$out/all.jsonl" >"$out/thousand.jsonl"

awk -v out="$out" '
  function word(i) {return sprintf("w%c%c", 97 + i / 26, 97 + i % 26)}
  BEGIN {
    srand(1)
    for (i = 0; i < 600; i++) print word(i) >(out "/words.txt")
    for (d = 0; d < 1200; d++) {
      split(int(5 * rand()) " " int(5 * rand()), topics)
      text = ""
      for (i = 0; i < 25; i++) {
        x = rand() # some words of a topic are more frequent
        text = text word(topics[rand() < 0.2 ? 2 : 1] * 120 + int(120 * x * x)) " "
      }
      print "{\"text\":\"" text "\",\"label\":\"" (topics[1] < 2 ? "low" : "high") "\"}" >(out (d < 1000 ? "/some.jsonl" : "/rest.jsonl"))
    }
  }'

awk -v out="$out" '
  BEGIN {
    srand(2)
    columns = "{\"name\": \"b\", \"type\": \"number\", \"least\": 0, \"most\": 1}"
    for (i = 0; i < 10; i++) columns = columns ", {\"name\": \"c" i "\", \"type\": \"category\", \"values\": [\"u\", \"v\", \"w\", \"x\", \"y\", \"z\"]}"
    start = "{\"intercept\": true, \"header\": false, \"columns\": [{\"name\": \"a\", "
    print start "\"type\": \"number\", \"least\": 0, \"most\": 1}, " columns \
      ", {\"name\": \"class\", \"type\": \"label\", \"positive\": \"yes\", \"negative\": \"no\"}]}" >(out "/schema.json")
    print start "\"type\": \"label\", \"least\": 0, \"most\": 1}, " columns ", {\"name\": \"class\", \"type\": \"ignore\"}]}" >(out "/linear.json")
    for (r = 0; r < 5000; r++) {
      yes = rand() < 0.5
      row = sprintf("%.3f,%.3f", 0.3 * yes + 0.7 * rand(), rand())
      for (i = 0; i < 10; i++) row = row "," (rand() < 0.25 ? substr("uv", 1 + yes, 1) : substr("uvwxyz", 1 + int(6 * rand()), 1))
      print row "," (yes ? "yes" : "no") >(out (r < 4000 ? "/train.csv" : "/held.csv"))
    }
  }'

# An IDX file has its sizes as numbers of four bytes, then a byte for each pixel.
for file in 'train 2000 \x07\xd0' 'held 300 \x01\x2c'; do
  read -r part images size <<<"$file"
  {
    printf '\0\0\x08\x03\0\0'"$size"'\0\0\0\x06\0\0\0\x06'
    awk -v images="$images" 'BEGIN {
      srand(images)
      for (n = 0; n < images; n++) {
        along = rand() < 0.5; stripe = int(3 * rand())
        for (pixel = 0; pixel < 36; pixel++) {
          on = int((along ? pixel % 6 : int(pixel / 6)) / 2) == stripe
          if (rand() < 0.05) on = !on
          printf "%c", on ? 200 : 20
        }
      }
    }'
  } >"$out/$part.idx"
done
