#!/usr/bin/env bash
# Draws figure 7 of HDP-LDA's paper: how well topics predict the class of a text, and what an attacker learns of membership, by ε.
#
#   papers/figures/F12.sh [FLAG…] CORPUS OUT
#
# CORPUS is public text with labels, such as JSON Lines: nothing here protects anybody. OUT is a folder. Texts of two classes are taken as sets
# of their frequent words. Models are trained by collapsed Gibbs sampling (plain), LP-LDA and CDP-LDA, each on random texts of its own. A
# classifier learns the class from the topics of the same texts, and is measured on texts that are held out. Then each model is attacked
# in turn. The others of its system are the shadow models, whose members the attacker knows. One attack is on the classifier, by shadow
# models; one on the topics, by the likelihood ratio.
#
#   --positive sci.med    label of one class
#   --negative sci.space  label of the other class
#   --epsilons "1 3 5 8"  ε₁ of a bit of LP-LDA, and ε that CDP-LDA claims for its first counts, ascending. These are different guarantees,
#                         see F11.sh
#   --train 1350          number of texts that train a model; the first of these classes in CORPUS are taken
#   --held 450            number of texts that are held out
#   --words 1000          number of the most frequent words to keep; among equals, the first of the vocabulary
#   --topics 50           number of topics K
#   --rounds 100          number of sweeps
#   --vocab FILE          vocabulary, in which the frequent words are chosen; by default 8,000 words of English Wikipedia
#   --runs 9              models of each system, 3 or more; the figure has the mean and the range of those attacked
#   --seed 1              seed of the random texts and of the first topics
#   --quick               a small figure: ε 1 and 8, 300 and 100 texts, 10 topics, 30 sweeps, 3 runs
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/figure.sh"

positive=sci.med negative=sci.space epsilons='' train='' words=1000 topics='' rounds=''
take "positive negative epsilons train held words topics rounds vocab runs seed quick!" "$@"
epsilons=${epsilons:-$([[ $quick ]] && echo 1 8 || echo 1 3 5 8)}
train=${train:-$([[ $quick ]] && echo 300 || echo 1350)} held=${held:-$([[ $quick ]] && echo 100 || echo 450)}
topics=${topics:-$([[ $quick ]] && echo 10 || echo 50)} rounds=${rounds:-$([[ $quick ]] && echo 30 || echo 100)}
runs=${runs:-$([[ $quick ]] && echo 3 || echo 9)}
spread=$([[ $quick ]] && echo 0.04 || echo 0.02) measure=accuracy # of accuracies: few texts, or two groups of 20 Newsgroups
# A row is at most 1 in the norm of its shares of topics, and 1 in its constant.
row_norm=1.41421357
positive train held words topics rounds
held_texts=$held held='' # that of stages.sh is a file
for epsilon in $epsilons; do
  real epsilon
