#!/usr/bin/env bash
# Makes a public file, which lda.sh takes as a prior of its topics, of text that anybody may read.
#
#   public.sh [FLAG…] TEXT… OUT
#   public.sh --language de OUT
#
# Each TEXT is a corpus that tokenize text reads, and PUBLIC: the file shows its words, and no ε covers them. The more a corpus is like the
# private text, the better the prior. OUT is the public file. Topics are learned of all corpora together, twice, and of each by itself.
# The page of a model says how much the private text reads like each corpus, by the name of the corpus's file: "health books.jsonl".
# OUT.work has what the recipe has made so far. If it is stopped, the same command resumes, also with other --features and --vectors. The
# folder goes at the end.
#
#   --vocab FILE      vocabulary; by default the English words among which lda.sh chooses. The vocabulary of a private text need not be
#                     the same: words are found by their letters
#   --topics 50       number of the first topics, those of a private model at its start
#   --more 64         number of topics of each other model
#   --sources FOLDER  texts of which each, a file of the folder, gives one public topic: the frequencies of its words
#   --features 60     number of features of each word
#   --vectors FILE    vectors of words that somebody learned of other public text, in the text format of GloVe and word2vec, perhaps
#                     compressed: features are made of them, too, and they know words that are rare in the TEXTs
#   --columns LIST    names of columns that are not called text, id, user and label: text=body,id=post_id
#   --seed 1          seed of the random first topics
#   --language CODE   no TEXT: words of a language, such as de, es, fr, it, nl or pt. OUT is a folder, which lda.sh --language takes:
#                     the dictionary, the stop words and the frequencies of words. They are those of the PyPI packages wordfreq and
#                     stopwordsiso, which the recipe fetches with pip, once, into ~/.cache/privpipe ($XDG_CACHE_HOME)
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

topics=50 more=64 sources='' features=60 vectors='' language=''
take "vocab topics more sources features vectors columns seed language" "$@"
positive topics more features
seeded

# packages sets $python to a Python that has the two packages, and fetches them unless an earlier run did.
packages() {
  local of=("wordfreq==3.1.1" "stopwordsiso==0.7.1")
  local cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/privpipe
  local folder=$cache/wordfreq-3.1.1-stopwordsiso-0.7.1
  python=$folder/venv/bin/python3
  [[ ! -e $folder/complete ]] || return 0
  type -P python3 >/dev/null || fail "python3 is not on PATH: the words of a language come from Python packages" 82
  echo "$(basename "$0"): fetches ${of[*]} from PyPI into $folder, once" >&2
  mkdir -p -- "$cache" && own "$folder" # a virtual environment cannot be moved
  { python3 -m venv --clear "$folder/venv" && "$python" -m pip --disable-pip-version-check install -q "${of[@]}"; } >&2 ||
    fail "cannot fetch ${of[*]}: that needs Python's venv and pip, and PyPI or what pip is set to in its place" 82
  : >"$folder/complete"
}

# words_of LANGUAGE FOLDER makes the lists of words and the public file of a language.
words_of() {
  local code=0 why every=(--public --min-documents 1 --max-share 1)
  packages
  why=$("$python" "$recipes/public/language.py" "$1" "$2") || code=$?
  ((code != 3)) || fail "--language $1: $why"
  ((code == 0)) || exit "$code"
  pipeline tokenize vocab "${every[@]}" --min-letters 1 -o "$2/stop.txt" "$2/stop.jsonl"
  pipeline tokenize vocab "${every[@]}" --min-letters 1 --size 60000 -o "$2/words.txt" "$2/words.jsonl"
  pipeline tokenize vocab "${every[@]}" --min-letters 2 --size 45000 --stop "$2/stop.txt" -o "$2/dictionary.txt" "$2/words.jsonl"
  pipeline tokenize text --public --vocab "$2/words.txt" --stop "$2/stop.txt" "$2/words.jsonl" \
    -- mstep public --vocab "$2/words.txt" --compress best -o "$2/public.pp"
  rm -- "$2/words.txt" "$2/words.jsonl" "$2/stop.jsonl"
}

