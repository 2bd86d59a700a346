#!/usr/bin/env bash
# Counts the topics of a private text week after week, for a job of cron.
#
#   weekly.sh --date COLUMN --from DAY [--epsilon 1] [--for 52] [FLAG…] TEXT… OUT
#
# TEXT is private, and has a date in each document, in COLUMN: JSON Lines, .csv, .tsv, .parquet or mail. It may be the whole text so far, or
# only what is new since the last week that was released: a week is released for good, with the documents that TEXT has then. Each run releases the weeks that are over and were not released before: for each topic, about how many documents had
# it. OUT/public gets the series (series.csv, series.parquet), what moved (alarm.json) and a page, series.html. Run again, it releases
# nothing twice, and the next run makes up for one that was missed. It prints a line for each topic that moved in the newest weeks, for cron's
# mail, and for a week with far fewer documents than those before.
#
#   --epsilon 1       ε of the whole ledger at this δ: of all weeks, and of the training
#   --delta 1e-6      δ; at most 0.1/(number of documents)
#   --date COLUMN     column of the date on which a document was made. A document with an id that was in another week is malformed
#   --date-format F   format of dates, as of tokenize text
#   --from DAY        first day of the first week, such as 2026-03-02
#   --every week      day, week or month
#   --for 52          number of weeks; all are planned before the first is released
#   --zone UTC        time zone in which days begin, such as Europe/Berlin
#   --first-day monday  day on which weeks begin
#   --unit document   privacy unit: one document, or one user with all documents (user). A document is in one week, so each week has the whole ε.
#                     A user may be in all weeks, so the ε is that of all weeks together, and the noise √(number of weeks) times as large.
#                     It must be said where documents name users
#   --model FILE      released model whose topics are counted, such as OUT/public/model.pp of lda.sh. Its ε adds to that of the weeks
#                     for whoever was in its training, too. By default the topics of public text, which need no training
#   --topics K        train K topics on the documents before --from instead, by lda.sh, in OUT/model. Its documents are in no week
#   --training-epsilon X
#                     with --topics and --unit user: ε of the training, by default 0.7 of --epsilon
#   --learn           let the topics follow the text: each week also gives one release of words by topic. Topics keep their numbers and
#                     names, and move to the words of the weeks before. The noise on the numbers of documents is then twice as large
#   --decay 0.9       with --learn: weight of a week over that of the week after it
#   --seeds FILE      public list of topics of your own, before the others: a line has a name, a colon and words, such as
#                     refunds: refund refunds money back. Their words are added to the vocabulary
#   --groups FILE     public list of labels, one a line: topics are counted in each of these groups, and in that of all others
#   --alarm-rate 0.05 probability of a false alarm in a week where nothing changed
#   --change 0        changes of a share up to this are no news, such as 0.01
#   --now TIME        an earlier time than now, for a rehearsal on old text
#   --force           with --topics: train whatever the text is
#   --quiet           print what moved, and nothing else but errors
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,label=product
#   --on-error skip   leave out documents that are malformed or have no readable date, instead of stopping at the first
#   --format, --delimiter, --quote, --ragged, --encoding, --keep, --phrases, --title: as of lda.sh
#
# A document that comes after its week was released is never counted. Whether a week has documents is private: each week has a release. Weeks
# whose documents come late should wait: run the recipe some days after a week ends.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

epsilon=1 delta=1e-6 every=week for=52 first_day=monday unit='' model='' topics='' seeds='' training_epsilon='' groups='' alarm_rate=0.05 change='' now=now zone=UTC learn='' decay='' force='' quiet='' seen='' skipped=''
take "epsilon delta date date-format from every for zone first-day unit model topics seeds training-epsilon learn! decay groups alarm-rate change now force! quiet! columns format delimiter quote ragged! encoding on-error keep phrases title" "$@"
real epsilon
positive for
[[ $date && $from ]] || fail "--date COLUMN and --from DAY are needed, see --help"
[[ $every =~ ^(day|week|month)$ ]] || fail "--every must be day, week or month, is $every"
holds "$epsilon >= 0.001" || fail "--epsilon must be at least 0.001, is $epsilon: the noise hides any text"
[[ $unit =~ ^(document|user|)$ ]] || fail "--unit must be document or user, is $unit"
stated=$unit unit=${unit:-document}
[[ -z $topics || -z $model ]] || fail "--topics trains a model, and --model names one: leave one out"
[[ -z $seeds || -z $model ]] || fail "--seeds is for topics that the recipe makes, not for those of --model"
[[ -z $seeds || -f $seeds ]] || fail "no such list of topics: $seeds"
[[ -z $training_epsilon || $unit == user && $topics ]] || fail "--training-epsilon is for --topics of --unit user: a document is in the training or in one week"
[[ -z $model || -f $model ]] || fail "no such model: $model"
[[ -z $groups || -f $groups ]] || fail "no such list of groups: $groups"
[[ -z $force || $topics ]] || fail "--force belongs to --topics"
[[ -z $topics ]] || positive topics
[[ -z $decay || $learn ]] || fail "--decay belongs to --learn"
[[ -z $decay ]] || holds "$decay > 0 && $decay <= 1" || fail "--decay must be in (0, 1], is $decay"
# Wrong flags fail here, before anything is written.
calendar=(tokenize calendar --every "$every" --for "$for" --from "$from" --zone "$zone" --first-day "$first_day")
over=$("${calendar[@]}" --over-by "$now" | wc -l)
((over <= $("${calendar[@]}" --over-by now | wc -l))) || fail "--now $now is in the future: a week that is not over would be released for good"
account plan -q --dry-run --epsilon="$epsilon" --delta="$delta" --all --rounds=1
if [[ $model ]]; then # nothing that is private may be copied to where all may be shown
  estep lda --shares --model "$model" --dry-run
