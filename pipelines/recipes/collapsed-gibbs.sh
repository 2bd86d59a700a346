#!/usr/bin/env bash
# Trains a topic model by collapsed Gibbs sampling, without privacy: for public text, and as the yardstick of private samplers.
#
#   collapsed-gibbs.sh [FLAG…] TEXT OUT
#
# Griffiths and Steyvers: Finding scientific topics (PNAS 2004). The counts of all documents follow each draw. TEXT and OUT are as in
# lda.sh. The ledger says that the model is not private.
#
#   --topics 50       number of topics K
#   --alpha 1         Dirichlet prior of a document's topics
#   --beta 0.01       Dirichlet prior of a topic's words
#   --rounds 30       number of rounds
#   --sweeps 10       sweeps over all words in a round
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --held FILE       held-out text to score the model on
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each round, too
#   --streams         keep the parameters of all rounds in OUT/public/params.pp, and the contributions, which are private, in
#                     OUT/private/contributions.pp, for evaluate attack topics; such a run cannot resume
#   --inherent-report write OUT/private/inherent.jsonl: the counts by which HDP-LDA's theorem 1 bounds what a sweep shows of a word.
#                     account gibbs --largest-count computes the bound, which is no guarantee
#   --seed 1          seed of the parameters of the first round; the coins have a key, OUT/private/gibbs.key
#
# Over Kafka, each stage in its own process (kafka/README.md). The topics get one partition, because one process answers all documents:
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

topics=50 alpha=1 beta=0.01 rounds=30 sweeps=10 trace='' streams='' inherent_report='' scorer=gibbs delta=1e-6
take "topics alpha beta rounds sweeps trace! streams! inherent-report! ${shared% workers partitions}" "$@"
[[ -z $trace || -n $held ]] || fail "--trace needs --held"
[[ -z $streams || -z $brokers ]] || fail "--streams is for pipes: topics keep their streams themselves"
positive topics rounds sweeps
real alpha beta
seeded
text_and_folder
same "--topics $topics --alpha $alpha --beta $beta --rounds $rounds --sweeps $sweeps --seed $seed${inherent_report:+ --inherent-report}"
keep "$inside/documents.pp" documents "$text" "$inside/documents.pp"
begin "$inside/run.ledger"

sample=(--all --rounds "$rounds")
estep=(collapsed --sweeps "$sweeps" --statistic counts
  ${inherent_report:+--inherent-report "$inside/inherent.jsonl"})
privatize=(none --ledger "$inside/run.ledger")
mstep=(counts --statistic counts --topics "$topics" --alpha "$alpha" --eta "$beta" --denoise floor --seed "$seed"
  "${vocabulary[@]}")
[[ -z $trace ]] || mstep+=(--models "$shown/models")
keeps_topics coupled
topics_of_run
train
present "$inside/run.ledger"
