#!/usr/bin/env bash
# Draws figure 6 of HDP-LDA's paper: perplexity of LP-LDA and CDP-LDA by ε, for one text, as sets of words.
#
#   papers/figures/F11.sh [FLAG…] TEXT HELD OUT
#
# TEXT and HELD are public, of the same kind: nothing here protects anybody. corpus.sh makes those of the paper. OUT is a folder. A report
# has no counts, so each word of a document counts once, for all systems.
#
#   --epsilons "1 2 3 4 5 6 8"
#                     ε₁ of a bit of LP-LDA, and ε that CDP-LDA claims for its first counts. These are different guarantees: a document has
#                     an ε of thousands under LP-LDA, and none under CDP-LDA
#   --rounds 100      number of sweeps
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first parameters of the first run; the coins and the noise of each run are fresh
#   --quick           a small figure: ε 1 and 8, 30 sweeps, 5 topics
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilons='' rounds='' topics=''
take "epsilons rounds topics vocab runs seed quick!" "$@"
epsilons=${epsilons:-$([[ $quick ]] && echo 1 8 || echo 1 2 3 4 5 6 8)}
rounds=${rounds:-$([[ $quick ]] && echo 30 || echo 100)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
runs=${runs:-3}
spread=$([[ $quick ]] && echo 0.09 || echo 0.012) likelihood=plug-in sets=yes # of perplexities: a small text, or KOS
figure_begin
enough_documents

system lp-lda.sh --sweeps "$rounds" --epsilon none
plain=$perplexities
local_before='' central_before='' before=''
for epsilon in $epsilons; do
  system lp-lda.sh --sweeps "$rounds" --epsilon "$epsilon"
  points "" LP-LDA line "$epsilon" "$perplexities"
  locally=$perplexities
  system cdp-lda.sh --rounds "$rounds" --epsilon "$epsilon"
  points "" CDP-LDA line "$epsilon" "$perplexities"
  if [[ $before ]]; then
    order must "LP-LDA falls" "ε₁ = $epsilon" "$locally" "ε₁ = $before" "$local_before"
    order printed "CDP-LDA falls" "ε = $epsilon" "$perplexities" "ε = $before" "$central_before"
  fi
  if holds "$epsilon <= 1"; then
    order must "ε = $epsilon" CDP-LDA "$perplexities" LP-LDA "$locally"
  elif holds "$epsilon >= 5" && [[ ! $quick ]]; then
    order printed "ε = $epsilon" LP-LDA "$locally" CDP-LDA "$perplexities"
  fi
  if holds "$epsilon >= 6"; then
    within 5 "ε₁ = $epsilon" LP-LDA "$locally" plain "$plain"
  fi
  local_before=$locally central_before=$perplexities before=$epsilon
done
for epsilon in ${epsilons%% *} ${epsilons##* }; do
  points "" plain level "$epsilon" "$plain"
done
spread_found
figure_end --title "Sets of words, local and central noise (HDP-LDA, figure 6)" --x "ε₁ of a bit (LP-LDA); ε of the first counts (CDP-LDA)" \
  --y "held-out perplexity per word (plug-in)" \
  --note "$population documents as sets of words, $topics topics, $rounds sweeps; lower is better; runs: $runs"
