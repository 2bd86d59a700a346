#!/usr/bin/env bash
# Has Mallet 2.0.8 of Maven Central write keys.txt and weights.txt beside this script, from five short texts. Wants Java and Maven.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cat >"$work/pom.xml" <<'POM'
<project><modelVersion>4.0.0</modelVersion><groupId>privpipe</groupId><artifactId>mallet</artifactId><version>1</version><dependencies>
<dependency><groupId>cc.mallet</groupId><artifactId>mallet</artifactId><version>2.0.8</version></dependency></dependencies></project>
POM
mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$work/jars"
cat >"$work/texts" <<'TEXTS'
a x cat dog cat fish goat
b x fish goat fish sea
c x cat dog dog
d x sea fish goat ship
e x cat dog mouse
TEXTS
mallet() { java -cp "$work/jars/*" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
mallet cc.mallet.classify.tui.Csv2Vectors --input "$work/texts" --output "$work/texts.mallet" --keep-sequence --token-regex '\p{L}+'
mallet cc.mallet.topics.tui.Vectors2Topics --input "$work/texts.mallet" --num-topics 2 --alpha 0.25 --num-iterations 100 \
  --random-seed 3 --output-topic-keys keys.txt --topic-word-weights-file weights.txt
