#!/usr/bin/env bash
# Trains LP-LDA: each author reports her own document, with bits that may be wrong, and the server rebuilds documents from the reports. With
# --batches it is OLP-LDA, which learns from one batch after another.
#
# Zhao, Zhao, Yang, Wang, Wang, Lyu, Niyato, Lam: Latent Dirichlet Allocation Model Training With Differential Privacy (2020), §V and §VI.
#
#   papers/lp-lda.sh [--epsilon 3 | --document-epsilon X] [--batches 15 --prior PUBLIC] [FLAG…] TEXT OUT
#
# TEXT and OUT are as in lda.sh. A report says of each word of the vocabulary whether the document has it, and each of these bits is wrong
# with probability 1/(1 + exp(ε₁)). The paper states ε₁, which holds for one bit. Two documents of N words differ in up to 2N bits, so a
# document has up to 2N·ε₁: the report of the ledger says ε of a document, which is in the hundreds or thousands. Here one process reports
# all documents, as authors would (see PRIVACY.md): they trust nobody, and everything after a report is public. Reports have no counts, so
# the model is of sets of words, and so is the score.
#
# --document-epsilon is ours, not the paper's: a report has a few words, most of them of its document, whose ε is X. At equal ε of a document it
# is far better (README.md has numbers).
#
#   --epsilon 3       ε₁ of a bit; none: documents are reported as they are, without privacy
#   --document-epsilon X
#                     ε of a whole document, instead of --epsilon
#   --report-words K  words drawn for a report, of --document-epsilon; by default X/log(10·V/N), so that some nine of ten are true
#   --most-words N    words of a document that count; by default all of the vocabulary, as in the paper; 100 with --document-epsilon
#   --topics 50       number of topics K
#   --alpha 1         Dirichlet prior of a document's topics
#   --beta 0.01       Dirichlet prior of a topic's words
#   --sweeps 100      sweeps over all words; with --batches over those of a batch, by default 50
#   --batches 1       number of batches; from 2 on each is learned once, with the topics of those before as prior
#   --correlation 0.5 λ, the share of a batch's counts in the prior of the next; auto: learned
#   --prior FILE      public text of documents like those of TEXT. It begins the model, and the estimate of each word is mixed with its
#                     frequency there and in the batches before
#   --omega auto      weight of that frequency, 0.4 in the paper; auto: estimated from each batch
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --held FILE       held-out text to score the model on, as sets of words; no ε covers the score
#   --title TEXT      title of the page, which all may read; by default the name of TEXT
#   --trace           score the model after each batch, too
#   --delta 1e-6      δ of the report
#   --seed 1          seed of what is rebuilt
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"

epsilon='' document_epsilon='' report_words='' most_words='' topics=50 alpha=1 beta=0.01 sweeps='' batches=1 correlation=0.5 prior='' omega=auto delta=1e-6 scorer=gibbs
take "epsilon document-epsilon report-words most-words topics alpha beta sweeps batches correlation prior omega delta trace! ${shared% brokers run workers partitions}" "$@"
[[ -z $epsilon || -z $document_epsilon ]] || fail "--epsilon is of a bit, --document-epsilon of a document: give one"
[[ -z $report_words || -n $document_epsilon ]] || fail "--report-words belongs to --document-epsilon"
epsilon=${epsilon:-3}
[[ $epsilon == none ]] || real epsilon
[[ -z $document_epsilon ]] || real document-epsilon
[[ -z $report_words ]] || positive report-words
positive batches
sweeps=${sweeps:-$((batches > 1 ? 50 : 100))}
positive sweeps
[[ -z $most_words ]] || positive most-words
real alpha beta delta
holds "$delta < 1" || fail "--delta must be below 1, is $delta"
if [[ $correlation != auto ]]; then
  real correlation
  holds "$correlation <= 1" || fail "--correlation must be at most 1, is $correlation"
