#!/usr/bin/env bash
# Trains a private topic model.
#
#   lda.sh [--epsilon 1] [--topics 50] [FLAG…] TEXT… OUT
#
# TEXT is private: a file of JSON Lines {"id"?,"text","user"?}, a .csv, .tsv, .parquet or .avro with these columns, mail, a folder of such files
# and of .txt, a pattern of files, standard input (-), a UCI docword file, or documents of tokenize (.pp). OUT is a folder. OUT/public gets what may be shown: the model, its
# grant, the topics, the report of the spent budget, and all of it as a page, report.html. OUT/private gets the rest, the ledger and the
# documents among it, and only its owner can read it; OUT.md has each file. With public text OUT/public also gets start.pp, the
# topics before the first release, and the page shows topics before and after. If the recipe is stopped, run the same command again:
# it resumes and spends nothing twice. While a recipe works in OUT, another one with this OUT ends with exit code 91. An OUT that
# an earlier version began is refused (83).
#
#   --epsilon 1       ε of the whole ledger at this δ, including what other runs have spent. Above 10 it protects little
#   --more X          let ε of a --ledger rise by at most X, instead of --epsilon: for one run of many, such as one a month. ε never
#                     passes the ledger's own budget
#   --runs N          this is one of N equal runs on a --ledger, which cost --epsilon together: run 1 may take 1/N of the budget in μ²
#   --delta 1e-6      δ; at most 0.1/(number of documents)
#   --topics 50       number of topics K
#   --words 12000     number of words that the recipe chooses for the topics, among those of a dictionary, by the released frequencies
#   --language FOLDER words of another language, of public.sh --language: a dictionary, stop words and their frequencies
#   --dictionary FILE public words to choose from; by default public/dictionary.txt, 45,000 English words without stop words
#   --stop FILE       public list of more words to leave out
#   --extra-words FILE
#                     public list of words that are chosen whatever their frequency, such as names of products
#   --seeds FILE      public list of topics of your own, with which the model begins: a line has a name, a colon and words, such as
#                     refunds: refund refunds money back, better five words than one. The topics keep the names, and the words are chosen
#   --vocab FILE      public vocabulary, of which all words are taken: nothing is chosen
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --format FORMAT   format of the text, as of tokenize text: jsonl, text, lines, csv, tsv, mail, parquet or avro; by default by the extension
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --quote none      how fields of CSV and TSV are quoted: csv, trust or none
#   --ragged          rows of CSV and TSV may have more or fewer fields than the first
#   --encoding NAME   encoding of the text, such as windows-1252; by default UTF-8, or UTF-16 by its byte order mark
#   --phrases FILE    public list of phrases, each of which counts as one word, which --vocab must have
#   --keep LIST       what is otherwise left out of texts: html, urls, emails, quotes, signatures, base64, with commas between
#   --on-error skip   leave malformed documents out, instead of stopping at the first
#   --date COLUMN     column of dates, for documents of a period: --from TIME, --until TIME (ISO 8601, from ≤ date < until)
#   --seen FILE       file of the ids of other periods, as of tokenize text; --growing: the text may grow after --until, so a run that resumes
#                     does not compare it
#   --zone UTC        time zone of --from, --until, and of dates without an offset; --date-format as of tokenize text
#   --rule 2          rule by which texts are cut into words; 1 is that of versions before December 2026
#   --inference variational
#                     how topics are found in a document: variational (estep lda) or gibbs (estep gibbs, see gibbs.sh)
#   --public FILE     what public text says of words and topics, of public.sh; by default public/english.pp, of English Wikipedia and
#                     Stack Exchange, unless it has too few of the vocabulary's words. none: no public text but the vocabulary
#   --rate X          probability of the coin that puts a document into a round; by default 0.25, or 0.125 where --rounds is 128
#   --rounds N        number of rounds; by default 64, or 128 at ε of 1 or less with 20,000 --documents or more, or without --documents
#                     for more than 25 topics (TOPICS.md has the measurements)
#   --words-only      release the frequencies of words with the whole budget, and no topics: OUT/public/words.pp. Where account advise says
#                     that topics predict worse than that, this is the model to make
#   --unit document   privacy unit: one document, or one user with all documents (user)
#   --documents N     number of documents, or of users, that you know without looking at the text; the recipe then releases no size
#   --force           release no size of the text, and train whatever it is
#   --ledger FILE     ledger that other jobs may charge, too, from account ledger new; by default OUT/private/run.ledger
#   --dataset NAME    name of the data set in the ledger
#   --held FILE       held-out text to score the model on; no ε covers the score. That of documents of tokenize --public (.pp) is on
#                     the page, too
#   --title TEXT      title of the page, which all may read; by default the name of TEXT, or of the run if there are several
#   --seed 1          seed of the random first topics; privacy does not depend on it
#
# Over Kafka, each stage in its own process (kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
#
# Public text costs no privacy: it changes what is made of a release, and nothing before it. Three things are released and charged: the
# size of the text, once, the frequencies of words, once, and the statistics of topics, in each round. The size takes at most 2 % of the
# budget. If it says that the text is not worth the rest, the recipe stops (83): too few documents, or too few words in the vocabulary.
# Good topics need many documents. At ε = 1, 150,000 documents of a hundred words give fifty good topics. `account advise` suggests a
# number of topics for other documents.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"
source "$recipes/words.sh"

