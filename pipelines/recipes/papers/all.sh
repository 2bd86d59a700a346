#!/usr/bin/env bash
# Runs all systems and figures of the papers: each row of README.md.
#
#   papers/all.sh --quick OUT
#   papers/all.sh DATA OUT
#
# --quick runs them small, on data that made.sh makes: minutes on two cores. DATA is a folder of public corpora: adult, 20newsgroups, mnist,
# mtsamples, reddit, uci-kos and vocab, each with files of the names below. On them the figures have the papers' sizes, and take many hours.
# Nothing here protects anybody.
#
# A line for each command has its row, the command, its seconds, and a verdict. A system "runs" if it ends well and the ledger of its run
# verifies. A figure "holds" if each finding that must hold does, and is "undecided (1 of 4)" if one of four such findings is within chance.
# "failed (1)" is any other exit code. The recipe ends with 1 if a row fails. OUT gets the figures with their findings, and what
# each command printed, ROW.log. OUT/work has the runs. It is removed if all rows hold; otherwise the same command resumes them.
#
#   --jobs N      commands at a time; by default the number of cores
#   --rows LIST   only these rows: "15 F11 members"
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../stages.sh"
export PRIVPIPE_BIN
shopt -s inherit_errexit

quick='' jobs=$(nproc) rows=''
take "quick! jobs rows" "$@"
positive jobs
for number in $rows; do
  [[ $number =~ ^([1-9]|1[0-9]|2[01]|F[1-9]|F1[0-5]|members)$ ]] || fail "no such row: $number"
