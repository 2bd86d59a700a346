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
#   --language FOLDER with --topics: words of another language, of public.sh --language. The topics of public text are English
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

epsilon=1 delta=1e-6 every=week for=52 first_day=monday unit='' model='' topics='' seeds='' training_epsilon='' groups='' alarm_rate=0.05 change='' now=now zone=UTC learn='' decay='' force='' quiet='' seen='' skipped='' language=''
take "epsilon delta date date-format from every for zone first-day unit model topics seeds training-epsilon language learn! decay groups alarm-rate change now force! quiet! columns format delimiter quote ragged! encoding on-error keep phrases title" "$@"
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
[[ -z $language || $topics ]] || fail "--language belongs to --topics: the topics of public text are English"
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
    "--training-epsilon $training_epsilon" "--language $language" "--groups $(sum "$groups")" "--keep $keep" "--phrases $(sum "$phrases")" "--learn $learn"
}
settings >"$inside/settings.unfinished"
if [[ -e $inside/settings ]] && ! cmp -s "$inside/settings" "$inside/settings.unfinished"; then
  unspent || fail "$out was begun with $(grep -vxF -f "$inside/settings.unfinished" "$inside/settings" | paste -sd ' '), and now has \
$(grep -vxF -f "$inside/settings" "$inside/settings.unfinished" | paste -sd ' '): repeat that, or name another folder"
  rm -rf -- "$inside"/{run.ledger,run.ledger.releases,ledger.last,seen,seen.lines,told,noise} "$inside"/*.{documents.pp,skipped.jsonl} \
    "$shown"/{weeks,model.pp,learned.pp,vocabulary.txt,calendar.txt} "$out/model"
fi
mv -- "$inside/settings.unfinished" "$inside/settings"
begin_ledger() {
  local disjoint=()
  [[ $unit == user ]] || disjoint=(--disjoint-datasets)
  account ledger new --epsilon "$epsilon" --delta "$delta" "${disjoint[@]}" "$ledger"
}
keep "$ledger" begin_ledger
whole "$ledger"
# The file of ids keeps a document in one week, or in the training. A user may be in all.
[[ $unit == user ]] || seen=$inside/seen
lines() { [[ ! -e $inside/seen ]] || wc -l <"$inside/seen"; }
note_lines() {
  [[ $seen ]] || return 0
  lines >"$inside/seen.unfinished"
  mv -- "$inside/seen.unfinished" "$inside/seen.lines"
}
[[ ! -e $inside/seen.lines ]] || (($(lines) + 0 >= $(<"$inside/seen.lines"))) ||
  fail "$inside/seen has lost ids of weeks that were released: restore its newest copy, or begin another folder" 83

# Whose budget it is must be clear before anything is planned, so the first run looks at all documents.
look() {
  local from='' until='' unit=$stated seen=''
  documents "$text" "$inside/all.pp"
  whose "$inside/all.pp"
  [[ -z $groups ]] || (set +o pipefail && show --private "$inside/all.pp" | grep -qm 1 '^{"document":{"id":"\([^"\\]\|\\.\)*",.*"label":') ||
    fail "no document has a label, by which --groups counts: --columns label=COLUMN" 83
  rm -- "$inside/all.pp"
}
[[ -e $shown/weeks ]] || look

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
  for of in date date_format zone on_error columns format delimiter quote encoding keep phrases language; do
    [[ -z ${!of} ]] || flags+=("--${of//_/-}" "${!of}")
  done
  [[ -z $ragged ]] || flags+=(--ragged)
  of=$epsilon
  if [[ $unit == user ]]; then
    of=${training_epsilon:-$(awk "BEGIN {print 0.7 * $epsilon}")}
    # Before the training is charged: do the weeks have a plan beside it? A release of all that the training may spend stands for it.
    local before=(--ledger "$ledger" --delta "$delta" --unit user --all)
    account plan -q "${before[@]}" --epsilon "$of" -o "$inside/training.json"
    account plan -q --dry-run "${before[@]}" --epsilon "$epsilon" --runs "$for" --beside "$inside/training.json"
    rm -- "$inside/training.json"
  fi
  [[ -z $force ]] || flags+=(--force)
  [[ -z $seeds ]] || flags+=(--seeds "$seeds")
  [[ -z $seen ]] || flags+=(--seen "$seen")
  PRIVPIPE_BIN=$PRIVPIPE_BIN "$recipes/lda.sh" --epsilon "$of" --delta "$delta" --topics "$topics" ${stated:+--unit "$stated"} "${flags[@]}" --until "$from" --growing \
    --ledger "$ledger" --dataset before "$text" "${others[@]}" "$out/model" >&2
  note_lines
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
[[ -z $language ]] || stop_words=$language/stop.txt

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
shares=(--model shares --matrix "shares=${rows}x$((number + 1))") counts=(--model lda --matrix "topics=${number}xV")
# With --learn, shares have twice the noise of a release that has all the budget: a quarter of it in μ² (Dong, Roth, Su 2022, cor. 3.3). The
# counts of words by topic have the rest.
solve() { # FLAG…
  local grant=$inside/solved
  rm -f -- "$grant"{,-shares,-words}
  plan "$grant" "${shares[@]}" --epsilon "$epsilon" "$@"
  plan "$grant-shares" "${shares[@]}" --noise-multiplier "$(awk "BEGIN {printf \"%.9g\", 2 * $(noise_of "$grant")}")" "$@"
  plan "$grant-words" "${counts[@]}" --epsilon "$epsilon" --beside "$grant-shares" "$@"
  echo "$(noise_of "$grant-shares") $(noise_of "$grant-words")" >"$inside/noise.unfinished"
  mv -- "$inside/noise.unfinished" "$inside/noise"
  rm -- "$grant"{,-shares,-words}
}
if [[ $unit == user ]]; then
  of=(--runs "$for")
else
  of=(--dataset "$("${calendar[@]}" | sed -n '1s/\t.*//p')")
