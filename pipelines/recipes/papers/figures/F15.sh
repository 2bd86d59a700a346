#!/usr/bin/env bash
# Draws figures 2 to 6 of SUB-LDA, and its table 3, for one text: what a round that draws only a sample of the words again costs, and what it
# saves.
#
#   papers/figures/F15.sh [FLAG…] TEXT HELD OUT
#
# TEXT and HELD are public, of the same kind: nothing here protects anybody. corpus.sh makes them. OUT is a folder. The systems are
# sub-lda.sh --level printed, with noise once a round, --level literal, with noise before each draw, and hdp-lda.sh --printed with Laplace
# noise of the same variance. The paper calls SUB-LDA at γ = 1 HDP-LDA, and takes the ratios of equations 7 and 8 to it.
#
#   --rates "0.1 0.3 0.5 0.7 0.9 1"
#                     γ, the share of the words that a round draws again; the last is 1
#   --topics "20 100" numbers of topics K; rounds to converge, and table 3, are of the last, literal noise and adaptive subsampling of the first
#   --rounds 100      number of rounds, each of one sweep
#   --adaptive "2 4"  v of adaptive subsampling at the first γ, each beside uniform subsampling; with v = 1/q the samples are equally large
#   --frequent 0.5    q: share of a topic that its frequent words have together
#   --threshold 1     D̂ of the rule of convergence: the change of perplexity from one round to the next, in percent of the last
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 1          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first parameters of the first run; coins are fresh
#   --quick           a small figure: γ 0.1 and 1, 10 topics, 20 rounds, v = 8, 2 runs; no time and no convergence is judged
#
# Times are of the CPU, of estep alone, over all rounds. Ratios of one run of the recipe compare; of two machines nothing does.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

