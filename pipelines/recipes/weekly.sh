#!/usr/bin/env bash
# Counts the topics of a private text week after week, for a job of cron.
#
#   weekly.sh --date COLUMN --from DAY [--epsilon 1] [--for 52] [FLAG…] TEXT… OUT
#
# TEXT is private, and has a date in each document, in COLUMN: JSON Lines, .csv, .tsv, .parquet or mail. It may be the whole text so far, or
# only what is new. Each run releases the weeks that are over and were not released before: for each topic, about how many documents had
# it. OUT/public gets the series (series.csv, series.parquet), what moved (alarm.json) and a page, series.html. Run again, it releases
# nothing twice; a run that was missed is made up for. It prints a line for each topic that moved in the newest weeks, for cron's mail.
#
#   --epsilon 1       ε of the whole ledger at this δ: of all weeks, and of the training
#   --delta 1e-6      δ; at most 0.1/(number of documents)
#   --date COLUMN     column of the date on which a document was made. An edit of it must not move a document to a later week
#   --date-format F   format of dates, as of tokenize text
#   --from DAY        first day of the first week, such as 2026-03-02
#   --every week      day, week or month
#   --for 52          number of weeks; all are planned before the first is released
#   --zone UTC        time zone in which days begin, such as Europe/Berlin
#   --first-day monday  day on which weeks begin
#   --unit document   privacy unit: one document, or one user with all documents (user). A document is in one week, so each week has the whole ε.
#                     A user may be in all weeks, so the ε is that of all weeks together, and the noise √(number of weeks) times as large
#   --model FILE      released model whose topics are counted, such as OUT/public/model.pp of lda.sh. Its ε adds to that of the weeks
#                     for whoever was in its training, too. By default the topics of public text, which need no training
#   --topics K        train K topics on the documents before --from instead, by lda.sh, in OUT/model. Its documents are in no week
#   --training-epsilon X
#                     with --topics and --unit user: ε of the training, by default 0.7 of --epsilon
#   --learn           let the topics follow the text: each week also gives one release of words by topic. Topics keep their numbers and
#                     names, and move to the words of the weeks before. The noise on the numbers of documents is then twice as large
#   --decay 0.9       with --learn: weight of a week over that of the week after it
#   --seeds FILE      public list of topics of your own, before those of public text: a line has a name, a colon and words, such as
#                     refunds: refund refunds money back. Their words are added to the vocabulary
#   --groups FILE     public list of labels, one a line: topics are counted in each of these groups, and in that of all others
#   --alarm-rate 0.05 probability of a false alarm in a week where nothing changed
#   --change 0        changes of a share up to this are no news, such as 0.01
#   --now TIME        the time now, for a rehearsal; by default the clock's
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,label=product
#   --on-error skip   leave out documents that are malformed or have no readable date, instead of stopping at the first
#   --format, --delimiter, --quote, --ragged, --encoding, --keep, --phrases, --title: as of lda.sh
#
# A document that comes after its week was released is never counted. Whether a week has documents is private: each week has a release. Weeks
# whose documents come late should wait: run the recipe some days after a week ends.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

epsilon=1 delta=1e-6 every=week for=52 first_day=monday unit=document model='' topics='' seeds='' training_epsilon='' groups='' alarm_rate=0.05 change='' now=now zone=UTC learn='' decay=''
take "epsilon delta date date-format from every for zone first-day unit model topics seeds training-epsilon learn! decay groups alarm-rate change now columns format delimiter quote ragged! encoding on-error keep phrases title" "$@"
real epsilon
positive for
[[ $date && $from ]] || fail "--date COLUMN and --from DAY are needed, see --help"
[[ $every =~ ^(day|week|month)$ ]] || fail "--every must be day, week or month, is $every"
[[ $unit =~ ^(document|user)$ ]] || fail "--unit must be document or user, is $unit"
[[ -z $topics || -z $model ]] || fail "--topics trains a model, and --model names one: leave one out"
[[ -z $seeds || -z $topics$model ]] || fail "--seeds is for the topics of public text, not for --topics and --model"
[[ -z $seeds || -f $seeds ]] || fail "no such list of topics: $seeds"
[[ -z $training_epsilon || $unit == user && $topics ]] || fail "--training-epsilon is for --topics of --unit user: a document is in the training or in one week"
[[ -z $model || -f $model ]] || fail "no such model: $model"
[[ -z $groups || -f $groups ]] || fail "no such list of groups: $groups"
[[ -z $topics ]] || positive topics
[[ -z $decay || $learn ]] || fail "--decay belongs to --learn"
[[ -z $decay ]] || holds "$decay > 0 && $decay <= 1" || fail "--decay must be in (0, 1], is $decay"
# Wrong flags fail here, before anything is written.
calendar=(tokenize calendar --every "$every" --for "$for" --from "$from" --zone "$zone" --first-day "$first_day")
"${calendar[@]}" --over-by "$now" >/dev/null
account plan -q --dry-run --epsilon="$epsilon" --delta="$delta" --all --rounds=1
several=yes
text_and_folder
ledger=$inside/run.ledger dataset=default

