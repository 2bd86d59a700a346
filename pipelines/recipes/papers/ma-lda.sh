#!/usr/bin/env bash
# Trains the private topic model of the moments accountant paper as published, and reports its actual ε.
#
# Park, Foulds, Chaudhuri, Welling: Private Topic Modeling (NIPS workshop 2016), Algorithm 1.
#
#   papers/ma-lda.sh [--sigma 1.24] [--clip document] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. Use lda.sh for a better model at the same ε.
#
#   --sigma 1.24      noise scale divided by the paper's sensitivity a·N
#   --clip document   bound the statistics of each document by a·N, which makes a·N sound; or of the whole minibatch (batch), as
#                     equation 9 prints. Then one document may move the sum by √2·a·N, and the model learns next to nothing
#   --rate 0.05       probability of the coin that puts a document into a round
#   --rounds R        number of rounds; by default one pass, 1/rate
#   --length 500      N: each document is resampled to this many words, with replacement, as in the authors' program
#   --share 0.1       a
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --tau0 1024       ρ_t = (τ0+t)^−κ
#   --kappa 0.7
#   --delta 1e-4      δ of the report
#   --held FILE       held-out text to score the model on; no ε covers the score. That of documents of tokenize --public (.pp) is on
#                     the page, too
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each round, too
#   --seed 1          seed of the random first topics
#
# Over Kafka, each stage in its own process (../kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
#
# The paper's own setting is σ 1.24, a rate of 0.05, 20 rounds and δ 1e-4. For it the paper's accountant claims ε = 2.44. With
# --clip document, privacy loss distributions prove 0.93: account compare --noise-multiplier 1.24 --poisson 0.05 -T 20 --delta 1e-4
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"

sigma=1.24 clip=document rate=0.05 rounds='' length=500 share=0.1 topics=50 tau0=1024 kappa=0.7
delta=1e-4
take "sigma clip rate rounds length share topics tau0 kappa delta trace! $shared" "$@"
[[ $clip =~ ^(document|batch)$ ]] || fail "--clip must be document or batch, is $clip"
# Wrong flags fail here, before the text is read.
account plan -q --dry-run --noise-multiplier="$sigma" --delta="$delta" --poisson="$rate" --rounds="${rounds:-1}"
rounds=${rounds:-$(awk "BEGIN {printf \"%.0f\", 1 / $rate}")}
published_documents "--sigma $sigma --clip $clip --rate $rate --rounds $rounds --length $length --share $share --topics $topics \
--tau0 $tau0 --kappa $kappa --seed $seed"

whole=()
[[ $clip == document ]] || whole=(--clipping batch)
published_grant --noise-multiplier "$sigma" --clip "$(awk "BEGIN {print $share * $length}")" "${whole[@]}" --poisson "$rate" --rounds "$rounds"
sample=(--poisson "$rate" --rounds "$rounds")
estep=(lda --length "$length" --resample --top-topics 0 --word-weight count --norm 0 --iterations 100)
published_model
