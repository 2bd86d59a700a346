#!/usr/bin/env bash
# Trains CDP-LDA and CDP-LDA+, the rivals in the paper of HDP-LDA. Both protect nobody; they are here for its figures.
#
# Zhao, Zhao, Yang, Wang, Wang, Lyu, Niyato, Lam: Latent Dirichlet Allocation Model Training With Differential Privacy (2020), §VII.
#
#   papers/cdp-lda.sh [--epsilon 1] [--plus] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. CDP-LDA puts Laplace noise of scale 1/ε on the first counts of words by topic and of topics by document,
# and then samples from the raw words: the first release has 2·ε for one word, and all that follow have no bound. CDP-LDA+ adds new
# noise in each round, to that of the rounds before. The report says ∞.
#
#   --epsilon 1       ε that the paper claims for a release
#   --plus            CDP-LDA+
#   --beta 0.01       Dirichlet prior of a topic's words
#   --alpha 1         Dirichlet prior of a document's topics
#   --topics 50       number of topics K
#   --rounds 100      number of rounds, each of one sweep, after the first counts
#   --delta 1e-6      δ of the report
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --held FILE       held-out text to score the model on; no ε covers the score. That of documents of tokenize --public (.pp) is on
#                     the page, too
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each round, too
#   --streams         keep the parameters of all rounds in OUT/public/params.pp, and the contributions, which are private, in
#                     OUT/private/contributions.pp, for evaluate attack topics; such a run cannot resume
#   --seed 1          seed of the parameters of the first round; the coins have a key, OUT/private/gibbs.key
#
# Over Kafka, each stage in its own process (../kafka/README.md). The topics get one partition, because one process answers all documents.
# The first counts of CDP-LDA go over pipes:
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"
source "$papers/sampled.sh"

epsilon=1 plus='' beta=0.01
take "epsilon plus! beta ${sampled_flags% workers partitions}" "$@"
real epsilon
noise=$(awk "BEGIN {print 1 / $epsilon}")
sampled_documents "--epsilon $epsilon --plus ${plus:-no} --beta $beta"

sample=(--all --rounds "$rounds")
estep=(collapsed --statistic increments --document-noise "$noise")
learned=(counts --eta "$beta" --denoise floor)
keeps_topics coupled
if [[ $plus ]]; then
  word_grant "$shown/grant.json" --mechanism laplace --noise-multiplier "$noise" --all --rounds "$rounds" --clipping unbounded --claim paper
  estep+=(--noise-each-round)
  privatize=(laplace --grant "$shown/grant.json" --ledger "$inside/run.ledger")
  sampled_model "${learned[@]}"
  exit
fi

# first releases the counts of topics that are drawn uniformly. No draw depends on a word yet.
first() {
  rm -f -- "$inside/first-params"
  mkfifo -- "$inside/first-params"
  pipeline sample --all --rounds 1 --run "$run-first" "$inside/documents.pp" \
    -- estep gibbs --keep --sweeps 0 --statistic increments "${counts[@]}" --secret "$inside/first.key" --state "$inside/first-state.pp" \
    --params "$inside/first-params" \
    -- privatize laplace --run "$run-first" --grant "$shown/first-grant.json" --ledger "$inside/run.ledger" \
    -- mstep "${learned[@]}" --run "$run-first" --topics "$topics" --alpha "$alpha" --seed "$seed" "${vocabulary[@]}" \
    --params-out "$inside/first-params" -o "$inside/first.pp"
  rm -f -- "$inside/first-params"
}
word_grant "$shown/first-grant.json" --mechanism laplace --noise-multiplier "$noise" --all --rounds 1 --clipping proved --sensitivity 2
keep "$inside/first.key" secret_key "$inside/first.key"
keep "$inside/first.pp" first
estep+=(--initial-state "$inside/first-state.pp")
privatize=(none --ledger "$inside/run.ledger")
sampled_model "${learned[@]}" --initial-counts "$inside/first.pp"