epsilon=1 delta=1e-6 topics=50 inference=variational rate='' rounds='' public='' unit='' documents='' words=12000 dictionary='' stop='' extra_words='' words_only='' force='' ledger='' dataset=default language='' more='' runs='' seeds='' seen='' growing=''
take "epsilon more runs delta topics inference rate rounds public unit documents words language dictionary stop extra-words seeds words-only! keep rule format quote ragged! encoding on-error date date-format zone from until seen growing! force! ledger dataset $shared" "$@"
positive topics
[[ $inference =~ ^(variational|gibbs)$ ]] || fail "--inference must be variational or gibbs, is $inference"
[[ $unit =~ ^(|document|user)$ ]] || fail "--unit must be document or user, is $unit"
real epsilon ${more:+more}
# of_runs K prints the ε of K of the N equal runs of --runs. Their losses add up in μ² (Dong, Roth, Su 2022, cor. 3.3), so K of them
# cost what one release with √(N/K) times the noise of a single one does.
of_runs() {
  local noise
  noise=$(part=$epsilon single_noise)
  account epsilon --json --all --delta "$delta" --noise-multiplier "$(awk "BEGIN { print sqrt($runs / $1) * $noise }")" |
    sed -n 's/.*"epsilon":\([-+.e0-9]*\).*/\1/p'
}
[[ -z $more$runs || $ledger ]] || fail "--more and --runs are for a --ledger that other runs charge, too"
[[ -z $more || -z $runs ]] || fail "--more and --runs exclude each other"
part=${more:-$epsilon}
if [[ $runs ]]; then
  positive runs
  part=$(of_runs 1)
fi
stated=$documents
if [[ $documents ]]; then
  positive documents
  enough "$documents"
fi
[[ -z $vocab || -f $vocab || $vocab == english-8000 ]] || fail "no such vocabulary: $vocab"
# Without --vocab, a text chooses its words among those of a dictionary. What has bags of words already has none.
chosen=''
if [[ -z $vocab && $public != none ]]; then
  case $(basename -- "${arguments[0]:-}") in
    docword* | *.pp) ;;
    *) chosen=yes ;;
  esac
fi
positive words
if [[ $language ]]; then
  [[ -z $vocab$dictionary$public ]] || fail "--language has a dictionary and a public file: no --vocab, --dictionary and --public go with it"
  [[ -f $language/dictionary.txt && -f $language/stop.txt && -f $language/public.pp ]] || fail "no words of a language in $language: public.sh --language makes them"
  [[ $chosen ]] || fail "--language is for words that the recipe chooses, not for bags of words"
  dictionary=$language/dictionary.txt public=$language/public.pp stop_words=$language/stop.txt
