#!/usr/bin/env bash
# Draws what an attacker learns of membership: whether a text was among those that a topic model was trained on. No paper has this figure.
#
#   papers/figures/members.sh [FLAG…] TEXT OUT
#
# TEXT is public JSON Lines, a text a line: nothing here protects anybody. OUT is a folder. A random half of the texts trains the attacked
# model, and a random half each of the shadow models, whose members the attacker knows. All models say how likely each text is, and evaluate
# attack membership guesses the members of the attacked one: of a model without privacy (collapsed-gibbs.sh), and of private ones (lda.sh).
#
#   --epsilons "1 4 16"
#                     ε of the private models; their δ is 1e-6
#   --shadows 8       number of shadow models, 2 or more
#   --topics 50       number of topics K
#   --sweeps 100      sweeps over all words, without privacy
#   --rounds 20       rounds of the private models
#   --vocab FILE      public vocabulary; by default 12,000 English words
#   --seed 1          seed of the halves and of the first topics
#   --quick           a small figure: ε 1 and 8, 4 shadow models, 20 topics, 30 sweeps, 5 rounds
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

epsilons='' shadows='' topics='' sweeps='' rounds=''
take "epsilons shadows topics sweeps rounds vocab seed quick!" "$@"
epsilons=${epsilons:-$([[ $quick ]] && echo 1 8 || echo 1 4 16)}
shadows=${shadows:-$([[ $quick ]] && echo 4 || echo 8)}
topics=${topics:-$([[ $quick ]] && echo 20 || echo 50)}
sweeps=${sweeps:-$([[ $quick ]] && echo 30 || echo 100)}
rounds=${rounds:-$([[ $quick ]] && echo 5 || echo 20)}
positive shadows topics sweeps rounds
((shadows > 1)) || fail "--shadows must be 2 or more, is $shadows: the likelihood ratio compares models with a text and models without it"
runs=1
figure_folder "--seed $seed"
enough_documents

# Model 0 is the attacked one.
for ((model = 0; model <= shadows; model++)); do
  half=$out/half-$model
  mkdir -p -- "$half"
  [[ ! -e $half/out.pp ]] || continue
  awk -v seed="$((seed * 1000 + model))" -v half="$half" 'BEGIN {srand(seed)} {print >(half (rand() < 0.5 ? "/in.jsonl" : "/out.jsonl"))}' "$text"
  documents "$half/in.jsonl" "$half/train.pp"
  public_documents "$half/in.jsonl" "$half/in.pp"
  public_documents "$half/out.jsonl" "$half/out.pp"
  rm -- "$half"/{in,out}.jsonl
done

# ratio MEMBER prints a number of the likelihood ratio's attack in $of.
ratio() { sed -n 's/.*"attack":"likelihood ratio".*"'"$1"'":\([-+.e0-9]*\).*/\1/p' "$of/attack.json"; }

# attack SERIES SCORER RECIPE FLAG… trains all models by a recipe and attacks the first. It sets $area, $found and $least, the area under the
# ROC curve, the share of members that are found at 1 % false alarms, and the lower end of its interval.
attack() {
  local series=$1 scorer=$2 recipe=$3 of model to half files=()
  shift 3
  of=$(basename "$recipe" .sh)$*--topics$topics
  of=$out/runs/${of// /}
  for ((model = 0; model <= shadows; model++)); do
    to=$of/$model half=$out/half-$model
    mkdir -p -- "$to"
    if [[ ! -e $to/done ]]; then
      no_page=yes "$papers/$recipe" "$@" --topics "$topics" --seed "$((seed + model))" "${vocabulary[@]}" "$half/train.pp" "$to" >"$to.log" 2>&1 || {
        local code=$?
        cat "$to.log" >&2
        fail "$recipe failed" "$code"
      }
      for part in in out; do
        estep "$scorer" --score --model "$to/public/model.pp" -o "$to/$part.pp" "$half/$part.pp"
      done
      rm -rf -- "$to"/private/{documents.pp,run.ledger.releases,state*.pp}
      touch "$to/done"
    fi
    if ((model == 0)); then
      files+=(--in "$to/in.pp" --out "$to/out.pp")
    else
      files+=(--shadow-in "$to/in.pp" --shadow-out "$to/out.pp")
    fi
  done
  evaluate attack membership "${files[@]}" -o "$of/attack.txt"
  evaluate attack membership --json "${files[@]}" -o "$of/attack.json"
  area=$(ratio auc) found=$(ratio true_positive_rate) least=$(ratio true_positive_rate_low)
  while read -r line; do
    finding measured "$series: $line" -
  done < <(sed -n '2,$s/   */  /gp' "$of/attack.txt")
}

attack "without privacy" gibbs ../collapsed-gibbs.sh --rounds 1 --sweeps "$sweeps"
plain=$area plain_found=$found
finding must "without privacy: the attack works, its area is $(printf %.3f "$plain")" "$plain > 0.55"
for epsilon in $epsilons; do
  attack "ε = $epsilon" lda ../lda.sh --force --epsilon "$epsilon" --rounds "$rounds"
  points "area under the ROC curve" private line "$epsilon" "$area"
  points "found at 1 % false alarms" private line "$epsilon" "$found"
  # What (ε, δ) allows any attacker (Kairouz, Oh, Viswanath 2015, theorem 2.1). Beside chance, whose interval reaches below it.
  found="ε = $epsilon: $(printf %.3f "$found") of the members are found at 1 % false alarms"
  if holds "exp($epsilon) * 0.01 + 1e-6 < 1"; then
    finding must "$found, of at most $(awk "BEGIN {printf \"%.3f\", exp($epsilon) * 0.01 + 1e-6}") allowed" "$least <= exp($epsilon) * 0.01 + 1e-6"
  else
    finding measured "$found; this ε allows all" -
  fi
  finding must "ε = $epsilon: the attack is worse than without privacy, $(printf "%.3f against %.3f" "$area" "$plain")" "$area < $plain"
done
for epsilon in ${epsilons%% *} ${epsilons##* }; do
  points "area under the ROC curve" "without privacy" level "$epsilon" "$plain"
  points "found at 1 % false alarms" "without privacy" level "$epsilon" "$plain_found"
done
figure_end --title "Who was in the training data? Likelihood-ratio attack" --x "ε of the model, at δ = 1e-6" --y "success" \
  --note "$population texts, half of them members; $topics topics; $shadows shadow models; higher is worse for the members"
