#!/usr/bin/env bash
# Draws figures 8 to 10 of HDP-LDA's paper: perplexity of O-LDA and OLP-LDA batch by batch, by the size of the prior data, and by the size of
# the batches, for one text, as sets of words.
#
#   papers/figures/F13.sh --prior PRIOR [FLAG…] TEXT HELD OUT
#
# PRIOR, TEXT and HELD are public, of the same kind: nothing here protects anybody. corpus.sh makes those of the paper. OUT is a folder. PRIOR
# begins the model and stays public in the paper, too. TEXT comes in batches.
#
#   --epsilons "1 3 5"
#                     ε₁ of a bit; O-LDA without noise is beside them
#   --other-priors FILES
#                     more prior texts, of other sizes, at the middle ε₁
#   --batches 15      number of batches
#   --other-batches "8 30"
#                     other numbers of batches, at the middle ε₁; "none" for no others
#   --sweeps 50       sweeps over a batch
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system; the figure has their mean and range
#   --seed 1          seed of what is rebuilt in the first run; the coins of each run are fresh
#   --quick           a small figure: ε₁ 3, no other numbers of batches, 4 batches, 20 sweeps, 5 topics
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilons='' prior='' other_priors='' batches='' other_batches='' sweeps='' topics=''
take "epsilons prior other-priors batches other-batches sweeps topics vocab runs seed quick!" "$@"
epsilons=${epsilons:-$([[ $quick ]] && echo 3 || echo 1 3 5)}
batches=${batches:-$([[ $quick ]] && echo 4 || echo 15)}
other_batches=${other_batches:-$([[ $quick ]] && echo none || echo 8 30)}
sweeps=${sweeps:-$([[ $quick ]] && echo 20 || echo 50)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
spread=$([[ $quick ]] && echo 0.04 || echo 0.012) likelihood=plug-in sets=yes # of perplexities: a small text, or KOS
positive batches sweeps
runs=${runs:-3}
figure_begin
enough_documents
[[ -n $prior ]] || fail "wants --prior, see --help"
for file in "$prior" $other_priors; do
  [[ -f $file ]] || fail "no such text: $file"
done
read -ra all_epsilons <<<"$epsilons"
middle=${all_epsilons[$((${#all_epsilons[@]} / 2))]}

# batch_by_batch PANEL SERIES NUMBER draws the perplexities of the last system after each of its NUMBER of batches, by the documents in them.
batch_by_batch() {
  local of
  for of in "${folders[@]}"; do
    awk -v size="$(awk "BEGIN {print $population / $3}")" 'NR > 1 && $1 ~ /^[0-9]+$/ {printf "%.0f,%s\n", $1 * size, $3}' "$of/public/by-round.txt"
  done | sort -s -t , -k 1,1n | sed "s/^/$1,$2,line,/" >>"$out/$name.csv"
}

learned=(lp-lda.sh --trace --sweeps "$sweeps")
with_prior=(--prior "$prior" --omega 0.4)
system "${learned[@]}" --batches "$batches" --epsilon none "${with_prior[@]}"
exact=$perplexities
batch_by_batch "by batch" "O-LDA" "$batches"
for epsilon in $epsilons; do
  system "${learned[@]}" --batches "$batches" --epsilon "$epsilon" "${with_prior[@]}"
  batch_by_batch "by batch" "ε₁ = $epsilon" "$batches"
  if holds "$epsilon >= 3"; then
    # A small text has too few reports for so small a difference.
    finding "$([[ $quick ]] && echo printed || echo must)" "after the last batch: $(summary "OLP-LDA, ε₁ = $epsilon," "$perplexities") is within 3 % of $(summary O-LDA "$exact")" \
      "$(mean "$perplexities") < 1.03 * $(mean "$exact")"
  fi
  [[ $epsilon != "$middle" ]] || ours=$perplexities our_folders=("${folders[@]}")
done
system "${learned[@]}" --batches "$batches" --epsilon "$middle"
batch_by_batch "by batch" "ε₁ = $middle without prior data" "$batches"
order must "prior data helps, ε₁ = $middle" "with it" "$ours" "without it" "$perplexities"
# besides PANEL SERIES draws the system of the first panel again, beside those of another size.
besides() {
  local folders=("${our_folders[@]}")
  batch_by_batch "$1" "$2" "$batches"
}
[[ -z $other_priors ]] || besides "by prior data at ε₁ = $middle" "$(basename "$prior")"
for file in $other_priors; do
  system "${learned[@]}" --batches "$batches" --epsilon "$middle" --prior "$file" --omega 0.4
  batch_by_batch "by prior data at ε₁ = $middle" "$(basename "$file")" "$batches"
  finding measured "$(summary "prior data of $file" "$perplexities"); of $(summary "$prior" "$ours")" -
done
[[ $other_batches == none ]] || besides "by number of batches at ε₁ = $middle" "$batches batches"
for count in ${other_batches/none/}; do
  system "${learned[@]}" --batches "$count" --epsilon "$middle" "${with_prior[@]}"
  batch_by_batch "by number of batches at ε₁ = $middle" "$count batches" "$count"
  within 5 "ε₁ = $middle" "$count batches" "$perplexities" "$batches batches" "$ours"
done
spread_found
figure_end --title "O-LDA and OLP-LDA (HDP-LDA, figures 8 to 10)" --x "documents in the batches so far" --y "held-out perplexity per word (plug-in)" \
  --note "$population documents as sets of words in $batches batches, $topics topics; lower is better; runs: $runs"
