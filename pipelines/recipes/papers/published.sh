# The recipes of the papers' topic models source this file after stages.sh. A recipe sets its variables, calls published_documents,
# plans its grant, fills the arrays sample, estep, privatize and mstep, and calls published_model.

privatize=() trace=''

# published_documents SETTINGS begins the folder: its documents and its ledger.
published_documents() {
  [[ -z $trace || -n $held ]] || fail "--trace needs --held"
  positive topics
  text_and_folder
  same "$1"
  keep "$inside/documents.pp" documents "$text" "$inside/documents.pp"
  whose
  begin "$inside/run.ledger"
}

# count_documents sets $population, and refuses a larger $batch, or too few documents; the folder then accepts other settings. Under
# replace-one neighbours have the same number of documents, so this number is public.
count_documents() {
  population=$(show "$inside/documents.pp" | grep -c '^{"document"')
  [[ ${sigma:-} == none || -e $shown/grant.json ]] || enough "$population"
  ((batch <= population)) || { rm -f -- "$inside/documents.pp" && fail "--batch $batch is larger than the number of documents"; }
}

# number MEMBER prints the number of this name in the JSON of account.
number() { sed -n 's/.*"'"$1"'":\([-+.e0-9]*\).*/\1/p'; }

# published_grant FLAG… plans the grant with these flags of account plan-paper. The noise is in units of the clip.
published_grant() {
  keep "$shown/grant.json" account plan-paper --non-negative --claim paper --ledger "$inside/run.ledger" --model lda \
    --matrix "topics=${topics}xV" "${vocabulary[@]}" -o "$shown/grant.json" "$@"
}

# present_published presents the model. The "unigram" of its scores is the model's own marginal, with its noise. That of the exact word
# frequencies of the text, which no ε covers, stays behind the wall.
present_published() {
  if [[ -n $held && -z ${no_page:-} ]]; then
    held_documents
    begin "$inside/unigram.ledger" 2>/dev/null
    keep "$inside/unigram.pp" pipeline sample -q --all "$inside/documents.pp" -- estep words -q -- privatize none -q --ledger "$inside/unigram.ledger" \
      -- mstep words -q "${vocabulary[@]}" -o "$inside/unigram.pp"
    estep words -q --score --model "$inside/unigram.pp" "$inside/held.pp" | evaluate perplexity -q -o "$inside/unigram.txt"
    echo "$(basename "$0"): unigram below is of the model's own word frequencies, with its noise; that of the text's own is in $inside/unigram.txt" >&2
  fi
  present "$inside/run.ledger"
}

# published_model trains with the M-step that the papers have in common, and reports. What a paper claims stands in the report
# below what holds.
published_model() {
  privatize+=(--grant "$shown/grant.json" --ledger "$inside/run.ledger")
  mstep=(lda-paper --topics "$topics" "${vocabulary[@]}" --tau0 "$tau0" --kappa "$kappa" --seed "$seed" --negatives zero
    --average-from 1 --beta expected-log)
  [[ -z $trace ]] || mstep+=(--models "$shown/models")
  topics_of_run
  train
  present_published
}
