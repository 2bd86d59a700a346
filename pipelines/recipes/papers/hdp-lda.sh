#!/usr/bin/env bash
# Trains HDP-LDA: Gibbs sampling whose guarantee is for one word.
#
# Zhao, Zhao, Yang, Wang, Wang, Lyu, Niyato, Lam: Latent Dirichlet Allocation Model Training With Differential Privacy (2020), Algorithm 1.
#
#   papers/hdp-lda.sh [--epsilon-laplace 1] [--inherent 10] [--printed] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. Neighbours differ in one word, which another replaces. The topics of all words count as released: each
# round loses ε_L by the noise on the counts and ε_I by the draw of the word's topic. With ε_L = 1, ε_I = 10 and 100 rounds that is
# ε = 1,100 for one word. A document of 90 words has 90 times as much, so this protects no document. Use gibbs.sh for a guarantee that
# means something. By default the noise is new in each round, and draws read only counts that were released before the round:
# then the theorem holds. The model is better, too.
#
#   --epsilon-laplace 1   ε_L of a round: Laplace noise of scale 2/ε_L on each count; "none" for no noise on the counts, which is the
#                         paper's curve "limited inherent", and private in nobody's books
#   --inherent 10         ε_I of a round: counts are clipped to C = β·(e^(ε_I/2) − 1)
#   --printed             as printed: counts follow each draw, and noise piles up in them. The paper's theorem 3 is wrong here, and the
#                         report says ∞ beside the claim
#   --beta 1              Dirichlet prior of a topic's words; with the paper's 0.01 the clip leaves nothing
#   --alpha 1             Dirichlet prior of a document's topics
#   --topics 50           number of topics K
#   --rounds 100          number of rounds, each of one sweep
#   --delta 1e-6          δ of the report
#   --vocab FILE          public vocabulary; by default 12,000 English words
#   --columns LIST        names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'       character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE        public list of phrases, each of which counts as one word, which --vocab must have
#   --held FILE           held-out text to score the model on; no ε covers the score. That of documents of tokenize --public (.pp) is on
#                         the page, too
#   --title TEXT          title of the page, which all may read; by default the name of TEXT
#   --trace               score the model after each round, too
#   --streams             keep the parameters of all rounds in OUT/public/params.pp, and the contributions, which are private, in
#                         OUT/private/contributions.pp, for evaluate attack topics; such a run cannot resume
#   --seed 1              seed of the parameters of the first round; the coins have a key, OUT/private/gibbs.key
#
# Over Kafka, each stage in its own process (../kafka/README.md); with --printed the topics get one partition:
#
#   --brokers HOSTS       HOST[:PORT] of some brokers, with commas
#   --run NAME            name of the run and its topics; by default the name of the folder OUT
#   --partitions 4        number of partitions of the topics, each with an estep process
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"
source "$papers/sampled.sh"

epsilon_laplace=1 inherent=10 printed='' beta=1 partitions=''
take "epsilon-laplace inherent printed! beta ${sampled_flags/ workers/}" "$@"
[[ -z $printed ]] || unused "--printed has one partition, and ignores" partitions
partitions=${partitions:-4}
[[ $epsilon_laplace == none ]] || real epsilon-laplace
real inherent
holds "$inherent <= 1000" || fail "--inherent must be at most 1000, is $inherent"
[[ $epsilon_laplace != none || -z $printed ]] || fail "--printed needs noise on the counts"
sampled_documents "--epsilon-laplace $epsilon_laplace --inherent $inherent --printed ${printed:-no} --beta $beta"

sample=(--all --rounds "$rounds")
noise=(--mechanism laplace --draws "$inherent" --all --rounds "$rounds")
[[ $epsilon_laplace == none ]] || noise+=(--noise-multiplier "$(awk "BEGIN {print 2 / $epsilon_laplace}")")
learned=(counts --eta "$beta" --denoise floor --ceiling "$(ceiling "$inherent" "$beta")")
if [[ $printed ]]; then
  word_grant "$shown/grant.json" "${noise[@]}" --clipping unbounded --claim paper
  estep=(collapsed --statistic increments --draws "$inherent")
  keeps_topics coupled
else
  [[ $epsilon_laplace == none ]] || word_grant "$shown/grant.json" "${noise[@]}" --clipping proved --sensitivity 2
  estep=(gibbs --keep --statistic counts "${counts[@]}" --draws "$inherent")
  learned+=(--statistic counts)
  keeps_topics
fi
if [[ $epsilon_laplace == none ]]; then
  privatize=(none --ledger "$inside/run.ledger")
else
  privatize=(laplace --grant "$shown/grant.json" --ledger "$inside/run.ledger")
fi
sampled_model "${learned[@]}"