# The text may grow, so it is no part of the settings.
settings="--epsilon $epsilon --delta $delta --date $date --date-format $date_format --from $from --every $every --for $for --zone $zone --first-day $first_day --unit $unit"
settings+=" model $([[ -z $model ]] || checksum "$model") --topics $topics seeds $([[ -z $seeds ]] || checksum "$seeds") --training-epsilon $training_epsilon groups $([[ -z $groups ]] || checksum "$groups") --columns $columns --on-error $on_error --keep $keep phrases $([[ -z $phrases ]] || checksum "$phrases")${learn:+ --learn}"
if [[ ! -e $inside/settings || $(<"$inside/settings") != "$settings" ]]; then
  if [[ -e $inside/settings ]]; then
    unspent || fail "$out was begun with other settings: repeat them, or name another folder ($(<"$inside/settings"))"
    rm -rf -- "$inside"/{run.ledger,run.ledger.releases,ledger.last} "$shown"/{weeks,model.pp,vocabulary.txt} "$out/model"
  fi
  (umask 077 && printf '%s\n' "$settings" >"$inside/settings.unfinished")
  mv -- "$inside/settings.unfinished" "$inside/settings"
fi
begin_ledger() {
  local disjoint=()
  [[ $unit == user ]] || disjoint=(--disjoint-datasets)
  account ledger new --epsilon "$epsilon" --delta "$delta" "${disjoint[@]}" "$ledger"
}
keep "$ledger" begin_ledger
whole "$ledger"

# The model: public topics, a released model, or one trained on the documents before the first week.
public_topics() {
  if [[ $seeds ]]; then
    mstep topics -o "$inside/words.pp" "$recipes/public/english.pp"
    mstep export --format words -o "$inside/words.txt" "$inside/words.pp"
    awk '/^#/ { next } { sub(/^[^:]*:/, ""); for (i = 1; i <= NF; i++) print tolower($i) }' "$seeds" |
      awk 'FNR == NR { known[$0]; print; next } !($0 in known) { known[$0]; print }' "$inside/words.txt" - >"$inside/words-of-seeds.txt"
    mstep topics --vocab "$inside/words-of-seeds.txt" --seeds "$seeds" -o "$1" "$recipes/public/english.pp"
    rm -- "$inside"/words{.pp,.txt,-of-seeds.txt}
  else
    mstep topics -o "$1" "$recipes/public/english.pp"
  fi
}
trained() {
  local flags=() of
  for of in date date_format zone on_error columns format delimiter quote encoding keep phrases; do
    [[ -z ${!of} ]] || flags+=("--${of//_/-}" "${!of}")
  done
  [[ -z $ragged ]] || flags+=(--ragged)
  of=$epsilon
  [[ $unit == document ]] || of=${training_epsilon:-$(awk "BEGIN {print 0.7 * $epsilon}")}
  PRIVPIPE_BIN=$PRIVPIPE_BIN "$recipes/lda.sh" --epsilon "$of" --delta "$delta" --topics "$topics" --unit "$unit" "${flags[@]}" --until "$from" \
    --ledger "$ledger" --dataset before "$text" "${others[@]}" "$out/model" >&2
  cp -- "$out/model/public/model.pp" "$1.unfinished" && mv -- "$1.unfinished" "$1"
}
copied() { cp -- "$model" "$1.unfinished" && mv -- "$1.unfinished" "$1"; }
if [[ $topics ]]; then
  keep "$shown/model.pp" trained "$shown/model.pp"
elif [[ $model ]]; then
  keep "$shown/model.pp" copied "$shown/model.pp"
else
  keep "$shown/model.pp" public_topics "$shown/model.pp"
fi
keep "$shown/vocabulary.txt" mstep export --format words -o "$shown/vocabulary.txt" "$shown/model.pp"
vocabulary=(--vocab "$shown/vocabulary.txt")

# All weeks are planned before the first is released. A document is in one week, so each week is a data set of its own, with the whole ε.
mkdir -p -- "$shown/weeks"
number=$(evaluate topics --top 1 --csv "$shown/model.pp" | tail -n +2 | wc -l)
rows=1
[[ -z $groups ]] || rows=$(($(grep -c '' "$groups") + 1))
plan() { # GRANT FLAG…
  local grant=$1
  shift
  keep "$grant" account plan -q --ledger "$ledger" --all --delta "$delta" --unit "$unit" "${vocabulary[@]}" "$@" -o "$grant"
}
# With --learn, shares have twice the noise of a release that has all the budget: a quarter of it in μ² (Dong, Roth, Su 2022, cor. 3.3). The
# counts of words by topic have the rest.
shares_noise=(--epsilon "$epsilon")
if [[ $learn ]]; then
  times=1
  [[ $unit == document ]] || times=$for
  shares_noise=(--noise-multiplier "$(awk "BEGIN {print 2 * $(noise_over "$times")}")")
