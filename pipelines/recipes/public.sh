#!/usr/bin/env bash
# Makes a public file, which lda.sh takes as a prior of its topics, of text that anybody may read.
#
#   public.sh [FLAG…] TEXT… OUT
#
# Each TEXT is a corpus that tokenize text reads, and PUBLIC: the file shows its words, and no ε covers them. The more a corpus is like the
# private text, the better the prior. OUT is the public file. Topics are learned of all corpora together, twice, and of each by itself.
# OUT.work has what the recipe has made so far. If it is stopped, the same command resumes, also with other --features and --vectors. The
# folder goes at the end.
#
#   --vocab FILE      vocabulary; by default 12,000 English words. The vocabulary of a private text need not be the same: words are
#                     found by their letters
#   --topics 50       number of the first topics, those of a private model at its start
#   --more 64         number of topics of each other model
#   --sources FOLDER  texts of which each, a file of the folder, gives one public topic: the frequencies of its words
#   --features 60     number of features of each word
#   --vectors FILE    vectors of words that somebody learned of other public text, in the text format of GloVe and word2vec, perhaps
#                     compressed: features are made of them, too, and they know words that are rare in the TEXTs
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --seed 1          seed of the random first topics
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

topics=50 more=64 sources='' features=60 vectors=''
take "vocab topics more sources features vectors columns seed" "$@"
positive topics more features
seeded
((${#arguments[@]} > 1)) || fail "wants TEXT… and OUT, see --help"
texts=("${arguments[@]:0:${#arguments[@]}-1}") out=${arguments[-1]}
[[ ! -e $out ]] || fail "$out exists"
for text in "${texts[@]}"; do
  [[ -e $text ]] || fail "no such text: $text"
done
[[ -z $vocab || -f $vocab ]] || fail "no such vocabulary: $vocab"
[[ -z $sources || -d $sources ]] || fail "no such folder: $sources"
[[ -z $vectors || -e $vectors ]] || fail "no such vectors: $vectors"
vocabulary=(${vocab:+--vocab "$vocab"})
made=$out
out=$made.work
flat=yes
lay_out
text=${texts[0]}
# --features and --vectors are for the last step alone, so they may change: bad vectors cost no second training.
same "--topics $topics --more $more ${sources:+--sources $(checksum "$sources") }--seed $seed texts $(for text in "${texts[@]}"; do checksum "$text"; done | cksum)" "$out/run.ledger"
keep "$out/run.ledger" account ledger new "$out/run.ledger"

# learn NAME TOPICS SEED TEXT… learns topics of texts, without noise. One topic has learned all from one round.
learn() {
  local chosen=(--poisson 0.1 --rounds 60)
  (($2 > 1)) || chosen=(--all --rounds 1)
  local name=$1 number=$2 seed=$3
  shift 3
  keep "$out/$name.documents.pp" pipeline tokenize text --public "${vocabulary[@]}" ${columns:+--columns "$columns"} -o "$out/$name.documents.pp" "$@"
  rm -f -- "$out/params"
  mkfifo -- "$out/params"
  pipeline sample "${chosen[@]}" --run "$name" "$out/$name.documents.pp" \
    -- estep lda --norm 0 --word-weight count --iterations 12 --params "$out/params" \
    -- privatize none --run "$name" --ledger "$out/run.ledger" \
    -- mstep lda --topics "$number" "${vocabulary[@]}" --seed "$seed" --params-out "$out/params" -o "$out/$name.$number.pp"
  rm -- "$out/params"
}

keep "$out/all.$topics.pp" learn all "$topics" "$seed" "${texts[@]}"
models=(--topics "$out/all.$topics.pp")
((more == topics)) || keep "$out/all.$more.pp" learn all "$more" "$((seed + 1))" "${texts[@]}"
((more == topics)) || models+=(--topics "$out/all.$more.pp")
if ((${#texts[@]} > 1)); then
  for i in "${!texts[@]}"; do
    keep "$out/corpus$i.$more.pp" learn "corpus$i" "$more" "$((seed + 2 + i))" "${texts[i]}"
    models+=(--topics "$out/corpus$i.$more.pp")
  done
fi
if [[ $sources ]]; then
  for text in "$sources"/*; do
    name=source-$(basename -- "$text")
    keep "$out/$name.1.pp" learn "$name" 1 "$seed" "$text"
    models+=(--topics "$out/$name.1.pp")
  done
fi
mstep public "${models[@]}" --features "$features" ${vectors:+--vectors "$vectors"} --seed "$seed" "${vocabulary[@]}" --compress best -o "$made" "$out/all.documents.pp"
rm -rf -- "$out"