done
if [[ $quick ]]; then
  [[ ${#arguments[@]} == 1 ]] || fail "wants OUT, see --help"
else
  [[ ${#arguments[@]} == 2 ]] || fail "wants DATA and OUT, see --help"
  [[ -d ${arguments[0]} ]] || fail "no such folder: ${arguments[0]}"
  corpora=$(cd "${arguments[0]}" && pwd)
fi
out=${arguments[-1]}
own "$out"
mkdir -p -- "$out/work"
out=$(cd "$out" && pwd)

# wanted NUMBER succeeds if the row is one of --rows.
wanted() {
  local of
  [[ $rows ]] || return 0
  for of in ${1//+/ }; do
    [[ " $rows " != *" $of "* ]] || return 0
  done
  return 1
}

# row NUMBER COMMAND… runs a command of a row, whose last argument may be the folder of a run or of a figure. A recipe is named by its path in
# this folder. A number like F4+F5 is of a command that draws two figures.
row() {
  local number=$1 begun=$EPOCHREALTIME code=0 to=${!#} verdict=runs figure file command must=0 open=0
  shift
  wanted "$number" || return 0
  command="$*"
  [[ $1 != *.sh ]] || set -- "$recipes/papers/$@"
  echo "+ $command" >>"$out/$number.log"
  "$@" >>"$out/$number.log" 2>&1 &
  wait $! || code=$?
  if ((code == 0)) && [[ -e $to/private/run.ledger ]]; then
    account verify "$to/private/run.ledger" >>"$out/$number.log" 2>&1 || code=$?
  fi
  for figure in ${number//+/ }; do
    for file in "$to/$figure"{-findings.txt,.csv,.svg}; do
      [[ ! -e $file ]] || cp -- "$file" "$out"
    done
    file=$to/$figure-findings.txt
    [[ -e $file ]] || continue
    must=$((must + $(grep -c $'\tmust\t' "$file" || true)))
    open=$((open + $(grep -c $'^chance\tmust\t' "$file" || true)))
  done
  if ((open)); then verdict="undecided ($open of $must)"; elif ((must)); then verdict=holds; fi
  if ((code)); then
    verdict="failed ($code)"
    touch failed
    tail -n 5 -- "$out/$number.log" | sed "s/^/$(basename "$0"): row $number: /" >&2
  fi
  printf '%s\t%s\t%.0f s\t%s\n' "$number" "$command" "$(awk "BEGIN {print $EPOCHREALTIME - $begun}")" "$verdict"
}

# unpack FILE… puts decompressed files of $corpora into the folder data.
unpack() {
  local file
  for file in "$@"; do
    zstd -dqf "$corpora/$file" -o "data/$(basename "$file" .zst)" || fail "cannot unpack $corpora/$file" 82
  done
}

# part FILE FIRST LAST OUTPUT writes these documents of a bag of words, whose numbers ascend.
part() {
  awk -v first="$2" -v last="$3" '
    FNR == 2 {words = $1}
    FNR <= 3 || $1 < first || $1 > last {next}
    NR == FNR {pairs++; next}
    !begun++ {printf "%d\n%d\n%d\n", last - first + 1, words, pairs}
    {print $1 - first + 1, $2, $3}' "$1" "$1" >"$4"
}

# corpora_of_papers prepares $corpora as README.md says: the held-out posts of Reddit and, of KOS, prior data before the batches.
corpora_of_papers() {
  mkdir -p data/reddit
  unpack uci-kos/{docword.kos.txt,vocab.kos.txt}.zst adult/adult.{data,test}.zst mtsamples/mtsamples.jsonl.zst
  cp -- "$corpora/vocab/dictnostops.txt" data/reddit/vocab.txt
  cat data/adult.{data,test} >data/adult.csv
  # The response of linear regression is a number.
  sed 's/\("name": "hours-per-week", "type": \)"number"/\1"label"/; s/\("name": "income", "type": \)"label".*/\1"ignore",/' \
    "$recipes/schemas/adult.json" >data/hours.json
  "$recipes/papers/figures/corpus.sh" --vocab data/vocab.kos.txt data/docword.kos.txt data/kos
  unpack reddit/docword.reddit.txt.zst
  part data/docword.reddit.txt 1 2000 data/reddit/docword.held.txt
  part data/docword.reddit.txt 2001 162253 data/reddit/docword.train.txt
  part data/kos/docword.train.txt 1 500 data/kos/docword.prior.txt
  part data/kos/docword.train.txt 501 3000 data/kos/docword.rest.txt
}

cd -- "$out/work"
rm -f -- failed "$out"/*.log
if [[ ! -e data/made ]]; then
  if [[ $quick ]]; then "$recipes/papers/made.sh" data; else corpora_of_papers; fi
  touch data/made
fi
# The data of the rows, and what makes them small.
fast=() few=() five=() three=() batch=() rate=() sweeps=() twice=() size=() noise=() sigmas=() blurred=() threshold=10 parts=15
if [[ $quick ]]; then
  posts=(data/thousand.jsonl) all=(data/all.jsonl data/held.jsonl) public=(tokenize text --public -o public.pp data/held.jsonl)
  vocabulary=(--vocab data/words.txt) bags=data/some.jsonl held=data/rest.jsonl prior=data/rest.jsonl batches=data/some.jsonl
  labelled=(--epsilons '0.1 8' --train 400 --held 200 --words 600 --vocab data/words.txt --positive low --negative high data/some.jsonl) members=(--vocab data/words.txt data/some.jsonl)
  linear=data/linear.json most=1 schema=data/schema.json train=data/train.csv test=data/held.csv whole=data/train.csv
  images=(--image 6x6) pixels=(data/train.idx data/held.idx)
  fast=(--quick) few=(--topics 5 --rounds 3) five=(--topics 5) three=(--rounds 3) batch=(--batch 100) rate=(--rate 0.2) sweeps=(--topics 5 --sweeps 3)
  twice=(--runs 2) size=(--batch 256 --rounds 15) threshold=400 parts=3
  # Orders of so small a table and of such images are beyond chance under these settings.
  noise=(--spread 0.004 --epsilons 0.03) sigmas=(--spread 0.005 --sigmas 'none 40') blurred=(--spread 0.025 --sigma 0.5)
else
  posts=(--vocab data/reddit/vocab.txt data/reddit/docword.train.txt) all=("${posts[@]}" data/reddit/docword.held.txt)
  public=(tokenize uci --public --vocab data/reddit/vocab.txt -o public.pp data/reddit/docword.held.txt)
  vocabulary=(--vocab data/kos/vocab.txt) bags=data/kos/docword.train.txt held=data/kos/docword.held.txt
  prior=data/kos/docword.prior.txt batches=data/kos/docword.rest.txt
  labelled=("$corpora/20newsgroups/20newsgroups.jsonl.zst") members=(data/mtsamples.jsonl)
  linear=data/hours.json most=99 schema=$recipes/schemas/adult.json train=data/adult.data test=data/adult.test whole=data/adult.csv
  images=() pixels=("$corpora"/mnist/{train,t10k}-images-idx3-ubyte.gz) blurred=(--bernoulli)
fi
keep public.pp "${public[@]}"
keep features.txt tokenize features --schema "$linear" -o features.txt
keep rows.pp tokenize rows --public --schema "$linear" -o rows.pp "$train"

# The rows of a lane run one after another: figures in one folder share texts and runs.
variational() {
  row 1 ../online-lda.sh "${five[@]}" "${size[@]}" --trace --held public.pp "${posts[@]}" online
  row 21 evaluate converged --threshold "$threshold" --for 2 online/private/by-round.pp
  row 2 zcdp-lda.sh "${five[@]}" "${batch[@]}" "${posts[@]}" zcdp
  row 3 ma-lda.sh "${few[@]}" "${rate[@]}" "${posts[@]}" ma
  row 4 vips-lda.sh "${few[@]}" "${batch[@]}" "${posts[@]}" vips
  row 5 zcdp-lda.sh --composition zcdp16-strong "${five[@]}" "${batch[@]}" "${posts[@]}" zcdp-strong
  row 5 zcdp-lda.sh --composition zcdp16-linear "${five[@]}" "${batch[@]}" "${posts[@]}" zcdp-linear
  row 5 vips-lda.sh --composition strong "${few[@]}" "${batch[@]}" "${posts[@]}" vips-strong
  row 5 vips-lda.sh --share 1 "${few[@]}" "${batch[@]}" "${posts[@]}" vips-unclipped
  row F1 figures/F1.sh "${fast[@]}" "${all[@]}" drawn
  row F2 figures/F2.sh "${fast[@]}" "${all[@]}" drawn
  row F3 figures/F3.sh "${fast[@]}" "${all[@]}" drawn
  row F4+F5 figures/F4.sh "${fast[@]}" "${all[@]}" drawn
}

sampled() {
  row 10 ../collapsed-gibbs.sh "${vocabulary[@]}" "${few[@]}" --inherent-report "$bags" collapsed
  row 11 cdp-lda.sh "${vocabulary[@]}" "${few[@]}" "$bags" cdp
  row 11 cdp-lda.sh --plus "${vocabulary[@]}" "${few[@]}" "$bags" cdp-plus
  row 12 hdp-lda.sh "${vocabulary[@]}" "${few[@]}" "$bags" hdp
  row 12 hdp-lda.sh --printed "${vocabulary[@]}" "${few[@]}" "$bags" hdp-printed
  row 13 account gibbs --largest-count 1000 --word-count 1 --other-count 5 --prior 0.01
  row 16 sub-lda.sh "${vocabulary[@]}" "${few[@]}" "$bags" sub
  row 16 sub-lda.sh --level printed "${vocabulary[@]}" "${few[@]}" "$bags" sub-printed
  row 16 sub-lda.sh --level literal "${vocabulary[@]}" "${few[@]}" "$bags" sub-literal
  row 17 sub-lda.sh --level word --adaptive 1.5 "${vocabulary[@]}" "${few[@]}" "$bags" sub-adaptive
  row 18 ../collapsed-gibbs.sh --streams "${vocabulary[@]}" "${five[@]}" --rounds 20 --sweeps 1 "$bags" attacked
  row 18 evaluate attack topics --assignments attacked/private/contributions.pp --params attacked/public/params.pp --tokens 300
  row F9 figures/F9.sh "${fast[@]}" "${vocabulary[@]}" "$bags" "$held" gibbs
  row F10 figures/F10.sh "${fast[@]}" "${vocabulary[@]}" "$bags" "$held" gibbs
  row F15 figures/F15.sh "${fast[@]}" "${vocabulary[@]}" "$bags" "$held" gibbs
}

reported() {
  row 14 lp-lda.sh "${vocabulary[@]}" "${sweeps[@]}" "$bags" lp
  row 15 lp-lda.sh "${vocabulary[@]}" "${sweeps[@]}" --batches "$parts" --prior "$prior" "$batches" olp
  row F11 figures/F11.sh "${fast[@]}" "${twice[@]}" "${vocabulary[@]}" "$bags" "$held" sets
  row F13 figures/F13.sh "${fast[@]}" "${twice[@]}" "${vocabulary[@]}" --prior "$prior" "$batches" "$held" batches
  row F12 figures/F12.sh "${fast[@]}" "${labelled[@]}" classes
}

tables() {
  row 6 bash -euo pipefail -c "sample --all --run linear rows.pp | estep linear --row-norm 4 --least 0 --most $most | privatize none --run linear | mstep linear --vocab features.txt -o linear.pp"
  row 7 vips-blr.sh "${batch[@]}" "${three[@]}" --schema "$schema" --held "$test" "$train" vips-blr
  row 7 ../blr.sh "${three[@]}" --schema "$schema" --held "$test" "$train" blr
  row 8 ../blr.sh --sigma none "${three[@]}" --schema "$schema" --held "$test" "$train" blr-none
  row 8 dpvi.sh "${rate[@]}" "${three[@]}" --schema "$schema" --held "$test" "$train" dpvi
  row 8 erm.sh --schema "$schema" --held "$test" "$train" erm
  row F6 figures/F6.sh "${fast[@]}" "${noise[@]}" --schema "$schema" "$whole" tables
  row F7 figures/F7.sh "${fast[@]}" "${sigmas[@]}" --schema "$schema" "$train" "$test" rows
}

pictured() {
  row 9 vips-sbn.sh "${three[@]}" "${images[@]}" --held "${pixels[1]}" "${pixels[0]}" vips-sbn
  row 9 ../sbn.sh "${three[@]}" "${images[@]}" --held "${pixels[1]}" "${pixels[0]}" sbn
  row F8 figures/F8.sh "${fast[@]}" "${blurred[@]}" "${images[@]}" "${pixels[@]}" images
}

others() {
  row 19+members figures/members.sh "${fast[@]}" "${members[@]}" members
  row 20 account efficiency --table-3 --delta 1e-5
  row F14 figures/F14.sh "${fast[@]}" exact
}

for lane in variational sampled reported tables pictured others; do
  while (($(jobs -pr | wc -l) >= jobs)); do
    wait -n || true
  done
  (
    trap 'trap "" TERM; jobs -p | xargs -r kill; wait; exit 143' TERM
    "$lane"
  ) &
done
wait
cd -- "$out"
[[ ! -e work/failed ]] || fail "a row failed: its log is in $out" 1
rm -rf -- work
