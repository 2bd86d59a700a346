#!/usr/bin/env bash
# Draws figures 2 to 4 and 6 of SUB-LDA, without its noise, for one text: what a sweep that draws only a sample of the words again costs,
# and what it saves.
#
#   papers/figures/F15.sh [FLAG…] TEXT HELD OUT
#
# TEXT and HELD are public, of the same kind: nothing here protects anybody. corpus.sh makes them. OUT is a folder.
#
#   --rates "0.1 0.3 0.5 0.7 0.9 1"
#                     γ, the share of the words that a sweep draws again; the last is 1
#   --topics "20 100" numbers of topics K; rounds to converge are of the last, adaptive subsampling is of the first
#   --rounds 100      number of rounds, each of one sweep
#   --adaptive "2 4"  v of adaptive subsampling at the first γ, each beside uniform subsampling; with v = 1/q the samples are equally large
#   --frequent 0.5    q: share of a topic that its frequent words have together
#   --counted 4000    rounds of another run each, on the documents of HELD, in which the sampled words are counted for equations 11 and 12
#   --threshold 1     D̂ of the rule of convergence: the change of perplexity from one round to the next, in percent of the last
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --runs 1          runs of each system; the figure has their mean and range
#   --seed 1          seed of the first parameters of the first run; coins are fresh
#   --quick           a small figure: γ 0.1 and 1, 10 topics, 20 rounds, 400 counted, v = 8, 2 runs; no time and no convergence is judged
#
# Times are of the CPU, of estep alone, in two rounds of 200 sweeps: a round of one sweep also reads, counts and writes all words, whatever γ
# is. Ratios of one run of the recipe compare; of two machines nothing does.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