if [[ $language ]]; then
  ((${#arguments[@]} == 1)) || fail "wants OUT and no TEXT with --language, see --help"
  out=${arguments[0]%/}
  [[ ! -e $out ]] || fail "$out exists"
  [[ ! -e $out.work ]] || fail "$out.work exists"
  temporary+=("$out.work")
  mkdir -p -- "$out.work" 2>/dev/null || fail "cannot make the folder $out.work" 82
  words_of "$language" "$out.work"
  mv -- "$out.work" "$out"
  printf 'The words of %q are in %q. A training of them: lda.sh --language %q TEXT FOLDER\n' "$language" "$out" "$out"
  exit
fi
((${#arguments[@]} > 1)) || fail "wants TEXT… and OUT, see --help"
texts=("${arguments[@]:0:${#arguments[@]}-1}") out=${arguments[-1]}
[[ ! -e $out ]] || fail "$out exists"
for text in "${texts[@]}"; do
  [[ -e $text ]] || fail "no such text: $text"
done
[[ -z $vocab || -f $vocab ]] || fail "no such vocabulary: $vocab"
[[ -z $sources || -d $sources ]] || fail "no such folder: $sources"
[[ -z $vectors || -e $vectors ]] || fail "no such vectors: $vectors"
vocabulary=(--vocab "${vocab:-$recipes/public/dictionary.txt}")
made=$out
out=$made.work
flat=yes
lay_out
text=${texts[0]}
# --features and --vectors are for the last step alone, so they may change: bad vectors cost no second training.
same "--topics $topics --more $more ${sources:+--sources $(checksum "$sources") }--seed $seed texts $(for text in "${texts[@]}"; do checksum "$text"; done | cksum)" "$out/run.ledger"
keep "$out/run.ledger" account ledger new "$out/run.ledger"

# learn NAME TOPICS SEED TEXT… learns topics of texts, without noise. One topic has learned all from one round.
learn() {
  local chosen=(--poisson 0.1 --rounds 60)
  (($2 > 1)) || chosen=(--all --rounds 1)
  local name=$1 number=$2 seed=$3
  shift 3
  keep "$out/$name.documents.pp" pipeline tokenize text --public "${vocabulary[@]}" ${columns:+--columns "$columns"} -o "$out/$name.documents.pp" "$@"
  rm -f -- "$out/params"
  mkfifo -- "$out/params"
  pipeline sample "${chosen[@]}" --run "$name" "$out/$name.documents.pp" \
    -- estep lda --norm 0 --word-weight count --iterations 12 --params "$out/params" \
    -- privatize none --run "$name" --ledger "$out/run.ledger" \
    -- mstep lda --topics "$number" "${vocabulary[@]}" --seed "$seed" --params-out "$out/params" -o "$out/$name.$number.pp"
  rm -- "$out/params"
}

keep "$out/all.$topics.pp" learn all "$topics" "$seed" "${texts[@]}"
models=(--topics "$out/all.$topics.pp") kinds=()
((more == topics)) || keep "$out/all.$more.pp" learn all "$more" "$((seed + 1))" "${texts[@]}"
((more == topics)) || models+=(--topics "$out/all.$more.pp")
if ((${#texts[@]} > 1)); then
  for i in "${!texts[@]}"; do
    keep "$out/corpus$i.$more.pp" learn "corpus$i" "$more" "$((seed + 2 + i))" "${texts[i]}"
    name=$(name_of "${texts[i]}" | tr '=_-' '   ')
    [[ " ${kinds[*]} " != *" $name="* ]] || name+=" $((i + 1))"
    kinds+=(--kind "$name=$out/corpus$i.$more.pp")
  done
fi
if [[ $sources ]]; then
  for text in "$sources"/*; do
    name=source-$(basename -- "$text")
    keep "$out/$name.1.pp" learn "$name" 1 "$seed" "$text"
    models+=(--topics "$out/$name.1.pp")
  done
fi
mstep public --public-model "${models[@]}" "${kinds[@]}" --features "$features" ${vectors:+--vectors "$vectors"} --seed "$seed" "${vocabulary[@]}" --compress best -o "$made" "$out/all.documents.pp"
rm -rf -- "$out"