rates='' topics='' rounds='' adaptive='' frequent=0.5 threshold=1
take "rates topics rounds adaptive frequent threshold vocab runs seed quick!" "$@"
rates=${rates:-$([[ $quick ]] && echo 0.1 1 || echo 0.1 0.3 0.5 0.7 0.9 1)}
numbers=${topics:-$([[ $quick ]] && echo 10 || echo 20 100)}
rounds=${rounds:-$([[ $quick ]] && echo 20 || echo 100)}
adaptive=${adaptive:-$([[ $quick ]] && echo 8 || echo 2 4)}
runs=${runs:-$([[ $quick ]] && echo 2 || echo 1)}
order=14 loss=2 # α and ε(α) of the paper, §5.1
spread=$([[ $quick ]] && echo 0.05 || echo 0.012) likelihood=plug-in # of perplexities: a small text (.017 measured), or KOS
[[ ${rates##* } == 1 ]] || fail "the last of --rates must be 1, is ${rates##* }"
figure_begin
enough_documents
echo panel,series,kind,x,y >"$out/$name-perplexity.csv"

# estep is the stage, for the recipes too. Of training it keeps the seconds of the CPU in $inside/seconds.
estep() {
  local TIMEFORMAT='%U %S'
  if [[ $* == *--params* ]]; then
    { time command estep "$@" 2>&3; } 3>&2 2>"$inside/seconds"
  else
    command estep "$@"
  fi
}
export -f estep

# sub LEVEL γ FLAG… runs SUB-LDA of $topics topics.
sub() { system sub-lda.sh --level "$1" --gamma "$2" --order "$order" --epsilon-at-order "$loss" --rounds "$rounds" "${@:3}"; }
# Of $folders: seconds prints those of the CPU, converged the first rounds from which the perplexity changes by at most $threshold percent
# four times, if there are any.
seconds() { awk '{printf " %s", $1 + $2}' "${folders[@]/%//private/seconds}"; }
converged() {
  local i of=($perplexities)
  for i in "${!folders[@]}"; do
    evaluate converged --threshold "$(awk "BEGIN {print ${of[i]} * $threshold / 100}")" --for 3 "${folders[i]}/private/by-round.pp" 2>/dev/null |
      sed 's/.* round \([0-9]*\),.*/\1/' || true
  done | xargs
}
# perplexed SERIES KIND γ adds $perplexities to the figure of perplexities, which has a vertical axis of its own.
perplexed() { name=$name-perplexity points "K = $topics" "$@" "$perplexities"; }
# faster SERIES writes the speed-up of each γ by the seconds in ${time[γ]}.
faster() {
  local gamma speedup
  [[ -z $quick ]] || return 0
  for gamma in $rates; do
    ratios "speed-up (equation 7)" "$1" "$gamma" "${time[$gamma]}" "$(mean "${time[1]}")"
    speedup=$(awk "BEGIN {printf \"%.3f\", 1 - $(mean "${time[$gamma]}") / $(mean "${time[1]}")}")
    [[ $gamma == 1 ]] || finding printed "$1, γ = $gamma: the speed-up, $speedup, is at least 0.7·(1 − γ)" "$speedup >= 0.7 * (1 - $gamma)"
  done
}
# ratios PANEL SERIES X "NUMBER…" BY adds rows with the ratios to BY less 1, which equations 7 and 8 have.
ratios() { points "$1" "$2" line "$3" "$(awk -v by="$5" '{for (i = 1; i <= NF; i++) {x = $i / by - 1; printf " %.5g", x < 0 ? -x : x}}' <<<"$4")"; }
# steepest prints whether the perplexity of $topics topics changes most between two rates that are neither the first nor the last (figure 5).
steepest() {
  local gamma
  for gamma in $rates; do
    echo "$gamma $(mean "${perplexity[$topics,$gamma]}")"
  done | awk 'NR > 1 {x = ($2 - y) / ($1 - g); x = x < 0 ? -x : x; if (x > most) {most = x; at = NR}} {g = $1; y = $2} END {print (at > 2 && at < NR)}'
}

declare -A perplexity time total
for topics in $numbers; do
  of="K = $topics" before='' trace=()
  [[ $quick || $topics != "${numbers##* }" ]] || trace=(--trace)
  for gamma in $rates; do
    sub printed "$gamma" "${trace[@]}"
    now=$perplexities perplexity[$topics,$gamma]=$now time[$gamma]=$(seconds)
    perplexed SUB-LDA line "$gamma"
    [[ -z $before ]] || order printed "$of" "γ = $gamma" "$now" "γ = $slower" "$before"
    before=$now slower=$gamma
    [[ ${trace[*]} ]] || continue
    rule=$(converged)
    sampled=$(account efficiency --alpha "$order" --epsilon-at-order "$loss" --gamma "$gamma" --rounds 1 --json | sed 's/.*"renyi_loss":\([^,]*\),.*/\1/')
    total[$gamma]=$([[ ! $rule ]] || awk "BEGIN {printf \"%.4g\", $(mean "$rule") * $sampled}")
    finding measured "$of, γ = $gamma: converged at rounds ${rule:-none}; accumulated loss (table 3) ${total[$gamma]:-none}" -
  done
  whole=$(mean "$now")
  order must "$of" "γ = 1" "$now" "γ = ${rates%% *}" "${perplexity[$topics,${rates%% *}]}"
  for gamma in $rates; do
    ratios "perplexity ratio (equation 8)" "$of" "$gamma" "${perplexity[$topics,$gamma]}" "$whole"
  done
  faster "$of"
  [[ $quick ]] || finding printed "$of: the perplexity changes most between two inner γ (figure 5)" "$(steepest)"
  # Laplace noise of scale 2/ε_L has the variance 8/ε_L², and the paper's Gaussian noise α/(2·ε(α)).
  system hdp-lda.sh --printed --epsilon-laplace "$(awk "BEGIN {printf \"%.4g\", sqrt(16 * $loss / $order)}")" --rounds "$rounds"
  for gamma in "${rates%% *}" 1; do
    perplexed "HDP-LDA" level "$gamma"
  done
  within 5 "$of" "SUB-LDA at γ = 1" "$now" "HDP-LDA with as much noise" "$perplexities"
done
for gamma in 0.7 0.9; do
  [[ ! ${total[$gamma]:-} || ! ${total[1]} ]] ||
    finding printed "$of, table 3: the accumulated loss at γ = $gamma, ${total[$gamma]}, is above ${total[1]} at γ = 1" "${total[$gamma]} > ${total[1]}"
done

topics=${numbers%% *} least=${rates%% *}
of="K = $topics"
for v in $adaptive; do
  sub printed "$least" --adaptive "$v" --frequent "$frequent" --least-rate 0
  order printed "$of, γ = $least" "adaptive, v = $v" "$perplexities" uniform "${perplexity[$topics,$least]}"
  perplexed "adaptive v = $v (figure 6)" line "$least"
done
for gamma in $rates; do
  sub literal "$gamma"
  time[$gamma]=$(seconds)
  perplexed "noise before each draw" line "$gamma"
  # At small γ few draws add less noise than a release once a round.
  order "$([[ $gamma == 1 ]] && echo must || echo printed)" "$of, γ = $gamma" "noise once a round" "${perplexity[$topics,$gamma]}" "before each draw" "$perplexities"
done
faster "noise before each draw"
spread_found
evaluate chart --title "Perplexity of sampled words (SUB-LDA, figures 5 and 6)" --x "sampling ratio γ" --y "held-out perplexity per word (plug-in)" \
  --note "$population documents, $rounds rounds; lower is better; runs: $runs" -o "$out/$name-perplexity.svg" "$out/$name-perplexity.csv"
figure_end --title "A round of a sample of the words (SUB-LDA, figures 2 and 3)" --x "sampling ratio γ" --y "share" \
  --note "$population documents, $rounds rounds; ratios to γ = 1; runs: $runs; speed-up of the CPU time of estep"
