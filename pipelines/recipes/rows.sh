# The recipes of logistic regression source this file after stages.sh, and those of images.sh for its budget. A recipe sets its
# variables, calls rows_and_folder and row_documents, plans its grant, fills the arrays sample, estep, privatize and mstep, and calls
# classifier. One that has no rounds trains by itself, and calls predictor.

# row_flags are the flags of all these recipes, for take. The defaults follow.
row_flags="schema delimiter positive held title force! brokers run workers partitions"
positive=1 force='' unit='' units=rows

# budget_flags are those of the recipes that plan by add-remove, beside them.
budget_flags="epsilon sigma delta rate rounds unit ledger dataset"
epsilon='' sigma='' delta=1e-6 ledger='' dataset=default

# whole_budget checks these flags, before any row is read, and fills ${scheme[@]} and ${budget[@]} for account plan. It sets $noise to
# none where --sigma is none.
whole_budget() {
  positive rounds
  real rate delta
  holds "$rate <= 1" || fail "--rate must be at most 1, is $rate"
  [[ $unit =~ ^(|document|user)$ ]] || fail "--unit must be document or user, is $unit"
  [[ $sigma != none || -z $ledger ]] || fail "--sigma none would spend the ledger for ever: leave --ledger out"
  [[ -z $epsilon || -z $sigma ]] || fail "--epsilon and --sigma both set the noise: give one of them"
  scheme=(--all --rounds "$rounds")
  ! holds "$rate < 1" || scheme=(--poisson "$rate" --rounds "$rounds")
  if [[ $sigma ]]; then
    [[ $sigma == none ]] || real sigma
    budget=(--noise-multiplier "$sigma" --delta "$delta")
  else
    epsilon=${epsilon:-1}
    real epsilon
    budget=(--epsilon "$epsilon" --delta "$delta")
  fi
  [[ $sigma == none ]] || account plan -q --dry-run "${budget[@]}" "${scheme[@]}"
}

# rows_and_folder takes the arguments TRAIN and OUT and makes the folder.
rows_and_folder() {
  [[ ${#arguments[@]} == 2 ]] || fail "wants TRAIN and OUT, see --help"
  [[ $schema ]] || fail "wants --schema, a public schema of the columns"
  [[ -f $schema ]] || fail "no such schema: $schema"
  [[ $positive =~ ^[^[:space:]]+$ ]] || fail "--positive must be one word, is $positive"
  tokenize features --dry-run --schema "$schema"
  text_and_folder
}

# row_documents SETTINGS begins the folder: its rows, and the features of the schema, which are the vocabulary.
row_documents() {
  same "$1 --positive $positive dataset $dataset"
  keep "$shown/features.txt" tokenize features --schema "$schema" -o "$shown/features.txt"
  vocabulary=(--vocab "$shown/features.txt")
  keep "$inside/documents.pp" documents "$text" "$inside/documents.pp"
  whose
}

# row_grant FLAG… begins the ledger and plans the grant with these flags of account plan. It fills the arrays sample and privatize.
row_grant() {
  [[ $charged != own ]] || begin "$ledger"
  whole "$ledger"
  sample=("${scheme[@]}" --unit "${unit:-document}" --run "$run")
  if [[ $sigma == none ]]; then
    privatize=(none --run "$run" --ledger "$ledger")
    return
  fi
  sample=("${scheme[@]}" --unit "${unit:-document}")
  data_set "$ledger"
  [[ -z $epsilon ]] || gate
  plan_grant "$shown/grant.json" "${budget[@]}" "${scheme[@]}" "${beside[@]}" "${vocabulary[@]}" "$@"
  [[ -z $epsilon ]] || weigh
  privatize=(--grant "$shown/grant.json" --ledger "$ledger" --dataset "$dataset")
}

# default_norm prints a norm that no row passes: each column gives at most one feature that is not 0, and it is at most 1. A category's
# features have the name of its column before the =.
default_norm() { sed 's/=.*//' "$shown/features.txt" | uniq | awk 'END {printf "%.9g", sqrt(NR)}'; }

# classifier LEDGER FLAG… trains and reports, by estep with these flags.
classifier() {
  mstep+=("${vocabulary[@]}")
  topics_of_run
  train
  predictor "${estep[0]}" "$@"
}

# predictor MODEL LEDGER FLAG… reports what the ledger has spent, with --held how well the model predicts, by estep MODEL with these flags,
# and makes the page.
predictor() {
  local model=$1 ledger=$2 predictions=() to
  shift 2
  account report --delta "$delta" -o "$shown/report.txt" "$ledger"
  cat "$shown/report.txt"
  rm -f -- {"$shown","$inside"}/auc.txt
  if [[ $held ]]; then
    held_documents
    to=$(beside_held)
    estep "$model" --score --model "$shown/model.pp" --positive "$positive" "$@" -o "$inside/scores.pp" "$inside/held.pp"
    evaluate auc -o "$to/auc.txt" "$inside/scores.pp"
    cat "$to/auc.txt"
    predictions=(--predictions "$inside/scores.pp")
  fi
  page "$ledger" "${predictions[@]}"
  made "$ledger" "@estep $model --score --positive $(printf '%q ' "$positive" "$@" --model "$shown/model.pp" "$inside/documents.pp")| @evaluate auc"
}