fi
[[ -z $learn ]] || keep "$inside/noise" solve "${of[@]}"
if [[ $unit == user && ! $learn ]]; then
  plan "$shown/weeks/grant.json" "${shares[@]}" --epsilon "$epsilon" "${of[@]}"
else
  # Grants are charged in this order. Each is planned beside those of the same units that are charged before.
  beside=() of=()
  while IFS=$'\t' read -r name _; do
    [[ $unit == user ]] || of=(--dataset "$name") beside=()
    if [[ $learn ]]; then
      read -r of_shares of_words <"$inside/noise"
      plan "$shown/weeks/$name.json" "${shares[@]}" --noise-multiplier "$of_shares" "${beside[@]}" "${of[@]}"
      beside+=(--beside "$shown/weeks/$name.json")
      plan "$shown/weeks/$name.words.json" "${counts[@]}" --noise-multiplier "$of_words" "${beside[@]}" "${of[@]}"
      beside+=(--beside "$shown/weeks/$name.words.json")
    else
      plan "$shown/weeks/$name.json" "${shares[@]}" --epsilon "$epsilon" "${of[@]}"
    fi
  done < <("${calendar[@]}")
fi

# learned writes the topics of the weeks so far, in words, to learned.pp.
words=()
learned() {
  mstep follow --start "$shown/model.pp" --decay "${decay:-0.9}" --alarm-rate "$alarm_rate" \
    --risen "$inside/risen.csv" --news "$inside/risen.txt" -o "$shown/learned.pp" "${words[@]}"
  # Two releases of a week need two names of runs.
  sed 's/-words,/,/' "$inside/risen.csv" >"$shown/risen.csv"
  sed 's/-words: /: /' "$inside/risen.txt" >"$shown/risen.txt"
}

# release NAME BEGIN END releases one week. All of a week is counted under the topics of the weeks before. privatize answers a week that is
# charged with its stored release.
release() {
  local week=$shown/weeks/$1 grant=$shown/weeks/grant.json dataset=default from=$2 until=$3 under=$shown/model.pp skipped='' documents=$inside/$1.documents.pp
  [[ $on_error != skip ]] || skipped=$inside/$1.skipped.jsonl
  [[ ! -e $week.json ]] || grant=$week.json
  [[ $unit == user ]] || dataset=$1
  if ((${#words[@]})); then
    learned
    under=$shown/learned.pp
  fi
  if ! charged "$1"; then
    rm -f -- "$documents"
  elif [[ ! -e $documents ]] && { [[ -z $learn ]] || charged "$1-words"; }; then
    local seen='' # only a file was lost: privatize compares the sums
    documents=$inside/again.pp
    rm -f -- "$documents"
  fi
  # From the first charge on the documents are kept until all is released: a run that was killed goes on with the same ones.
  keep "$documents" documents "$text" "$documents"
  [[ $stated ]] || unit='' whose "$documents"
  keep "$week.pp" pipeline sample --all --allow-empty --unit "$unit" --run "$1" "$documents" \
    -- estep lda --shares --model "$under" ${groups:+--groups "$groups"} \
    -- privatize --run "$1" --grant "$grant" --ledger "$ledger" --dataset "$dataset" -o "$week.pp"
  if [[ $learn ]]; then
    keep "$week.words.pp" pipeline sample --all --allow-empty --unit "$unit" --run "$1-words" "$documents" \
      -- estep lda --params "$under" --word-weight sqrt \
      -- privatize --run "$1-words" --grant "$week.words.json" --ledger "$ledger" --dataset "$dataset" -o "$week.words.pp"
  fi
  note_lines
  rm -f -- "$documents"
}
charged() { grep -qF "\"run\":\"$1\"" "$ledger"; }
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
  [[ -z $learn ]] || cat "$shown/risen.txt"
} | grep -vxF -f "$inside/told" | tee "$inside/told.new" || true
cat "$inside/told.new" >>"$inside/told"
rm -- "$inside/told.new"
left=$((for - ${#releases[@]}))
[[ $quiet ]] || printf '%s\n' "page:    $shown/series.html" "series:  $shown/series.csv (all of $shown may be shown)" \
  "private: $inside (the ledger, settings)" \
  "${every}s:   ${#releases[@]} of $for are released, $fresh now; $left are left$( ((left)) || echo ": another year begins in another folder")" >&2
