#!/usr/bin/env bash
# Trains a private topic model.
#
#   lda.sh [--epsilon 1] [--topics 50] [FLAG…] TEXT OUT
#
# TEXT is private: a file of JSON Lines {"id","text"}, a .csv with such columns, a folder of .txt, a UCI docword file, or
# documents of tokenize (.pp). OUT is a folder that gets the model, its grant and ledger, the topics and the report of what
# was spent. Whatever stops the recipe, the same command goes on with it and spends nothing twice.
#
#   --epsilon 1       ε of the whole ledger, with all that other runs have spent of it, at
#   --delta 1e-6      δ; at most a tenth of one over the number of documents
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 8,000 words of English Wikipedia
#   --rate 0.1        each document takes part in a round by a coin of this probability
#   --rounds 80       number of rounds
#   --unit document   whom the guarantee is for: one document more or less, or a user with all documents (user)
#   --force           go on with too few documents, or with words that the vocabulary lacks (see OUT/check.txt, which is private)
#   --ledger FILE     a ledger that other jobs charge, too, from account ledger new; by default OUT/run.ledger
#   --dataset NAME    name of the data, for the ledger
#   --held FILE       held-out text, to score the model on; the score is not private
#   --seed 1          of the random first topics; it protects nobody
#
# Over Kafka, each stage a process of its own (kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default that of OUT's folder
#   --workers 2       processes of estep
#   --partitions 4    of the topics that they share
#
# It uses no public text but the vocabulary. Two things are released and charged: the words' own frequencies, once, and the
# topics' statistics, each round. Topics need documents: at ε = 1 some 40,000 of ten words give ten topics whose leading
# words are sensible, though their perplexity is worse than that of word frequencies; 150,000 of a hundred give fifty good ones.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

epsilon=1 delta=1e-6 topics=50 vocab='' rate=0.1 rounds=80 unit='' force='' ledger='' dataset=default held='' seed=1
brokers='' run='' workers=2 partitions=4
take "epsilon delta topics vocab rate rounds unit force! ledger dataset held seed brokers run workers partitions" "$@"
[[ $topics =~ ^[1-9][0-9]*$ ]] || fail "--topics must be a number from 1 on, is $topics"
[[ $unit =~ ^(|document|user)$ ]] || fail "--unit must be document or user, is $unit"
# What is no plan is found before the text is read.
account plan -q --dry-run --epsilon="$epsilon" --delta="$delta" --poisson="$rate" --rounds="$rounds"
text_and_folder
charged=$(identity "$ledger")
same "--epsilon $epsilon --delta $delta --topics $topics --rate $rate --rounds $rounds --unit ${unit:-document} --seed $seed ledger $charged"
ledger=${ledger:-$out/run.ledger}

keep "$out/documents.pp" documents "$text" "$out/documents.pp"
worth
unit=${unit:-document}

[[ $charged != own ]] || begin "$ledger"
# Where the ledger's data sets share no unit, a grant is for one of them.
of=()
! head -n 1 -- "$ledger" | grep -q '"disjoint_datasets":true' || of=(--dataset "$dataset")

# Everything is planned before anything is charged: a budget without room for the topics is not spent on the words.
#
# The frequencies of the words, with noise in proportion to what ε allows: about a twentieth of the budget. Topics that
# must add up to them lose much less to noise.
used "$out/words-grant.json" "$ledger" || account plan --all --noise-multiplier "$(awk "BEGIN {print 14 / $epsilon}")" --delta "$delta" \
  --ledger "$ledger" "${of[@]}" --unit "$unit" --model words --matrix words=1xV "${vocabulary[@]}" -o "$out/words-grant.json"

# The topics, with what the words leave of the budget.
beside=(--beside "$out/words-grant.json")
! used "$out/words-grant.json" "$ledger" || beside=() # its charge is in the ledger
used "$out/grant.json" "$ledger" || account plan --epsilon "$epsilon" --delta "$delta" --poisson "$rate" --rounds "$rounds" \
  --ledger "$ledger" "${of[@]}" --unit "$unit" "${beside[@]}" --model lda --matrix "topics=${topics}xV" "${vocabulary[@]}" \
  -o "$out/grant.json"

words() {
  pipeline sample --all --unit "$unit" "$out/documents.pp" \
    -- estep words \
    -- privatize --grant "$out/words-grant.json" --ledger "$ledger" --dataset "$dataset" \
    -- mstep words "${vocabulary[@]}" -o "$out/words.pp"
}
topics_of_run
keep "$out/words.pp" words

sample=(--poisson "$rate" --rounds "$rounds" --unit "$unit")
estep=(lda)
privatize=(--grant "$out/grant.json" --ledger "$ledger" --dataset "$dataset")
mstep=(lda --topics "$topics" "${vocabulary[@]}" --word-marginal "$out/words.pp" --seed "$seed")
train

evaluate topics --top 10 -o "$out/topics.txt" "$out/model.pp"
account report --delta "$delta" -o "$out/report.txt" "$ledger"
cat "$out/topics.txt" "$out/report.txt"
score "$out/model.pp" --unigram "$out/words.pp"