fi
# Of English texts the dictionary has three words of four or more; of German texts less than half, names and loanwords.
[[ -z $chosen || $dictionary ]] || least_coverage=0.5
dictionary=${dictionary:-$recipes/public/dictionary.txt}
if [[ $seeds ]]; then
  [[ -f $seeds ]] || fail "no such list of topics: $seeds"
  [[ $public != none ]] || fail "--seeds needs public text, which says what words stand beside those of the list"
  if [[ $chosen ]]; then
    own_words=$(mktemp)
    temporary+=("$own_words")
    { [[ -z $extra_words ]] || cat -- "$extra_words" && echo; words_of_seeds "$seeds"; } | awk '!seen[$0]++' >"$own_words"
    extra_words=$own_words
  fi
fi
for list in "$dictionary" ${stop:+"$stop"} ${extra_words:+"$extra_words"}; do
  [[ -f $list ]] || fail "no such list of words: $list"
done
for list in ${stop:+"$stop"} ${extra_words:+"$extra_words"}; do
  [[ -n $(word_list "$list") ]] || fail "$list: no words"
  ! word_list "$list" | grep -q '[[:space:]]' || fail "$list: a line with more than one word"
done
[[ $chosen || -z $stop$extra_words ]] || fail "--stop and --extra-words are for words that the recipe chooses, not for --vocab, --public none or bags of words"
[[ $date || -z $date_format$zone$from$until$seen ]] || fail "--date-format, --zone, --from, --until and --seen belong to --date"
[[ $until || -z $growing ]] || fail "--growing belongs to --until"
prior=()
if [[ $public != none ]]; then
  given=$public
  public=${public:-$recipes/public/english.pp}
  [[ -f $public ]] || fail "no such public file: $public"
  checked=0
  list=${vocab:-${chosen:+$dictionary}}
  said=$(mstep public --check "$public" ${list:+--vocab "$list"} 2>&1 >/dev/null) || checked=$?
  if ((checked == 0)); then
    prior=(--public "$public")
  elif ((checked != 83)); then # a damaged file must not cost the budget a worse model
    [[ -z $said ]] || echo "$said" >&2
    fail "cannot use the public file $public with ${list:-the default vocabulary}" "$checked"
  elif [[ $given ]]; then
    fail "--public $public is not for this vocabulary"
  else
    echo "$(basename "$0"): goes on without public text; public.sh makes a file for this vocabulary" >&2
    public=none
  fi
fi
# Wrong flags fail here, before the text is read. Any noise will do: to solve for it takes longer.
account plan -q --dry-run --epsilon="$part" --delta="$delta" --all --rounds=1
account plan -q --dry-run --noise-multiplier=1 --delta="$delta" --poisson="${rate:-0.25}" --rounds="${rounds:-64}"
several=yes
text_and_folder
# A folder that was begun keeps its coins and rounds, whatever --topics says now, and the rounds of its average.
statistic=3 average_from=0 kappa=0.7
# Few topics at much noise gain more from old rounds than from new ones (TOPICS.md).
! holds "$part <= 1 && $topics <= 25" || kappa=0.9
if [[ -e $inside/settings && $(<"$inside/settings") =~ ' --rate '([^ ]+)' --rounds '([0-9]+) ]]; then
  rate=${rate:-${BASH_REMATCH[1]}} rounds=${rounds:-${BASH_REMATCH[2]}}
  [[ $(<"$inside/settings") != *' statistic 2 '* ]] || statistic=2 average_from=0.25 kappa=0.7
