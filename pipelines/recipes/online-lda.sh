#!/usr/bin/env bash
# Trains a topic model WITHOUT privacy, for comparison.
#
# The method is online variational Bayes (Hoffman, Blei, Bach 2010).
#
#   online-lda.sh [--topics 50] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. The ledger records that ε has no bound, and the page, OUT/public/report.html, says so first.
#
#   --topics 50       number of topics K
#   --vocab FILE      vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --batch 1024      number of documents in a round, drawn without replacement
#   --rounds 82       number of rounds
#   --tau0 64         ρ_t = (τ0+t)^−κ
#   --kappa 0.7
#   --held FILE       held-out text to score the model on. The score of documents of tokenize --public (.pp) is on the page, too
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each round, too
#   --seed 1          seed of the random first topics
#
# Over Kafka, each stage in its own process (kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

topics=50 delta=1e-6 batch=1024 rounds=82 tau0=64 kappa=0.7 trace=''
take "topics batch rounds tau0 kappa trace! $shared" "$@"
text_and_folder
same "--topics $topics --batch $batch --rounds $rounds --tau0 $tau0 --kappa $kappa --seed $seed"

keep "$inside/documents.pp" documents "$text" "$inside/documents.pp"
some "$inside/documents.pp"
begin "$inside/run.ledger"
sample=(--fixed "$batch" --rounds "$rounds" --run "$run")
estep=(lda --top-topics 0 --word-weight count --norm 0 --iterations 100)
privatize=(none --run "$run" --ledger "$inside/run.ledger")
mstep=(lda-paper --topics "$topics" "${vocabulary[@]}" --tau0 "$tau0" --kappa "$kappa" --seed "$seed"
  --average-from 1 --beta expected-log)
[[ -z $trace || -n $held ]] || fail "--trace needs --held"
[[ -z $trace ]] || mstep+=(--models "$shown/models")
topics_of_run
train

present "$inside/run.ledger"