fi
plan_week() { # FOLDER/NAME FLAG…
  local name=$1
  shift
  plan "$name.json" --model shares --matrix "shares=${rows}x$((number + 1))" "${shares_noise[@]}" "$@"
  [[ -z $learn ]] || plan "$name.words.json" --model lda --matrix "topics=${number}xV" --epsilon "$epsilon" --beside "$name.json" "$@"
}
if [[ $unit == user ]]; then
  plan_week "$shown/weeks/grant" --runs "$for"
else
  while IFS=$'\t' read -r name _; do
    plan_week "$shown/weeks/$name" --dataset "$name"
  done < <("${calendar[@]}")
fi

# learned writes the topics of the weeks so far, in words, to learned.pp.
words=()
learned() {
  mstep follow --start "$shown/model.pp" --decay "${decay:-0.9}" ${seeds:+--seeds "$seeds"} --alarm-rate "$alarm_rate" \
    --risen "$inside/risen.csv" -o "$shown/learned.pp" "${words[@]}"
  sed 's/-words,/,/' "$inside/risen.csv" >"$shown/risen.unfinished" # two releases of a week need two names of runs
  mv -- "$shown/risen.unfinished" "$shown/risen.csv"
}

# release NAME BEGIN END releases one week. privatize answers a week that is charged with its stored release. All of a week is counted under
# the topics of the weeks before.
release() {
  local grant=$shown/weeks/grant dataset=default from=$2 until=$3 under=$shown/model.pp
  [[ $unit == user ]] || grant=$shown/weeks/$1 dataset=$1
  if ((${#words[@]})); then
    learned
    under=$shown/learned.pp
  fi
  documents "$text" "$inside/week.pp"
  # The grant of words was planned beside that of shares, which therefore is charged first.
  keep "$shown/weeks/$1.pp" pipeline sample --all --allow-empty --unit "$unit" --run "$1" "$inside/week.pp" \
    -- estep lda --shares --model "$under" ${groups:+--groups "$groups"} \
    -- privatize --run "$1" --grant "$grant.json" --ledger "$ledger" --dataset "$dataset" -o "$shown/weeks/$1.pp"
  if [[ $learn ]]; then
    keep "$shown/weeks/$1.words.pp" pipeline sample --all --allow-empty --unit "$unit" --run "$1-words" "$inside/week.pp" \
      -- estep lda --params "$under" --word-weight sqrt \
      -- privatize --run "$1-words" --grant "$grant.words.json" --ledger "$ledger" --dataset "$dataset" -o "$shown/weeks/$1.words.pp"
  fi
  rm -f -- "$inside/week.pp"
}
releases=() fresh=()
while IFS=$'\t' read -r name begins ends; do
  if [[ ! -e $shown/weeks/$name.pp || $learn && ! -e $shown/weeks/$name.words.pp ]]; then
    release "$name" "$begins" "$ends"
    fresh+=("$name")
    export PRIVPIPE_TOKENIZE_QUIET=1 # a warning about the words is said once
  fi
  releases+=("$shown/weeks/$name.pp")
  [[ -z $learn ]] || words+=("$shown/weeks/$name.words.pp")
done < <("${calendar[@]}" --over-by "$now")
if ((${#releases[@]} == 0)); then
  echo "$(basename "$0"): the first $every is not over" >&2
  exit 0
fi

[[ -z $learn ]] || learned
series=(mstep shares --model "$shown/model.pp" ${seeds:+--seeds "$seeds"} ${groups:+--groups "$groups"} --alarm-rate "$alarm_rate" ${change:+--change "$change"})
"${series[@]}" --alarms "$shown/alarm.json" --news "$shown/news.txt" -o "$shown/series.csv" "${releases[@]}"
"${series[@]}" --format parquet -o "$shown/series.parquet" "${releases[@]}"
account report --delta "$delta" -o "$shown/report.txt" "$ledger"
account report --json --delta "$delta" -o "$shown/report.json" "$ledger"
evaluate series --title "${title:-$(name_of "$text")}, $every by $every" --ledger "$ledger" --account "$shown/report.json" ${learn:+--model "$shown/learned.pp"} "$shown/series.csv" "$shown/series.html"

# What moved in the weeks that are new, a line each.
for name in "${fresh[@]}"; do
  grep -F -- "$name: " "$shown/news.txt" || true
  [[ -z $learn ]] || awk -F, -v week="$name" '$1 == week { print week ": " $3 " has more " $4 ": about " int($6 + 0.5) ", where " int($5 + 0.5) " were expected" }' "$shown/risen.csv"
done
left=$((for - ${#releases[@]}))
printf '%s\n' "page:    $shown/series.html" "series:  $shown/series.csv (all of $shown may be shown)" \
  "private: $inside (the ledger, settings)" \
  "${every}s:   ${#releases[@]} of $for are released, ${#fresh[@]} now; $left are left$( ((left)) || echo ": another year begins in another folder")" >&2