fi
# At ε of 1 or less, a large text gains from many small rounds. Only public numbers decide; a large K promises a large text, as in account advise.
if [[ -z $rate$rounds ]] && holds "$part <= 1 && (${documents:-0} >= 20000 || !${documents:-0} && $topics > 25)"; then
  rate=0.125 rounds=128
fi
rate=${rate:-0.25} rounds=${rounds:-64}
charged=$(identity "$ledger")
all=$inside/documents.pp choice=''
if [[ $chosen ]]; then
  all=$inside/all-words.pp choice=" --words $words dictionary $(checksum "$dictionary")${stop:+ --stop $(checksum "$stop")}${extra_words:+ --extra-words $(checksum "$extra_words")}"
fi
same "$([[ $more ]] && echo "--more $more" || echo "--epsilon $epsilon")${runs:+ --runs $runs} --delta $delta --rate $rate --rounds $rounds --unit ${unit:-document} ledger $charged dataset $dataset statistic $statistic${words_only:+ --words-only} query --topics $topics --seed $seed$([[ $inference == variational ]] || echo " --inference $inference")$([[ $public == none ]] || echo " --public $(checksum "$public")")${seeds:+ --seeds $(checksum "$seeds")}$choice" "$all"
ledger=${ledger:-$inside/run.ledger}

if [[ $chosen ]]; then
  keep "$shown/dictionary.txt" candidates
  vocabulary=(--vocab "$shown/dictionary.txt")
fi
sizes=$inside/sizes.pp
keep "$all" documents "$text" "$all"
sizes=''
whose "$all"
unit=${unit:-document}

[[ $charged != own ]] || begin "$ledger"
whole "$ledger"
data_set "$ledger"

# spent prints the ε that the data set of this run has spent, and the budget of the ledger if there is one.
spent() {
  account report --json --delta "$delta" "$ledger" | awk -v of="${of[1]:-}" '
    # A report has the ε of the whole, of the budget and of each data set on lines of their own.
    match($0, /^  "epsilon": [-+.e0-9]+/) { whole = substr($0, 14, RLENGTH - 13) }
    match($0, /^    "epsilon": [-+.e0-9]+/) { most = substr($0, 16, RLENGTH - 15) }
    match($0, /"dataset": "[^"]*"/) { name = substr($0, RSTART + 12, RLENGTH - 13) }
    match($0, /^      "epsilon": [-+.e0-9]+/) && name == of { part = substr($0, 18, RLENGTH - 17) }
    END { print (of == "" ? whole : part) + 0, most }'
}
# target FILE writes the ε that the data set may have after this run. It is kept for a run that resumes.
target() {
  local now most of_run run=1
  read -r now most < <(spent)
  if [[ $more ]]; then
    of_run=$(awk "BEGIN { printf \"%.17g\", $now + $more }")
  else
    while ((run <= runs)) && of_run=$(of_runs "$run") && holds "$of_run <= 1.001 * $now"; do run=$((run + 1)); done
    ((run <= runs)) || fail "all $runs runs of ε $epsilon are done: the ledger has spent ε $now" 83
  fi
  [[ -z $most ]] || holds "$of_run <= $most" || of_run=$most
  printf '%s\n' "$of_run" >"$1.unfinished"
  mv -- "$1.unfinished" "$1"
}
if [[ $more$runs ]]; then
  keep "$inside/target" target "$inside/target"
  epsilon=$(<"$inside/target")
fi

# All grants are planned before the first charge, so that no budget is spent if the topics do not fit.
gate
# The frequencies of words come first: topics that must add up to them lose much less to noise. A release with x times the noise of a single one
# takes 1/x² of the budget in μ² (Dong, Roth, Su 2022, cor. 3.3): half of it for 10 topics or fewer, and 8 % for 25 or more, whose own sums
# refine the frequencies. A folder whose size is released keeps the noise that was planned before.
words_noise() {
  if [[ -e $shown/words-grant.json ]] && used "$shown/size-grant.json" "$ledger"; then
    noise_of "$shown/words-grant.json"
  else
    awk "BEGIN {x = $topics / 7; x = x < sqrt(2) ? sqrt(2) : x > 3.5 ? 3.5 : x; print x * $(single_noise)}"
  fi
}
if [[ $words_only ]]; then
  noise=(--epsilon "$epsilon" --rounds 1)