rates='' topics='' rounds='' adaptive='' frequent=0.5 counted='' threshold=1
take "rates topics rounds adaptive frequent counted threshold vocab runs seed quick!" "$@"
rates=${rates:-$([[ $quick ]] && echo 0.1 1 || echo 0.1 0.3 0.5 0.7 0.9 1)}
topics=${topics:-$([[ $quick ]] && echo 10 || echo 20 100)}
rounds=${rounds:-$([[ $quick ]] && echo 20 || echo 100)}
adaptive=${adaptive:-$([[ $quick ]] && echo 8 || echo 2 4)}
counted=${counted:-$([[ $quick ]] && echo 400 || echo 4000)}
runs=${runs:-$([[ $quick ]] && echo 2 || echo 1)}
spread=$([[ $quick ]] && echo 0.1 || echo 0.012) # of perplexities: a small text, or KOS
[[ ${rates##* } == 1 ]] || fail "the last of --rates must be 1, is ${rates##* }"
figure_begin
enough_documents

# estep is the stage. Of training it keeps the seconds of the CPU in $out/seconds.
estep() {
  local TIMEFORMAT='%U %S'
  if [[ $* == *--params* ]]; then
    { time command estep "$@" 2>&3; } 3>&2 2>"$out/seconds"
  else
    command estep "$@"
  fi
}

# sampler K γ V ROUNDS DOCUMENTS [SWEEPS] trains runs of it unless they have run, and sets $folders. V is "" for uniform subsampling. With
# $trace it scores the model of each round.
sampler() {
  local k=$1 gamma=$2 v=$3 rounds=$4 documents=$5 sweeps=${6:-1} at out=$out shown inside run kept sample estep privatize mstep
  local of=$out/runs/sub-lda${trace:+,trace},topics=$k,word-rate=$gamma${v:+,adaptive=$v,frequent=$frequent},rounds=$rounds,sweeps=$sweeps,$(basename "$documents" .pp)
  folders=()
  for ((at = seed; at < seed + runs; at++)); do
    out=$of/$at run=F15
    shown=$out inside=$out
    folders+=("$out")
    [[ ! -e $out/done ]] || continue
    rm -rf -- "$out"
    mkdir -p -- "$out"
    ln -s -- "$(readlink -f -- "$documents")" "$out/documents.pp"
    begin "$out/run.ledger" 2>/dev/null
    sample=(-q --all --rounds "$rounds")
    estep=(collapsed -q --statistic counts --sweeps "$sweeps" --word-rate "$gamma"
      ${v:+--adaptive "$v" --frequent "$frequent"} --inherent-report "$out/inherent.jsonl")
    privatize=(none -q --ledger "$out/run.ledger")
    mstep=(counts -q --statistic counts --denoise floor --topics "$k" --alpha 1 --eta 0.01 --seed "$at" "${vocabulary[@]}")
    [[ -z $trace ]] || mstep+=(--models "$out/models")
    keeps_topics coupled
    over_pipes
    command estep gibbs -q --score --model "$out/model.pp" "$held" | evaluate perplexity -q | sed -n 's/^plug-in *\([^ ]*\).*/\1/p' >"$out/perplexity.txt"
    if [[ $trace ]]; then
      command estep gibbs -q --score --sweeps 20 --burn-in 10 --model "$out/models" -o "$out/by-round.pp" "$held"
    fi
    rm -rf -- "$out/run.ledger.releases" "$out/state.pp" "$out/models"
    touch "$out/done"
  done
}

# Of $folders: perplexities prints those of the last models, seconds those of the CPU, converged the first rounds from which the perplexity
# changes by at most $threshold percent four times, if there are any.
perplexities() { cat "${folders[@]/%//perplexity.txt}" | xargs; }
seconds() { awk '{printf " %s", $1 + $2}' "${folders[@]/%//seconds}"; }
converged() {
  local folder
  for folder in "${folders[@]}"; do
    evaluate converged --threshold "$(awk "BEGIN {print $(<"$folder/perplexity.txt") * $threshold / 100}")" --for 3 "$folder/by-round.pp" 2>/dev/null |
      sed 's/.* round \([0-9]*\),.*/\1/' || true
  done | xargs
}

least=${rates%% *} first=${topics%% *} last=${topics##* }
declare -A perplexity
for k in $topics; do
  trace='' before='' slower=''
  [[ $quick || $k != "$last" ]] || trace=yes
  sampler "$k" 1 "" "$rounds" "$out/documents.pp" # equations 7 and 8 are of γ = 1
  whole=$(perplexities)
  for gamma in $rates; do
    sampler "$k" "$gamma" "" "$rounds" "$out/documents.pp"
    now=$(perplexities) perplexity[$k,$gamma]=$now
    [[ -z $before ]] || order must "K = $k" "γ = $gamma" "$now" "γ = $slower" "$before"
    before=$now slower=$gamma
    for number in $now; do
      points "perplexity ratio (equation 8)" "K = $k" line "$gamma" "$(awk "BEGIN {print $number / $(mean "$whole") - 1}")"
    done
    if [[ $trace ]]; then
      rule=$(converged)
      for number in $rule; do
        points "rounds to converge of $rounds" "K = $k" line "$gamma" "$(awk "BEGIN {print $number / $rounds}")"
      done
      finding measured "K = $k, γ = $gamma: converged at rounds ${rule:-none}" -
    fi
  done
  trace=''
  [[ -z $quick ]] || continue
  sampler "$k" 1 "" 2 "$out/documents.pp" 200
  all=$(mean "$(seconds)")
  for gamma in $rates; do
    sampler "$k" "$gamma" "" 2 "$out/documents.pp" 200
    for number in $(seconds); do
      points "speed-up (equation 7)" "K = $k" line "$gamma" "$(awk "BEGIN {print 1 - $number / $all}")"
    done
    speedup=$(awk "BEGIN {printf \"%.3f\", 1 - $(mean "$(seconds)") / $all}")
    # What does not depend on γ is a smaller share of a sweep if there are more topics.
    # At rates near 1 little is left to save, and the coins cost as much.
    kind=$([[ $k == "$last" ]] && awk "BEGIN {print ($gamma <= 0.7 ? \"must\" : \"printed\")}" || echo printed)
    finding "$kind" "K = $k, γ = $gamma: the speed-up, $speedup, is at least 0.7·(1 − γ)" "$speedup >= 0.7 * (1 - $gamma)"
  done
done

for v in $adaptive; do
  trace=''
  sampler "$first" "$least" "$v" "$rounds" "$out/documents.pp"
  order printed "K = $first, γ = $least" "adaptive, v = $v" "$(perplexities)" uniform "${perplexity[$first,$least]}"
  points "perplexity ratio (equation 8)" "K = $first adaptive v = $v" line "$least" "$(awk "BEGIN {print $(mean "$(perplexities)") / $(mean "${perplexity[$first,1]}") - 1}")"
done

# count V sets $mean and $variance of the number of words that a round draws again, and $words, those of the text. The first round has
# random parameters. Half the mean square of the change from round to round is the variance, also where the mean drifts.
count() {
  runs=1 trace='' sampler "$first" "$least" "$1" "$counted" "$held"
  read -r mean variance words < <(sed -n '2,$s/.*"tokens":\([0-9]*\),"drawn":\([0-9]*\).*/\1 \2/p' "${folders[0]}/inherent.jsonl" |
    awk '{sum += $2; if (NR > 1) squares += ($2 - last)^2; last = $2} END {printf "%.9g %.9g %d\n", sum / NR, squares / 2 / (NR - 1), $1}')
}
# near TEXT MEASURED EXPECTED SHARE CHANCE writes whether two numbers are apart by at most this share, and a logarithm CHANCE beyond it. That
# of such a variance has a standard deviation of √(3/$counted).
near() {
  finding must "$1: $(awk "BEGIN {printf \"%.4g, expected %.4g\", $2, $3}")" "(log(($2) / ($3)))^2 <= (log(1 + $4) + $5)^2"
}
chance=$(awk "BEGIN {print $deviations * sqrt(3 / $counted)}")
count ""
near "γ = $least: words drawn in a round" "$mean" "$least * $words" 0 "$(awk "BEGIN {print $deviations * sqrt((1 - $least) / ($least * $words * $counted))}")"
near "γ = $least: their variance" "$variance" "$least * (1 - $least) * $words" 0 "$chance"
share=$([[ $quick ]] && echo 0.1 || echo 0.03) # the last frequent word of a topic exceeds q, more so in few words
# The uniform sample is binomial, so only the adaptive one is counted.
for v in $adaptive; do
  count "$v"
  near "v = $v, q = $frequent: size of the uniform sample over the adaptive one, equation 11" "$least * $words / $mean" "1 / ($v * $frequent)" "$share" 0
  near "v = $v, q = $frequent: the same of variances, equation 12" "$least * (1 - $least) * $words / $variance" \
    "(1 - $least) / ($frequent * $v * (1 - $v * $least))" 0.1 "$chance"
done
figure_end --title "A sweep of a sample of the words (SUB-LDA, figures 2 to 4 and 6)" --x "sampling ratio γ" --y "share" \
  --note "$population documents, $rounds rounds; ratios to γ = 1; runs: $runs; speed-up of the CPU time of estep in rounds of 200 sweeps" \
  --note "without the noise of the paper; adaptive: q = $frequent, and no other words drawn"
