# The recipes of the papers' Gibbs samplers source this file after stages.sh and published.sh. A recipe calls sampled_documents, plans its
# grant by word_grant, fills the arrays sample, estep, privatize and mstep, and calls sampled_model.

scorer=gibbs

# sampled_flags are the flags of these recipes, for take. The defaults follow.
sampled_flags="topics alpha rounds delta trace! streams! $shared"
topics=50 alpha=1 rounds=100 delta=1e-6 streams=''

# counts is the statistic of a word's guarantee: whole numbers, in which a word counts once.
counts=(--top-topics 0 --word-weight count --norm 0)

# unused WHY NAME… refuses flags that were given, whose default the recipe has not set yet, and which it would ignore.
unused() {
  local why=$1 name value
  for name in "${@:2}"; do
    value=${name//-/_}
    [[ -z ${!value} ]] || fail "$why --$name"
  done
}

# sampled_documents SETTINGS begins the folder: its documents and its ledger.
sampled_documents() {
  positive topics rounds
  real alpha beta delta
  holds "$delta < 1" || fail "--delta must be below 1, is $delta"
  seeded
  [[ -z $streams || -z $brokers ]] || fail "--streams is for pipes: topics keep their streams themselves"
  published_documents "$1 --topics $topics --alpha $alpha --rounds $rounds --seed $seed"
}

# word_grant FILE FLAG… plans a grant for neighbours that differ in one word, which another replaces. Documents and their lengths are
# public. The noise is in units of one word.
word_grant() {
  keep "$1" account plan-paper --unit word --adjacency replace-one --clip 1 --ledger "$inside/run.ledger" --model lda \
    --matrix "topics=${topics}xV" "${vocabulary[@]}" -o "$@"
}

# sampled_model COMMAND FLAG… trains by this command of mstep with these flags, and reports.
sampled_model() {
  mstep=("$1" --topics "$topics" --alpha "$alpha" --seed "$seed" "${vocabulary[@]}" "${@:2}")
  [[ -z $trace ]] || mstep+=(--models "$shown/models")
  topics_of_run
  train
  present_published
}

# ceiling EPSILON BETA prints the C at which 2·ln(C/β + 1), the loss of a draw, is EPSILON (HDP-LDA, theorem 3).
ceiling() { awk "BEGIN {printf \"%.9g\", $2 * (exp($1 / 2) - 1)}"; }
