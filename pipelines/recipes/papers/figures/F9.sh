#!/usr/bin/env bash
# Draws figure 4 of HDP-LDA, how well an attacker guesses a word from the topics that it drew, for one text: by the paper's equation 24, and
# by the exact likelihood.
#
#   papers/figures/F9.sh [FLAG…] TEXT HELD OUT
#
# TEXT and HELD are public, of the same kind: nothing here protects anybody. corpus.sh makes those of the paper. OUT is a folder.
#
#   --inherent "10 2" ε_I of the draws in a round of HDP-LDA, the first that of the paper
#   --epsilon 10      ε of the noise on counts in a round, of HDP-LDA and CDP-LDA+
#   --rounds 100      number of rounds, each of one sweep
#   --tokens 300      number of tokens to attack
#   --topics 50       number of topics K
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 1          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first parameters and of the choice of tokens of the first run; coins and noise are fresh
#   --quick           a small figure: 40 rounds, 10 topics
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

inherent='10 2' epsilon=10 rounds='' tokens=300 topics=''
take "inherent epsilon rounds tokens topics vocab runs seed quick!" "$@"
rounds=${rounds:-$([[ $quick ]] && echo 40 || echo 100)}
topics=${topics:-$([[ $quick ]] && echo 10 || echo 50)}
runs=${runs:-1} likelihood=plug-in
[[ $rounds =~ ^[1-9][0-9]*0$ ]] || fail "--rounds must be a multiple of 10, is $rounds"
figure_begin
enough_documents

# attack SERIES FLAG… RECIPE FLAG… attacks the runs of a system: the flags before the recipe are of evaluate. $found are the mean
# probabilities of the true word after the last round.
declare -A found
attack() {
  local series=$1 to flags=() score round column=0
  shift
  while [[ $1 != *.sh ]]; do flags+=("$1") && shift; done
  system "$@" --rounds "$rounds" --streams
  for to in "${folders[@]}"; do
    [[ -e $to/attack-$tokens.txt || -e $to/private/contributions.pp ]] || fail "$to was attacked with other --tokens: name another folder"
    [[ -e $to/attack-$tokens.txt ]] || evaluate attack topics --quiet --assignments "$to/private/contributions.pp" --params "$to/public/params.pp" "${flags[@]}" \
      --tokens "$tokens" --seed "${to##*/}" --every "$((rounds / 10))" -o "$to/attack-$tokens.txt"
    rm -f -- "$to/private/contributions.pp" "$to/public/params.pp"
  done
  for score in "equation 24" exact; do
    column=$((column + 2))
    for ((round = rounds / 10; round <= rounds; round += rounds / 10)); do
      found[$series,$score]=$(awk -v round="$round" -v column="$column" '$1 == round {printf " %s", $column}' "${folders[@]/%//attack-$tokens.txt}")
      points "$score" "$series" line "$round" "${found[$series,$score]}"
      [[ ! $((round * 10 / rounds)) =~ ^(1|5|10)$ ]] || finding measured "$series, $score, $(summary "round $round" "${found[$series,$score]}")" -
    done
  done
}
attack plain ../collapsed-gibbs.sh --sweeps 1
attack CDP-LDA+ --increments cdp-lda.sh --epsilon "$epsilon" --plus
for bound in $inherent; do
  attack "HDP-LDA ε_I = $bound" hdp-lda.sh --inherent "$bound" --epsilon-laplace "$epsilon"
done

# of SERIES SCORE prints the mean after the last round.
of() { mean "${found[$1,$2]}"; }
hdp="HDP-LDA ε_I = ${inherent%% *}" strongest="HDP-LDA ε_I = ${inherent##* }"
# Of few topics a word's shares say little, so a small figure shows only that the attack does worse where the draws are bounded hard.
least=$([[ $quick ]] && awk "BEGIN {print 3 * $(of "$strongest" "equation 24")}" || echo 0.5)
for series in plain CDP-LDA+; do
  # How well it finds them under noise depends on the text: on Enron it finds .46 of CDP-LDA+.
  kind=$([[ $series == plain || $quick ]] && echo must || echo printed)
  finding "$kind" "equation 24 finds words of $series: $(of "$series" "equation 24") is at least $least" "$(of "$series" "equation 24") >= $least"
done
finding must "equation 24 finds few words of $hdp: $(of "$hdp" "equation 24") is at most 0.2" "$(of "$hdp" "equation 24") <= 0.2"
least=$([[ $quick ]] && awk "BEGIN {print 3 * $(of "$hdp" "equation 24")}" || echo 0.85)
finding must "the exact likelihood finds words of $hdp: $(of "$hdp" exact) is at least $least" "$(of "$hdp" exact) >= $least"
finding printed "$hdp effectively defends: the exact attack has $(of "$hdp" exact), at most 0.2" "$(of "$hdp" exact) <= 0.2"
figure_end --title "Guessing a word from its topics (HDP-LDA, figure 4)" --x "rounds that the attacker has seen" \
  --y "mean probability of the true word" --zero \
  --note "$tokens tokens of $population documents, $topics topics; runs: $runs; equation 24 normalised over the words" \
  --note "CDP-LDA+ and HDP-LDA with noise of ε = $epsilon on counts"
