#!/usr/bin/env bash
# Trains the private topic model of the zCDP paper as published, and reports its actual ε.
#
# Park, Foulds, Chaudhuri, Welling: Private Topic Modeling (2016), Algorithm 1.
#
#   papers/zcdp-lda.sh [--epsilon 1] [--composition zcdp16] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. Use lda.sh for a better model at the same ε. The paper solves for the noise by the classical formula
# for the Gaussian, and by zCDP of sampled rounds, for which there is no proof. So its ε is a claim; the report has both.
#
#   --epsilon 1       ε that the paper claims, at
#   --delta 1e-4      δ of the claim and of the report
#   --composition zcdp16
#                     how the claim composes rounds: zcdp16, or the baselines zcdp16-strong (the paper's advanced composition) and
#                     zcdp16-linear
#   --literal         divide the noise by the number of batches in the text, as in the printed equation 4. That protects nobody: for
#                     400 of 160,000 documents the report has an ε of ten millions
#   --batch 400       number of documents in a round, drawn without replacement
#   --rounds R        number of rounds; by default as many as see 40 % of the documents
#   --length 500      N: each document is cut to this many words, drawn without replacement; then its statistics are at most N
#   --topics 100      number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --tau0 1024       ρ_t = (τ0+t)^−κ
#   --kappa 0.7
#   --held FILE       held-out text to score the model on; no ε covers the score. That of documents of tokenize --public (.pp) is on
#                     the page, too
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each round, too
#   --seed 1          seed of the random first topics
#   --force           train even with fewer than 1,000 documents
#
# Over Kafka, each stage in its own process (../kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"

epsilon=1 delta=1e-4 composition=zcdp16 literal='' batch=400 rounds='' length=500 topics=100 tau0=1024 kappa=0.7 force=''
take "epsilon delta composition literal! batch rounds length topics tau0 kappa force! trace! $shared" "$@"
[[ $composition =~ ^zcdp16(-strong|-linear)?$ ]] || fail "--composition must be zcdp16, zcdp16-strong or zcdp16-linear, is $composition"
positive batch
# Wrong flags fail here, before the text is read.
account noise -q --dry-run --claim "$composition" --epsilon="$epsilon" --delta="$delta" --poisson=1e-6 --rounds="${rounds:-1}"
published_documents "--epsilon $epsilon --delta $delta --composition $composition --literal ${literal:-no} --batch $batch \
--rounds ${rounds:-40 %} --length $length --topics $topics --tau0 $tau0 --kappa $kappa --seed $seed"
count_documents
rounds=${rounds:-$((population * 2 / 5 / batch > 0 ? population * 2 / 5 / batch : 1))}

sigma=$(account noise --claim "$composition" --epsilon "$epsilon" --delta "$delta" --fixed "$batch/$population" --rounds "$rounds" --json |
  number noise_multiplier)
[[ -z $literal ]] || sigma=$(awk "BEGIN {print $sigma * $batch / $population}")
# The clip is never reached: a document's statistics add up to its words. One that replaces another moves the sum by up to √2·N.
published_grant --noise-multiplier "$sigma" --clip "$length" --fixed "$batch/$population" --rounds "$rounds"
sample=(--fixed "$batch" --rounds "$rounds")
estep=(lda --length "$length" --top-topics 0 --word-weight count --norm 0 --iterations 100)
privatize=(--keep-releases 10) # of thousands of rounds; mstep is never so far behind
published_model
