#!/usr/bin/env bash
# Draws figure 5 of HDP-LDA: perplexity by the ε of the noise on counts, for one text.
#
#   papers/figures/F10.sh [FLAG…] TEXT HELD OUT
#
# TEXT and HELD are public, of the same kind: nothing here protects anybody. corpus.sh makes those of the paper. OUT is a folder.
#
#   --epsilons "0.5 1 5 10"
#                     ε_L of the noise in a round, that of a word; CDP-LDA+ claims as much for its own
#   --inherent 10     ε_I of the draws in a round
#   --rounds 100      number of rounds, each of one sweep
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 3          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first parameters of the first run; the coins and the noise of each run are fresh
#   --quick           a small figure: ε 0.5, 40 rounds, 5 topics
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilons='' inherent=10 rounds='' topics=''
take "epsilons inherent rounds topics vocab runs seed quick!" "$@"
epsilons=${epsilons:-$([[ $quick ]] && echo 0.5 || echo 0.5 1 5 10)}
rounds=${rounds:-$([[ $quick ]] && echo 40 || echo 100)}
topics=${topics:-$([[ $quick ]] && echo 5 || echo 50)}
runs=${runs:-3}
spread=$([[ $quick ]] && echo 0.1 || echo 0.012) likelihood=plug-in # of perplexities: a small text, or KOS
figure_begin
enough_documents

system ../collapsed-gibbs.sh --rounds "$rounds" --sweeps 1
plain=$perplexities
system hdp-lda.sh --rounds "$rounds" --inherent "$inherent" --epsilon-laplace none
limited=$perplexities
order must "ε_I = $inherent limits the model" plain "$plain" "limited inherent" "$limited"
for epsilon in $epsilons; do
  system hdp-lda.sh --rounds "$rounds" --inherent "$inherent" --epsilon-laplace "$epsilon"
  ours=$perplexities
  system hdp-lda.sh --rounds "$rounds" --inherent "$inherent" --epsilon-laplace "$epsilon" --printed
  printed=$perplexities
  system cdp-lda.sh --rounds "$rounds" --epsilon "$epsilon" --plus
  rival=$perplexities
  points "" HDP-LDA line "$epsilon" "$ours"
  points "" "HDP-LDA as printed" line "$epsilon" "$printed"
  points "" "CDP-LDA+" line "$epsilon" "$rival"
  order must "ε = $epsilon" HDP-LDA "$ours" "HDP-LDA as printed" "$printed"
  # At higher ε the noise is less than what the clip and the prior of HDP-LDA cost.
  kind=$(awk "BEGIN {print ($epsilon <= 5 ? \"must\" : \"printed\")}")
  order "$kind" "ε = $epsilon" HDP-LDA "$ours" CDP-LDA+ "$rival"
  order printed "ε = $epsilon" "HDP-LDA as printed" "$printed" CDP-LDA+ "$rival"
done
for epsilon in ${epsilons%% *} ${epsilons##* }; do
  points "" "limited inherent" level "$epsilon" "$limited"
  points "" plain level "$epsilon" "$plain"
done
spread_found
figure_end --title "Perplexity by the noise on counts (HDP-LDA, figure 5)" --x "ε of the noise on counts, of a word and a round" \
  --y "held-out perplexity per word (plug-in)" --log-x \
  --note "$population documents, $topics topics, $rounds rounds, ε_I = $inherent; lower is better; runs: $runs"