fi
[[ $omega =~ ^(auto|0|1|0?\.[0-9]+)$ ]] || fail "--omega must be in [0, 1] or auto, is $omega"
[[ -z $prior || -e $prior ]] || fail "no such text: $prior"
[[ -z $prior || $batches != 1 ]] || fail "--prior is for --batches: without batches nothing comes before"
seeded
sets=yes
published_documents "--epsilon $epsilon --most-words ${most_words:-all} --topics $topics --alpha $alpha --beta $beta --sweeps $sweeps \
--batches $batches --correlation $correlation --omega $omega --prior $([[ -z $prior ]] || checksum "$prior") --seed $seed\
${document_epsilon:+ --document-epsilon $document_epsilon --report-words ${report_words:-auto}}"

estep=(collapsed --statistic counts)
last=(counts --statistic counts --denoise floor) learned=(--topics "$topics" --alpha "$alpha" --eta "$beta" --seed "$seed" "${vocabulary[@]}")
keeps_topics coupled

# Documents as they leave their authors. Without privacy they stay private.
reported=$inside/documents.pp rebuild=(cat) privatize=(none --ledger "$inside/run.ledger")
if [[ $epsilon != none ]]; then
  all_words=$(show "$inside/documents.pp" | sed -n '1s/.*"vocabulary_size":\([0-9]*\).*/\1/p')
  few=()
  if [[ $document_epsilon ]]; then
    most_words=${most_words:-$((all_words < 100 ? all_words : 100))}
    report_words=${report_words:-$(awk "BEGIN {n = $most_words; k = int($document_epsilon / log(10 * (n < $all_words ? $all_words / n : 1))); print (k < 1 ? 1 : k > n ? n : k)}")}
    epsilon=$document_epsilon/$report_words few=(--report-words "$report_words")
  fi
  keep "$shown/grant.json" account plan-words --mechanism randomized-response --flip "$(awk "BEGIN {printf \"%.17g\", 1 / (1 + exp($epsilon))}")" \
    --max-words "${most_words:-$all_words}" "${few[@]}" "${vocabulary[@]}" -o "$shown/grant.json"
  keep "$inside/reports.pp" pipeline privatize randomized-response --grant "$shown/grant.json" --ledger "$inside/run.ledger" --run "$run" \
    -o "$inside/reports.pp" "$inside/documents.pp"
  reported=$inside/reports.pp rebuild=(mstep reconstruct --grant "$shown/grant.json" --seed "$seed") privatize=(none)
fi

# prior_model trains on the public text before the first batch.
prior_model() {
  rm -f -- "$inside/prior-params"
  mkfifo -- "$inside/prior-params"
  pipeline sample --all --rounds 100 --run "$run-prior" "$inside/prior.pp" \
    -- estep collapsed --statistic counts --secret "$inside/gibbs.key" --state "$inside/prior-state.pp" --params "$inside/prior-params" \
    -- privatize none --run "$run-prior" \
    -- mstep "${last[@]}" "${learned[@]}" --run "$run-prior" --params-out "$inside/prior-params" -o "$inside/prior-model.pp"
  rm -f -- "$inside/prior-params"
}

if ((batches > 1)); then
  estep+=(--sweeps "$sweeps")
  mstep=(online --correlation "$correlation" "${learned[@]}")
  if [[ -n $prior ]]; then
    public_text=yes keep "$inside/prior.pp" documents "$prior" "$inside/prior.pp"
    keep "$inside/prior-model.pp" prior_model
    mstep+=(--initial-counts "$inside/prior-model.pp")
    [[ $epsilon == none ]] || rebuild+=(--prior "$inside/prior.pp")
    [[ $epsilon == none || $omega == auto ]] || rebuild+=(--omega "$omega")
  fi
  rounds() { sample --epoch --rounds "$batches" "${kept[@]}" "$reported" | "${rebuild[@]}"; }
else
  mstep=("${last[@]}" "${learned[@]}")
  if [[ $epsilon != none ]]; then
    keep "$inside/rebuilt.pp" pipeline "${rebuild[@]}" -o "$inside/rebuilt.pp" "$reported"
    reported=$inside/rebuilt.pp
  fi
  rounds() { exec sample --all --rounds "$sweeps" "${kept[@]}" "$reported"; } # a sweep in each round
fi
[[ -z $trace ]] || mstep+=(--models "$shown/models")
train
present_published