fi
several=yes
text_and_folder
ledger=$inside/run.ledger dataset=default

# The text may grow, and be read in other ways, so these are no part of the settings.
sum() { [[ -z $1 ]] || checksum "$1"; }
settings() {
  printf '%s\n' "--epsilon $epsilon" "--delta $delta" "--date $date" "--date-format $date_format" "--from $from" "--every $every" "--for $for" \
    "--zone $zone" "--first-day $first_day" "--unit $unit" "--model $(sum "$model")" "--topics $topics" "--seeds $(sum "$seeds")" \
    "--training-epsilon $training_epsilon" "--groups $(sum "$groups")" "--keep $keep" "--phrases $(sum "$phrases")" "--learn $learn"
}
settings >"$inside/settings.unfinished"
if [[ -e $inside/settings ]] && ! cmp -s "$inside/settings" "$inside/settings.unfinished"; then
  unspent || fail "$out was begun with $(grep -vxF -f "$inside/settings.unfinished" "$inside/settings" | paste -sd ' '), and now has \
$(grep -vxF -f "$inside/settings" "$inside/settings.unfinished" | paste -sd ' '): repeat that, or name another folder"
  rm -rf -- "$inside"/{run.ledger,run.ledger.releases,ledger.last,seen} "$shown"/{weeks,model.pp,vocabulary.txt,calendar.txt} "$out/model"
fi
mv -- "$inside/settings.unfinished" "$inside/settings"
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
    { cat "$inside/words.txt"; words_of_seeds "$seeds"; } | awk '!seen[$0]++' >"$inside/words-of-seeds.txt"
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
  [[ -z $force ]] || flags+=(--force)
  [[ -z $seeds ]] || flags+=(--seeds "$seeds")
  PRIVPIPE_BIN=$PRIVPIPE_BIN "$recipes/lda.sh" --epsilon "$of" --delta "$delta" --topics "$topics" ${stated:+--unit "$stated"} "${flags[@]}" --until "$from" \
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

# Whose budget it is must be clear before anything is planned, so the first run looks at all documents.
look() {
  local from='' until='' unit=$stated
  documents "$text" "$inside/all.pp"
  whose "$inside/all.pp"
  [[ -z $groups ]] || (set +o pipefail && show --private "$inside/all.pp" | grep -qm 1 '^{"document":{"id":"\([^"\\]\|\\.\)*",.*"label":') ||
    fail "no document has a label, by which --groups counts: --columns label=COLUMN" 83
  rm -- "$inside/all.pp"
}
[[ -e $shown/weeks ]] || look

# All weeks are planned before the first is released. A document is in one week, so each week is a data set of its own, with the whole ε.
mkdir -p -- "$shown/weeks"
number=$(evaluate topics --top 1 --csv "$shown/model.pp" | tail -n +2 | wc -l)
rows=1
[[ -z $groups ]] || rows=$(($(grep -vc '^\(#\|$\)' "$groups") + 1))
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
  mstep follow --start "$shown/model.pp" --decay "${decay:-0.9}" --alarm-rate "$alarm_rate" \
    --risen "$inside/risen.csv" -o "$shown/learned.pp" "${words[@]}"
  sed 's/-words,/,/' "$inside/risen.csv" >"$shown/risen.unfinished" # two releases of a week need two names of runs
  mv -- "$shown/risen.unfinished" "$shown/risen.csv"
}

