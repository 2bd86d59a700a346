#!/usr/bin/env bash
# Trains VIPS for LDA as published, and reports its actual ε.
#
# Park, Foulds, Chaudhuri, Welling: Variational Bayes In Private Settings (JAIR 2020), Algorithm 3.
#
#   papers/vips-lda.sh [--sigma 1.24] [--topics 50] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. Use lda.sh for a better model at the same ε. The paper's method loses much by negative cells
# set to 0, by long documents and by a fixed batch, and the ε that the paper states is not its actual ε.
#
#   --sigma 1.24      noise scale divided by the paper's sensitivity a·N
#   --composition moments
#                     how rounds are composed: moments, or the paper's baseline strong, or linear. The baselines take the noise for
#                     which they claim the ε that moments claims for --sigma
#   --batch 20000     number of documents in a round, drawn without replacement
#   --rounds R        number of rounds; by default one pass over the documents
#   --length 500      N: each document is resampled to this many words, with replacement
#   --share 0.1       a: a document's statistics are clipped to a·N. 1 is the paper's baseline without clipping
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --tau0 1024       ρ_t = (τ0+t)^−κ, as in the program of Hoffman et al. that the authors adapted
#   --kappa 0.7
#   --delta 1e-6      δ of the claims and of the report
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
#
# The report is sound. The paper takes a·N as the sensitivity when one document replaces another. But two clipped contributions
# without negative cells can be √2·a·N apart. The report has both (--claim paper). The paper's own setting is σ 1.24, 20,000 of
# 400,000 documents, 20 rounds and δ 1e-4. For it the paper states ε = 2.38. With the sound sensitivity, the paper's accountant
# gives 4.232, and privacy loss distributions give 2.162:
# account compare --noise-multiplier 1.24 --fixed 20000/400000 -T 20 --delta 1e-4 --non-negative
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"

sigma=1.24 composition=moments batch=20000 rounds='' length=500 share=0.1 topics=50 tau0=1024 kappa=0.7
delta=1e-6 force=''
take "sigma composition batch rounds length share topics tau0 kappa delta force! trace! $shared" "$@"
case $composition in
  moments) ;;
  strong) claim=vips20-strong ;;
  linear) claim=zcdp16-linear ;;
  *) fail "--composition must be moments, strong or linear, is $composition" ;;
esac
positive batch
# Wrong flags fail here, before the text is read.
account plan -q --dry-run --noise-multiplier="$sigma" --delta="$delta" --poisson=0.5 --rounds="${rounds:-1}"
published_documents "--sigma $sigma --composition $composition --batch $batch --rounds ${rounds:-one pass} --length $length --share $share \
--topics $topics --tau0 $tau0 --kappa $kappa --delta $delta --seed $seed"
count_documents
rounds=${rounds:-$((population / batch))}

scheme=(--fixed "$batch/$population" --rounds "$rounds")
if [[ $composition != moments ]]; then
  claimed=$(account compare --noise-multiplier "$sigma" "${scheme[@]}" --delta "$delta" --non-negative --json |
    tr '{' '\n' | grep '"accountant":"vips20"' | number epsilon)
  sigma=$(account noise --claim "$claim" --epsilon "$claimed" --delta "$delta" "${scheme[@]}" --json | number noise_multiplier)
fi
published_grant --noise-multiplier "$sigma" --clip "$(awk "BEGIN {print $share * $length}")" "${scheme[@]}"
sample=(--fixed "$batch" --rounds "$rounds")
estep=(lda --length "$length" --resample --top-topics 0 --word-weight count --norm 0 --iterations 100)
published_model
