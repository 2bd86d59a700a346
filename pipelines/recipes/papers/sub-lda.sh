#!/usr/bin/env bash
# Trains SUB-LDA: Gibbs sampling that draws only a sample of the words again in each round.
#
# Zhao, Zhu, Zhang: SUB-LDA, Algorithm 1.
#
#   papers/sub-lda.sh [--level document|word|printed|literal] [--gamma 0.5] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. The paper samples words, and claims that this amplifies the guarantee of a word. It does not: the released
# counts hold all words, and the topics, which count as released, show which words were drawn. The default samples documents in place
# of words; then the theorem holds, and the guarantee is for a document.
#
#   --level document  whom the guarantee is for: a document, by --epsilon and --delta; a word (word), with noise and draws of each round
#                     and no amplification, so that ε is in the hundreds; or as printed (printed), where the report says ∞ beside
#                     the claim. Both have noise once a round, of which the paper's ε is. Algorithm 1 has it in the loop
#                     over drawn words: literal adds it before each draw, to the word's counts in all topics, and its report
#                     says ∞ alone
#   --gamma 0.5       γ, the sampling rate of a round: of documents, or of words
#   --epsilon 1       ε of level document
#   --delta 1e-6      δ of the report
#   --epsilon-at-order 2
#                     ε(α) of the noise in a round, for the other levels: σ² = α/(2·ε(α)), by the paper for a change of 1
#   --order 14        α
#   --inherent 10     ε_I of a round for the other levels: counts are clipped to C = β·(e^(ε_I/2) − 1)
#   --adaptive V      for the other levels: draw the words that are frequent in their topic with probability V·γ, others more rarely
#   --frequent 0.5    share of a topic that its frequent words have together
#   --least-rate 0.01 probability of the other words; 0 is the paper's, and loses everything at level word
#   --beta 1          for the other levels: Dirichlet prior of a topic's words
#   --alpha 1         Dirichlet prior of a document's topics
#   --topics 50       number of topics K
#   --rounds 100      number of rounds
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --held FILE       held-out text to score the model on; no ε covers the score. That of documents of tokenize --public (.pp) is on
#                     the page, too
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each round, too
#   --streams         for the other levels: keep the parameters of all rounds in OUT/public/params.pp, and the contributions, which are private, in
#                     OUT/private/contributions.pp, for evaluate attack topics; such a run cannot resume
#   --seed 1          seed of the parameters of the first round; the coins of kept topics have a key, OUT/private/gibbs.key
#
# Over Kafka, each stage in its own process (../kafka/README.md); at levels printed and literal the topics get one partition:
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes at level document
#   --partitions 4    number of partitions of the topics, each with an estep process at level word
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"
source "$papers/sampled.sh"

level=document gamma=0.5 epsilon='' epsilon_at_order='' order='' inherent='' adaptive='' frequent='' least_rate='' beta='' partitions=''
take "level gamma epsilon epsilon-at-order order inherent adaptive frequent least-rate beta $sampled_flags" "$@"
[[ $level =~ ^(document|word|printed|literal)$ ]] || fail "--level must be document, word, printed or literal, is $level"
case $level in
  document) unused "level document samples documents, and ignores" epsilon-at-order order inherent adaptive frequent least-rate beta ;;
  word) unused "--level word ignores" epsilon ;;
  printed | literal) unused "--level $level ignores" epsilon partitions ;;
esac
[[ $adaptive ]] || unused "without --adaptive all words have one rate, which ignores" frequent least-rate
epsilon=${epsilon:-1} epsilon_at_order=${epsilon_at_order:-2} order=${order:-14} inherent=${inherent:-10} frequent=${frequent:-0.5}
least_rate=${least_rate:-0.01} beta=${beta:-1} partitions=${partitions:-4}
real gamma epsilon epsilon-at-order order inherent frequent
holds "$inherent <= 1000" || fail "--inherent must be at most 1000, is $inherent"
holds "$gamma <= 1" || fail "--gamma must be at most 1, is $gamma"
holds "$frequent <= 1" || fail "--frequent must be at most 1, is $frequent"
[[ $level != document || -z $streams ]] || fail "--streams is for the other levels: level document contributes no topics of words"
if [[ $adaptive ]]; then
  [[ $least_rate == 0 ]] || real least-rate
  holds "$least_rate <= $gamma" || fail "--least-rate must be at most --gamma, is $least_rate"
  real adaptive
  holds "$adaptive > 1 && $adaptive * $gamma < 1" || fail "--adaptive must be above 1 and below 1/γ, is $adaptive"
  [[ $level != word || $least_rate != 0 ]] || fail "--level word needs a --least-rate above 0: a word that is never drawn again shows that it is rare in its topic"
fi
sampled_documents "--level $level --gamma $gamma --epsilon $epsilon --epsilon-at-order $epsilon_at_order --order $order --inherent $inherent \
--adaptive ${adaptive:-no} --frequent $frequent --least-rate $least_rate --beta $beta"

if [[ $level == document ]]; then
  keep "$shown/grant.json" account plan --epsilon "$epsilon" --delta "$delta" --poisson "$gamma" --rounds "$rounds" \
    --ledger "$inside/run.ledger" --model lda --matrix "topics=${topics}xV" "${vocabulary[@]}" -o "$shown/grant.json"
  sample=(--poisson "$gamma" --rounds "$rounds")
  estep=(gibbs)
  if [[ $brokers ]]; then
    keep "$inside/gibbs.key" secret_key "$inside/gibbs.key"
    estep+=(--secret "$inside/gibbs.key")
  fi
  privatize=(--grant "$shown/grant.json" --ledger "$inside/run.ledger")
  sampled_model lda # its topics are estimated as those of lda.sh, without a release of words
  exit
fi

sigma=$(awk "BEGIN {print sqrt($order / (2 * $epsilon_at_order))}")
noise=(--mechanism gaussian --noise-multiplier "$sigma" --draws "$inherent" --all --rounds "$rounds")
sample=(--all --rounds "$rounds")
rates=(--word-rate "$gamma" ${adaptive:+--adaptive "$adaptive" --frequent "$frequent" --least-rate "$least_rate"})
learned=(counts --eta "$beta" --denoise floor --ceiling "$(ceiling "$inherent" "$beta")")
if [[ $level == word ]]; then
  word_grant "$shown/grant.json" "${noise[@]}" --clipping proved --sensitivity 1.4142136
  estep=(gibbs --keep --statistic counts "${counts[@]}" "${rates[@]}" --draws "$inherent")
  learned+=(--statistic counts)
  keeps_topics
elif [[ $level == literal ]]; then
  estep=(collapsed --statistic increments "${rates[@]}" --draw-noise "$sigma")
  keeps_topics coupled
  privatize=(none --ledger "$inside/run.ledger")
  sampled_model "${learned[@]}"
  exit
else
  word_grant "$shown/grant.json" "${noise[@]}" --clipping unbounded --claim paper
  estep=(collapsed --statistic increments "${rates[@]}" --draws "$inherent")
  keeps_topics coupled
fi
privatize=(gaussian --grant "$shown/grant.json" --ledger "$inside/run.ledger")
sampled_model "${learned[@]}"