# release NAME BEGIN END releases one week. privatize answers a week that is charged with its stored release. All of a week is counted under
# the topics of the weeks before.
release() {
  local grant=$shown/weeks/grant dataset=default from=$2 until=$3 under=$shown/model.pp skipped=''
  [[ $on_error != skip ]] || skipped=$inside/$1.skipped.jsonl
  [[ $unit == user ]] || grant=$shown/weeks/$1 dataset=$1
  if ((${#words[@]})); then
    learned
    under=$shown/learned.pp
  fi
  # The documents are kept until both releases are there: a run that was killed goes on with the same ones.
  keep "$inside/$1.documents.pp" documents "$text" "$inside/$1.documents.pp"
  # The grant of words was planned beside that of shares, which therefore is charged first.
  keep "$shown/weeks/$1.pp" pipeline sample --all --allow-empty --unit "$unit" --run "$1" "$inside/$1.documents.pp" \
    -- estep lda --shares --model "$under" ${groups:+--groups "$groups"} \
    -- privatize --run "$1" --grant "$grant.json" --ledger "$ledger" --dataset "$dataset" -o "$shown/weeks/$1.pp"
  if [[ $learn ]]; then
    keep "$shown/weeks/$1.words.pp" pipeline sample --all --allow-empty --unit "$unit" --run "$1-words" "$inside/$1.documents.pp" \
      -- estep lda --params "$under" --word-weight sqrt \
      -- privatize --run "$1-words" --grant "$grant.words.json" --ledger "$ledger" --dataset "$dataset" -o "$shown/weeks/$1.words.pp"
  fi
  rm -f -- "$inside/$1.documents.pp"
}
# The file of ids keeps a document in one week. A user may be in all.
[[ $unit == user ]] || seen=$inside/seen
[[ -z $quiet ]] || export PRIVPIPE_TOKENIZE_QUIET=1
# The ends of weeks that were released must not move, as they do if the rules of a time zone change.
touch "$shown/calendar.txt"
[[ -z $(grep -vxF -f <("${calendar[@]}") "$shown/calendar.txt") ]] ||
  fail "the rules of the time zone $zone have changed since weeks were released: go on with the old ones (ZONEINFO), or begin another folder" 83
releases=() fresh=0
while IFS=$'\t' read -r name begins ends; do
  week=$shown/weeks/$name
  if [[ ! -e $week.pp || $learn && ! -e $week.words.pp ]]; then
    ((over > 0)) || break
    window=$(printf '%s\t%s\t%s' "$name" "$begins" "$ends")
    grep -qxF -- "$window" "$shown/calendar.txt" || printf '%s\n' "$window" >>"$shown/calendar.txt"
    release "$name" "$begins" "$ends"
    fresh=$((fresh + 1))
    export PRIVPIPE_TOKENIZE_QUIET=1 # a warning about the words is said once
  fi
  over=$((over - 1))
  releases+=("$week.pp")
  [[ -z $learn ]] || words+=("$week.words.pp")
done < <("${calendar[@]}")
if ((${#releases[@]} == 0)); then
  echo "$(basename "$0"): the first $every is not over" >&2
  exit 0
fi

[[ -z $learn ]] || learned
series=(mstep shares --model "$shown/model.pp" ${groups:+--groups "$groups"} --alarm-rate "$alarm_rate" ${change:+--change "$change"})
"${series[@]}" --alarms "$shown/alarm.json" --news "$shown/news.txt" -o "$shown/series.csv" "${releases[@]}"
"${series[@]}" --format parquet -o "$shown/series.parquet" "${releases[@]}"
account report --delta "$delta" -o "$shown/report.txt" "$ledger"
account report --json --delta "$delta" -o "$shown/report.json" "$ledger"
evaluate series --title "${title:-$(name_of "$text")}, $every by $every" --ledger "$ledger" --account "$shown/report.json" ${learn:+--model "$shown/learned.pp"} "$shown/series.csv" "$shown/series.html"

# What moved, a line each, is told once, by this run or by the next one if it is killed before.
touch "$inside/told"
{
  cat "$shown/news.txt"
  [[ -z $learn ]] || awk -F, 'NR > 1 { printf "%s: %s has more %s: about %d, where %d were expected\n", $1, $3, $4, $6 + 0.5, $5 + 0.5 }' "$shown/risen.csv"
} | grep -vxF -f "$inside/told" | tee "$inside/told.new" || true
cat "$inside/told.new" >>"$inside/told"
rm -- "$inside/told.new"
left=$((for - ${#releases[@]}))
[[ $quiet ]] || printf '%s\n' "page:    $shown/series.html" "series:  $shown/series.csv (all of $shown may be shown)" \
  "private: $inside (the ledger, settings)" \
  "${every}s:   ${#releases[@]} of $for are released, $fresh now; $left are left$( ((left)) || echo ": another year begins in another folder")" >&2
