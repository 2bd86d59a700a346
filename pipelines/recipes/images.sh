# The recipes of sigmoid belief networks source this file after stages.sh and rows.sh. A recipe sets its variables, calls
# images_and_folder and image_documents, plans its grant, fills the arrays sample, estep, privatize and mstep, and calls belief_network.

# image_flags are the flags of all these recipes, for take. The defaults follow.
image_flags="image bernoulli! hidden seed held title force! brokers run workers partitions"
image=28x28 bernoulli='' hidden=50 force='' unit='' units=images

# images_and_folder takes the arguments IMAGES and OUT, checks the flags before any image is read, and makes the folder.
images_and_folder() {
  [[ ${#arguments[@]} == 2 ]] || fail "wants IMAGES and OUT, see --help"
  positive hidden
  seeded
  tokenize features --dry-run --image "$image"
  pixels=$((${image/x/*}))
  estep sbn --dry-run --bounds --hidden "$hidden" --pixels "$pixels"
  text_and_folder
}

# image_documents SETTINGS begins the folder: its images, and the pixels, which are the vocabulary.
image_documents() {
  same "$1 --image $image --bernoulli ${bernoulli:-no} --hidden $hidden --seed $seed dataset $dataset"
  keep "$shown/pixels.txt" tokenize features --image "$image" -o "$shown/pixels.txt"
  vocabulary=(--vocab "$shown/pixels.txt")
  keep "$inside/documents.pp" documents "$text" "$inside/documents.pp"
  whose
}

# bounds FLAG… writes the shapes and the bounds of the statistics to $shown/bounds.txt.
bounds() { keep "$shown/bounds.txt" estep sbn --bounds --hidden "$hidden" --pixels "$pixels" "$@" -o "$shown/bounds.txt"; }

# belief_network LEDGER trains and reports: what the ledger has spent, with --held how many pixels are right, beside the mean of the
# training images, and the page. Pictures and the page show public images only.
belief_network() {
  local ledger=$1 predictions='' picture=()
  mstep+=(--hidden "$hidden" --seed "$seed" "${vocabulary[@]}")
  topics_of_run
  train
  account report --delta "$delta" -o "$shown/report.txt" "$ledger"
  cat "$shown/report.txt"
  rm -f -- "$shown/picture.png"
  if [[ $held ]]; then
    held_documents
    predictions=$inside/predictions.pp
    estep sbn --score --model "$shown/model.pp" -o "$predictions" "$inside/held.pp"
    ! public "$predictions" || picture=(--picture "$shown/picture.png")
    evaluate pixels --mean "$inside/documents.pp" "${picture[@]}" -o "$inside/right.txt" "$predictions"
    cat "$inside/right.txt"
  fi
  page "$ledger" ${predictions:+--predictions "$predictions"}
  made "$ledger" "@estep sbn --score --model $(printf '%q ' "$shown/model.pp" "$inside/documents.pp")| @evaluate pixels --mean $(printf %q "$inside/documents.pp")"
}