else
  noise=(--noise-multiplier "$(words_noise)")
fi
plan_grant "$shown/words-grant.json" --all "${noise[@]}" --delta "$delta" "${beside[@]}" --model words --matrix words=1xV "${vocabulary[@]}"

# The topics take the rest of the budget.
plan_topics() {
  plan_grant "$1" --epsilon "$epsilon" --delta "$delta" --poisson "$rate" --rounds "$rounds" "${beside[@]}" --model lda \
    --matrix "topics=${topics}xV" "${vocabulary[@]}"
}
plan=$shown/grant.json
[[ -z $chosen ]] || plan=$shown/planned.json
if [[ $words_only ]]; then
  : # no topics
elif ! used "$shown/words-grant.json" "$ledger"; then
  beside+=(--beside "$shown/words-grant.json")
  plan_topics "$plan"
elif [[ -z $chosen ]]; then
  plan_topics "$plan"
fi

topics_of_run
weigh
if [[ -z $chosen ]]; then
  keep "$shown/words.pp" words "$shown/words.pp"
else
  # The vocabulary of the topics follows from the released frequencies. That is post-processing, and the next query may depend on what was
  # released; its noise, rate and rounds were planned before, and follow from the ledger alone (account/ACCOUNTING.md).
  choose_words
fi
if [[ $words_only ]]; then
  account report --delta "$delta" -o "$shown/report.txt" "$ledger"
  cat "$shown/report.txt"
  scorer=words
  score "$shown/words.pp"
  exit
fi
# Chosen words have large sums partly by chance, so their frequencies are refined among all words of the dictionary.
marginal=$shown/words.pp
if [[ $chosen ]]; then
  marginal=$shown/all-words.frequencies.pp
  keep "$inside/documents.pp" pipeline tokenize cut --from "$shown/dictionary.txt" --vocab "$shown/vocabulary.txt" -o "$inside/documents.pp" "$all"
  beside=() planned_as=$plan
  plan_topics "$shown/grant.json"
fi

sample=(--poisson "$rate" --rounds "$rounds" --unit "$unit")
# Few topics share a document while they are hardly known, and more of them later.
by_round() {
  awk -v rounds="$rounds" 'BEGIN {
    all = 2; last = 1
    split("3 5 8", topics, " "); split("0.3 0.6 0.8", share, " ")
    for (i = 1; i <= 3; i++) if ((from = int(share[i] * rounds + 1e-9) + 1) > last) { all = all "," topics[i] "@" from; last = from }
    print all
  }'
}
shape=(--top-topics "$(by_round)" --word-weight sqrt)
estep=(lda "${shape[@]}" --iterations 12)
if [[ $inference == gibbs ]]; then
  estep=(gibbs "${shape[@]}")
  if [[ $brokers ]]; then # a document that is delivered again, to whatever worker, must throw the same coins
    keep "$inside/gibbs.key" secret_key "$inside/gibbs.key"
    estep+=(--secret "$inside/gibbs.key")
  fi
fi
privatize=(--grant "$shown/grant.json" --ledger "$ledger" --dataset "$dataset")
# The model is compared with the frequencies that the whole budget would have bought in one release, as it says itself.
mstep=(lda --topics "$topics" "${vocabulary[@]}" --word-marginal "$marginal" --weigh-words --refine-words
  --single-noise "$(awk "BEGIN {print $(single_noise) / $(noise_of "$shown/words-grant.json")}")" --average-from $average_from
  --seed "$seed" "${prior[@]}" ${prior:+--kappa $kappa --start-out "$shown/start.pp"} ${seeds:+--seeds "$seeds"})
train

present "$ledger"