done
[[ $runs != [12] ]] || fail "--runs must be 3 or more, is $runs: each model is attacked with the others as shadow models"
for label in "$positive" "$negative"; do
  [[ $label =~ ^[^[:cntrl:]\"\\]+$ ]] || fail "--positive and --negative must be labels without quotes, backslashes and control characters"
done
[[ $positive != "$negative" ]] || fail "--positive and --negative must differ, both are $positive"
figure_folder "--positive $positive --negative $negative --train $train --held $held_texts --words $words --topics $topics --rounds $rounds \
--runs $runs --seed $seed"

# two_classes writes the texts of the two classes, as sets of frequent words, and these words.
two_classes() {
  # Lines of the first file are the vocabulary. A line of the second is a document: its id, its class, and its words by their number from 0.
  show --private "$out/documents.pp" |
    sed -n 's/^{"document":{"id":"\(\([^"\\]\|\\.\)*\)".*"label":"\([^"]*\)".*"words":{\([^}]*\)}.*/\1\t\3\t\4/p' |
    sed 's/"\([0-9]*\)":[0-9]*,*/\1 /g' |
    LC_ALL=C awk -F '\t' -v words="$words" -v texts="$((train + held_texts))" -v classes="$positive"$'\t'"$negative" -v out="$out" '
    FILENAME != "-" {vocabulary[FNR - 1] = $1; next}
    BEGIN {split(classes, class)}
    number < texts && ($2 == class[1] || $2 == class[2]) {
      text[++number] = $3; id[number] = $1; label[number] = $2
      n = split($3, of, " ")
      for (i = 1; i <= n; i++) total[of[i]]++
    }
    END {
      if (number < texts) exit 1
      for (rank = 1; rank <= words; rank++) {
        most = 0
        for (word = 0; word in vocabulary; word++) if (!(word in kept) && total[word] > most) {most = total[word]; best = word}
        if (most) kept[best]
      }
      for (word = 0; word in vocabulary; word++) if (word in kept) print vocabulary[word] >(out "/words.txt")
      for (t = 1; t <= number; t++) {
        n = split(text[t], of, " ")
        comma = line = ""
        for (i = 1; i <= n; i++) if (of[i] in kept) {
          word = vocabulary[of[i]]
          gsub(/["\\]/, "\\\\&", word)
          line = line comma "\"" word "\""
          comma = ","
        }
        print "{\"id\":\"" id[t] "\",\"label\":\"" label[t] "\",\"text\":[" line "]}" >(out "/texts.unfinished")
      }
    }' "${vocab:-$recipes/../vocabulary/english.txt}" - || {
    rm -f -- "$out/documents.pp" # so that the folder takes other settings
    fail "wants $((train + held_texts)) texts of the classes $positive and $negative, CORPUS has fewer; --train and --held take fewer"
  }
  mv -- "$out/texts.unfinished" "$out/texts.jsonl"
}
keep "$out/texts.jsonl" two_classes
vocabulary=(--vocab "$out/words.txt")

# The rows of the classifier: the topics of a text, a constant, and the class.
printf '{"intercept": true, "columns": [{"name": "id", "type": "id"},
  {"name": "topics", "type": "numbers", "length": %d, "least": 0, "most": 1},
  {"name": "label", "type": "label", "positive": "%s", "negative": "%s"}]}\n' "$topics" "$positive" "$negative" >"$out/theta.json"
tokenize features --schema "$out/theta.json" -o "$out/features.txt"

# Each model is trained on some of the texts, and says something of all.
for ((model = seed; model < seed + runs; model++)); do
  part=$out/texts-$model
  mkdir -p -- "$part"
  [[ ! -e $part/out.pp ]] || continue
  awk -v seed="$((seed * 1000 + model))" 'BEGIN {srand(seed)} {printf "%.9f\t%s\n", rand(), $0}' "$out/texts.jsonl" | LC_ALL=C sort | cut -f 2- |
    awk -v part="$part" -v train="$train" '{print >(part (NR <= train ? "/in.jsonl" : "/out.jsonl"))}'
  documents "$part/in.jsonl" "$part/train.pp"
  public_documents "$part/in.jsonl" "$part/in.pp"
  public_documents "$part/out.jsonl" "$part/out.pp"
  rm -- "$part"/{in,out}.jsonl
done

# classify FOLDER PART trains a classifier on the rows of those texts, in the folder of their model.
classify() {
  rm -f -- "$1/params"
  mkfifo -- "$1/params"
  pipeline sample --all --rounds 20 "$1/in-rows.pp" -- estep blr --row-norm "$row_norm" --params "$1/params" -- privatize none \
    -- mstep blr --kappa 0 --vocab "$out/features.txt" --params-out "$1/params" -o "$1/classifier.pp"
  rm -- "$1/params"
}

# trained RECIPE FLAG… trains the topics of a $model in the folder $to, and the classifier, and measures it.
trained() {
  local texts=$out/texts-$model part
  no_page=yes "$papers/$1" "${@:2}" --topics "$topics" --seed "$model" "${vocabulary[@]}" "$texts/train.pp" "$to" >"$to.log" 2>&1 || {
    local code=$?
    cat "$to.log" >&2
    fail "$1 failed" "$code"
  }
  for part in in out; do
    pipeline estep gibbs --infer --model "$to/public/model.pp" "$texts/$part.pp" \
      -- tokenize rows --public --format jsonl --schema "$out/theta.json" -o "$to/$part-rows.pp"
    [[ $part != in ]] || classify "$to"
    estep blr --row-norm "$row_norm" --score --model "$to/classifier.pp" -o "$to/$part-predictions.pp" "$to/$part-rows.pp"
    estep gibbs --score --model "$to/public/model.pp" -o "$to/$part-scores.pp" "$texts/$part.pp"
  done
  evaluate classes --json -o "$to/classes.json" "$to/out-predictions.pp"
  rm -rf -- "$to"/private/{documents.pp,reports.pp,rebuilt.pp,run.ledger.releases} "$to"/private/{,first-}state*.pp
  touch "$to/done"
}

# number NAME prints the number of this name in JSON.
number() { sed -n 's/.*"'"$1"'":\([-+.e0-9]*\).*/\1/p'; }

# attack KIND ATTACK attacks the $model of the system in $of by what models say of the KIND, predictions or scores. It sets $row, the result.
attack() {
  local other result=$of/$model/attack-$1.json files=()
  for ((other = seed; other < seed + runs; other++)); do
    if ((other == model)); then
      files+=(--in "$of/$other/in-$1.pp" --out "$of/$other/out-$1.pp")
    else
      files+=(--shadow-in "$of/$other/in-$1.pp" --shadow-out "$of/$other/out-$1.pp")
    fi
  done
  keep "$result" evaluate attack membership --json -o "$result" "${files[@]}"
  row=$(sed 's/},{/}\n{/g' "$result" | grep "\"attack\":\"$2\"")
}

# learned SERIES RECIPE FLAG… runs a system: trains its models, unless they exist, and attacks each. It sets ${found[MEASURE]} to the numbers of
# all models.
declare -A found
learned() {
  local series=$1 recipe=$2 of to model
  shift 2
  of="$(basename "$recipe" .sh) $*" of=${of// --/,}
  of=$out/runs/${of// /=}
  for ((model = seed; model < seed + runs; model++)); do
    to=$of/$model
    mkdir -p -- "$to"
    [[ -e $to/done ]] || trained "$recipe" "$@"
  done
  found=()
  for ((model = seed; model < seed + runs; model++)); do
    found[accuracy]+=" $(number accuracy <"$of/$model/classes.json")"
    found[F1]+=" $(number macro_f1 <"$of/$model/classes.json")"
    attack predictions "shadow models"
    found[attack]+=" $(number accuracy <<<"$row")"
    found[area]+=" $(number auc <<<"$row")"
    found[members]+=" $(number true_positive_rate <<<"$row")"
    attack scores "likelihood ratio"
    found[topics attack]+=" $(number accuracy <<<"$row")"
    found[topics area]+=" $(number auc <<<"$row")"
    found[topics members]+=" $(number true_positive_rate <<<"$row")"
  done
  all_perplexities+=${found[accuracy]}$'\n'
  finding measured "$series: $(summary "classifier: accuracy" "${found[accuracy]}"), $(summary "macro F1" "${found[F1]}")" -
  finding measured "$series: $(summary "shadow models on the classifier: accuracy" "${found[attack]}"), $(summary area "${found[area]}"), $(
    summary "members found at 1 % false alarms" "${found[members]}")" -
  finding measured "$series: $(summary "likelihood ratio on the topics: accuracy" "${found[topics attack]}"), $(summary area "${found[topics area]}"), $(
    summary "members found at 1 % false alarms" "${found[topics members]}")" -
}

# The panels of the figure, with the measures that they show.
panels=("accuracy" "F1" "attack" "topics attack")
titles=("classifier: accuracy" "classifier: macro F1" "attack on the classifier: accuracy" "attack on the topics: accuracy")
draw() {
  local panel
  for panel in "${!panels[@]}"; do
    points "${titles[panel]}" "$1" "$2" "$3" "${found[${panels[panel]}]}"
  done
}

# slope TEXT writes, as printed, that the numbers in the lines of standard input rise. A line has ε, and then a number of each model. The
# slope is the mean of those of the models, with an interval of 95 % by Student's t; the models share texts, which it does not know.
slope() {
  awk -v text="$1" '{
    n = NF - 1; lines++; sum += $1; squares += $1^2
    for (i = 1; i <= n; i++) {total[i] += $(i + 1); product[i] += $1 * $(i + 1)}
  } END {
    if (lines < 2) exit
    for (i = 1; i <= n; i++) {
      slope = (product[i] - sum * total[i] / lines) / (squares - sum^2 / lines)
      mean += slope / n; square += slope^2
    }
    # The quantile of Student for 0.975, by that of the normal distribution (Abramowitz and Stegun, 26.7.5): 3 % short for 3 models, exact for 9.
    z = 1.959964; f = n - 1
    t = z + (z^3 + z) / (4 * f) + (5 * z^5 + 16 * z^3 + 3 * z) / (96 * f^2) + (3 * z^7 + 19 * z^5 + 17 * z^3 - 15 * z) / (384 * f^3)
    variance = (square - n * mean^2) / f
    half = t * sqrt((variance > 0 ? variance : 0) / n)
    printf "%s\tprinted\t%s rises with ε: by %.4f a unit of ε (95 %%: %.4f to %.4f)\n",
      (mean - half > 0 ? "holds" : mean + half < 0 ? "fails" : "chance"), text, mean, mean - half, mean + half
  }' >>"$out/$name-findings.txt"
}

# no_better must|printed TEXT "NUMBER…" "NUMBER…" writes the finding that attacks of these accuracies are hardly more accurate than those of
# plain. It must hold at the least ε. At a larger one noise need not protect: CDP-LDA's counts at ε = 8 reveal more than plain's in some runs.
# Chance is 4.5 deviations of the difference of two means, where that of one attack is of all members and others at an accuracy of one half.
chance=$(awk "BEGIN {printf \"%.3f\", $deviations * 0.25 * sqrt(1 / $train + 1 / $held_texts) * sqrt(2 / $runs)}")
no_better() {
  finding "$1" "$(summary "$2" "$3") is at most that of plain, $(mean "$4"), and 0.02, and chance ($chance)" \
    "$(mean "$3") <= $(mean "$4") + 0.02 + $chance"
}

learned plain lp-lda.sh --sweeps "$rounds" --epsilon none
plain_attack=${found[attack]} plain_topics_attack=${found[topics attack]} plain_accuracy=${found[accuracy]}
for epsilon in ${epsilons%% *} ${epsilons##* }; do
  draw plain level "$epsilon"
done
finding must "plain: the classifier learns: $(summary accuracy "$plain_accuracy")" "$(mean "$plain_accuracy") > 0.6"
[[ $quick ]] || finding must "plain: the attack on the topics works: $(summary area "${found[topics area]}")" "$(mean "${found[topics area]}") > 0.6"
for system in LP-LDA CDP-LDA; do
  first='' slopes='' topics_slopes=''
  for epsilon in $epsilons; do
    case $system in
      LP-LDA) learned "$system, ε = $epsilon" lp-lda.sh --sweeps "$rounds" --epsilon "$epsilon" ;;
      CDP-LDA) learned "$system, ε = $epsilon" cdp-lda.sh --rounds "$rounds" --epsilon "$epsilon" ;;
    esac
    draw "$system" line "$epsilon"
    slopes+="$epsilon${found[attack]}"$'\n' topics_slopes+="$epsilon${found[topics attack]}"$'\n'
    kind=$([[ $first ]] && echo printed || echo must)
    no_better "$kind" "$system, ε = $epsilon: accuracy of the attack on the classifier" "${found[attack]}" "$plain_attack"
    no_better "$kind" "$system, ε = $epsilon: accuracy of the attack on the topics" "${found[topics attack]}" "$plain_topics_attack"
    if [[ $first ]]; then
      order must "$system, the accuracy of the classifier rises" "ε = $first" "$first_accuracy" "ε = $epsilon" "${found[accuracy]}"
      order must "$system, macro F1 rises" "ε = $first" "$first_score" "ε = $epsilon" "${found[F1]}"
    else
      first=$epsilon first_accuracy=${found[accuracy]} first_score=${found[F1]}
    fi
  done
  slope "$system: the accuracy of the attack on the classifier" <<<"${slopes%$'\n'}"
  slope "$system: the accuracy of the attack on the topics" <<<"${topics_slopes%$'\n'}"
done
spread_found
figure_end --title "Classes and members by topics, local and central noise (HDP-LDA, figure 7)" \
  --x "ε₁ of a bit (LP-LDA); ε of the first counts (CDP-LDA)" --y "share that is right" \
  --note "$((train + held_texts)) texts of $positive and $negative, $train train; $topics topics, $rounds sweeps; models of each system: $runs; ½ is a blind attack"
