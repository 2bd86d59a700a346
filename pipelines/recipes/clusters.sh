#!/usr/bin/env bash
# Trains private clusters of documents by their embeddings, and names them by words.
#
#   clusters.sh --dimension D [--epsilon 1] [--clusters 20] [FLAG…] VECTORS [TEXT] OUT
#
# VECTORS is private: an embedding of D numbers for each document, in a .parquet, .jsonl, .csv, .npy or .npz (tokenize/FORMATS.md), or
# vectors of tokenize (.pp). THE EMBEDDING MUST BE PUBLIC AND FIXED: LSA, TF-IDF, PCA, UMAP, centring or whitening that was fitted to the
# private texts makes each vector a function of all texts, and then no ε holds. TEXT has the texts of the same documents, under the same
# ids, and may be the same file. Without TEXT the clusters have no words. OUT is a folder. OUT/public gets what may be shown: the clusters,
# their words, the report of the spent budget, and all of it as a page, report.html. OUT/private gets the rest (OUT.md). If the recipe is
# stopped, run the same command again: it resumes and spends nothing twice.
#
#   --dimension D     numbers in each vector
#   --columns LIST    names of columns of TEXT that are not called text, id and user: text=body,id=post_id
#   --vector-columns LIST
#                     names of columns of VECTORS that are not called vector, id, user and label: vector=embedding,id=doc. Those that it does
#                     not name have the names of --columns. --held and --public have the columns of VECTORS
#   --ids FILE        ids of the vectors of a .npy, one a line, or id, user and label with tabs between: a .npy with a TEXT needs it
#   --norm unit       scale each vector to norm 1, or divide all by this norm, which is public
#   --projection FILE public matrix (.npy) that vectors are multiplied by, and --centre FILE: public vector that is subtracted before; both
#                     of public vectors, never of these
#   --project N       multiply vectors by a random matrix to N dimensions: for embeddings of many, where noise would outweigh a mean
#   --public VECTORS  public vectors of the same embedding, with which the clusters begin; by default they begin in random directions
#   --epsilon 1       ε of the whole ledger at this δ, including what other runs have spent. Above 10 it protects little
#   --delta 1e-6      δ; at most 0.1/(number of documents)
#   --clusters 20     number of clusters K; account advise --documents N --dimension D --epsilon X says how many
#   --rounds 20       number of rounds of the clusters
#   --covariance spherical
#                     one variance for all clusters and dimensions, or diagonal: one for each, which wants much more data
#   --format, --delimiter, --quote, --ragged, --encoding, --keep, --on-error
#                     how TEXT is read, as in lda.sh
#   --words 12000     number of words that the recipe chooses, among those of a dictionary, by their released frequencies
#   --language FOLDER words of another language, of public.sh --language: a dictionary, stop words and their frequencies
#   --stop FILE       public list of more words to leave out
#   --extra-words FILE
#                     public list of words that are chosen whatever their frequency, such as names of products
#   --unit document   privacy unit: one document, or one user with all documents (user)
#   --force           release no size of the vectors, by which the recipe stops (83) where fewer than 1,000 are not worth --epsilon
#   --ledger FILE     ledger that other jobs may charge, too, from account ledger new; by default OUT/private/run.ledger
#   --dataset NAME    name of the data set in the ledger
#   --seed 1          seed of the random directions; privacy does not depend on it
#   --held VECTORS    held-out vectors with labels: prints how well the clusters agree with the labels; no ε covers that
#   --title TEXT      title of the page, which all may read; by default the name of VECTORS
#
# Over Kafka, each stage in its own process (kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
#
# Three things are released and charged: the clusters, in each round, with half of the budget in μ²; the frequencies of words, once;
# and the words of the clusters, once. The words of a cluster follow from its noisy counts and from public text. At ε = 1 on 18,846 posts
# of 20 Newsgroups the clusters agree with the groups as well as those without noise do (README.md has the numbers).
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"
source "$recipes/words.sh"

epsilon=1 delta=1e-6 clusters=20 rounds=20 covariance=spherical dimension='' vector_columns='' ids='' norm='' project='' projection='' centre=''
public='' public_text='' words=12000 language='' stop='' extra_words='' unit='' force='' ledger='' dataset=default
take "epsilon delta clusters rounds covariance dimension vector-columns ids norm project projection centre public words language stop extra-words unit force! ledger dataset columns format delimiter quote ragged! encoding keep on-error held title seed brokers run workers partitions" "$@"
positive clusters rounds words ${dimension:+dimension} ${project:+project}
real epsilon delta
seeded
[[ $covariance =~ ^(spherical|diagonal)$ ]] || fail "--covariance must be spherical or diagonal, is $covariance"
[[ $unit =~ ^(|document|user)$ ]] || fail "--unit must be document or user, is $unit"
for list in ${stop:+"$stop"} ${extra_words:+"$extra_words"} ${ids:+"$ids"} ${projection:+"$projection"} ${centre:+"$centre"} ${public:+"$public"}; do
  [[ -f $list ]] || fail "no such file: $list"
done
[[ $public != *.pp ]] || public "$public" || fail "--public $public is private: tokenize vectors --public makes public vectors" 83
named_text=''
if ((${#arguments[@]} == 3)); then
  named_text=${arguments[1]}
  [[ -e $named_text ]] || fail "no such text: $named_text"
  arguments=("${arguments[0]}" "${arguments[2]}")
fi
((${#arguments[@]} == 2)) || fail "wants VECTORS, perhaps TEXT, and OUT, see --help"
[[ $dimension || ${arguments[0]} == *.pp ]] || fail "wants --dimension, the numbers in each vector"
[[ ! $named_text || $ids || ! ${arguments[0]} =~ \.npy(\.(gz|bz2|xz|zst))?$ ]] ||
  fail "the vectors of a .npy have no ids, by which each finds its text: name a file of them with --ids"
[[ ! $vector_columns || $vector_columns, =~ ^((vector|id|user|label)=[^,]*,)+$ ]] ||
  fail "--vector-columns must be a list such as vector=embedding,id=post_id, of vector, id, user and label, is $vector_columns"
# role LIST ROLE prints the NAME of ROLE=NAME in a list of columns, and - if it names none.
role() { awk -v RS=, -F= -v role="$2" '$1 == role { sub(/\n$/, ""); print substr($0, length(role) + 2); found = 1 } END { if (!found) print "-" }' <<<"$1"; }
column=$(role "$vector_columns" vector) roles=''
[[ $column != - ]] || column=''
for one in id user label; do
  name=$(role "$vector_columns" "$one")
  [[ $name != - ]] || name=$(role "$columns" "$one")
  [[ $name == - ]] || roles+=${roles:+,}$one=$name
done
dictionary=$recipes/public/dictionary.txt text_prior=$recipes/public/english.pp
if [[ $language ]]; then
  [[ -f $language/dictionary.txt && -f $language/stop.txt && -f $language/public.pp ]] || fail "no words of a language in $language: public.sh --language makes them"
  dictionary=$language/dictionary.txt text_prior=$language/public.pp stop_words=$language/stop.txt
fi
budget=(--epsilon "$epsilon" --delta "$delta")
account plan -q --dry-run "${budget[@]}" --all --rounds "$rounds"
text_and_folder
charged=$(identity "$ledger")

# made_vectors FILE OUT makes the documents of vectors. Names of public ones mean nothing, and --ids are those of VECTORS.
made_vectors() {
  local named=()
  [[ ! $roles || $public_text ]] || named=(--columns "$roles")
  [[ ! $ids || $1 != "$text" ]] || named+=(--ids "$ids")
  pipeline tokenize vectors --dimension "$dimension" ${column:+--column "$column"} "${named[@]}" \
    ${norm:+--norm "$norm"} ${project:+--project "$project"} ${projection:+--projection "$projection"} ${centre:+--centre "$centre"} \
    ${public_text:+--public} -o "$2" "$1"
}
# vectors FILE OUT is made_vectors, or copies what is made already.
vectors() {
  case $1 in
    *.pp) cp -- "$1" "$2.unfinished" && mv -- "$2.unfinished" "$2" ;;
    *) made_vectors "$@" ;;
  esac
}
# matched stops the recipe, before anything is planned, if no text has the id of a vector: the words would be noise.
matched() {
  local code=0
  ! compgen -G "$shown/*grant.json" >/dev/null || return 0
  tokenize match --unit "${unit:-document}" --vectors "$inside/documents.pp" "$all" || code=$?
  ((code == 0)) || {
    rm -f -- "$inside/documents.pp" "$all"
    fail "$named_text has the texts, and $text the vectors; nothing was charged" "$code"
  }
}
documents() { if [[ $1 == "$named_text" && $2 == "$all" ]]; then bags "$@"; else vectors "$@"; fi; }

# What is after query may follow from the size (same).
query="--clusters $clusters --seed $seed${norm:+ --norm $norm}${project:+ --project $project}${named_text:+ --words $words dictionary $(checksum "$dictionary")}"
for list in projection centre public stop extra_words; do
  [[ -z ${!list} ]] || query+=" --$list $(checksum "${!list}")"
done
same "${budget[*]} --rounds $rounds --covariance $covariance --unit ${unit:-document} ledger $charged dataset $dataset --dimension ${dimension:-0}${vector_columns:+ --vector-columns $vector_columns}${ids:+ --ids $(checksum "$ids")}${named_text:+ named $(checksum "$named_text")} query $query" "$inside/documents.pp"
ledger=${ledger:-$inside/run.ledger} all=$inside/all-words.pp
[[ -e $inside/documents.pp ]] || rm -f -- "$shown"/{features.txt,public-vectors.pp}
keep "$inside/documents.pp" vectors "$text" "$inside/documents.pp"
users=${named_text:+both files name users, or neither does: --columns user=NAME and --vector-columns user=NAME name their columns}
whose "$inside/documents.pp" "$text" "$users"
if [[ $named_text ]]; then
  keep "$shown/dictionary.txt" candidates
  vocabulary=(--vocab "$shown/dictionary.txt") prior=(--public "$text_prior")
  keep "$all" bags "$named_text" "$all"
  whose "$all" "$named_text" "$users" # both must name users, or neither: without a name each document is a unit of its own
  matched
fi
[[ $charged != own ]] || begin "$ledger"
unit=${unit:-document}
dimensions=$(show "$inside/documents.pp" | sed -n '1s/.*"vocabulary_size":\([0-9]*\).*/\1/p')
keep "$shown/features.txt" tokenize features --dimension "$dimensions" -o "$shown/features.txt"
start=()
if [[ $public ]]; then
  public_text=yes
  keep "$shown/public-vectors.pp" vectors "$public" "$shown/public-vectors.pp"
  public_text='' start=(--public "$shown/public-vectors.pp")
fi

# All grants are planned before the first charge. In μ², the words of clusters take .38 of the budget, the frequencies of words .12, and the
# clusters the rest (Dong, Roth, Su 2022, cor. 3.3: a release with x times the noise of a single one takes 1/x²).
whole "$ledger"
data_set "$ledger"
gate
# once GRANT SHARE FLAG… plans a grant for one release that takes this share.
once() {
  local grant=$1 noise
  noise=$(awk "BEGIN { print $(single_noise) / sqrt($2) }")
  plan_grant "$grant" --all --rounds 1 --noise-multiplier "$noise" --delta "$delta" "${beside[@]}" "${vocabulary[@]}" "${@:3}"
  used "$grant" "$ledger" || holds "$(planned_epsilon "$grant") <= 1.000001 * $epsilon" || {
    rm -f -- "$grant"
    fail "other runs have charged the ledger $ledger: with the words of the clusters ε would be above $epsilon" 83
  }
}
words_once() { once "$1" 0.12 --model words --matrix words=1xV; }
names_once() { once "$1" 0.38 --model "lda:$clusters"; }
if [[ $named_text ]] && ! used "$shown/grant.json" "$ledger"; then
  words_once "$shown/planned-words-grant.json"
  names_once "$shown/planned-names-grant.json"
  beside+=(--beside "$shown/planned-words-grant.json" --beside "$shown/planned-names-grant.json")
fi
# The counts are divided by 2: so they raise the norm of a contribution by an eighth only, and cost nothing under replace-one
# (estep/clusters/claim.md).
clip=1.1180340
[[ $covariance == spherical ]] || clip=1.5
plan_grant "$shown/grant.json" "${budget[@]}" --all --rounds "$rounds" "${beside[@]}" --vocab "$shown/features.txt" --model clusters \
  --matrix "counts=1x$clusters" --matrix "sums=${clusters}xV" $([[ $covariance == spherical ]] || echo "--matrix squares=${clusters}xV") \
  --statistic counts=2 --clip "$clip"
topics_of_run
weigh

sample=(--all --rounds "$rounds" --unit "$unit")
estep=(clusters --covariance "$covariance")
privatize=(--grant "$shown/grant.json" --ledger "$ledger" --dataset "$dataset")
mstep=(clusters --clusters "$clusters" --covariance "$covariance" --vocab "$shown/features.txt" --seed "$seed" "${start[@]}")
train

# names FILE releases the words of the clusters.
names() {
  pipeline sample --all --rounds 1 --unit "$unit" "$inside/words.pp" \
    -- estep cluster-words --model "$shown/model.pp" --vectors "$inside/documents.pp" \
    -- privatize --grant "$shown/names-grant.json" --ledger "$ledger" --dataset "$dataset" \
    -- mstep lda --of-clusters --topics "$clusters" "${vocabulary[@]}" --word-marginal "$shown/all-words.frequencies.pp" --refine-words "${prior[@]}" -o "$1"
}
if [[ $named_text ]]; then
  beside=() planned_as=$shown/planned-words-grant.json
  words_once "$shown/words-grant.json"
  choose_words
  keep "$inside/words.pp" pipeline tokenize cut --from "$shown/dictionary.txt" --vocab "$shown/vocabulary.txt" -o "$inside/words.pp" "$all"
  planned_as=$shown/planned-names-grant.json
  names_once "$shown/names-grant.json"
  keep "$shown/names.pp" names "$shown/names.pp"
  evaluate topics --top 10 --clusters "$shown/model.pp" -o "$shown/topics.txt" "$shown/names.pp"
  cat "$shown/topics.txt"
  page_of=(--model "$shown/names.pp" --clusters "$shown/model.pp")
fi
account report --delta "$delta" -o "$shown/report.txt" "$ledger"
cat "$shown/report.txt"
rm -f -- {"$shown","$inside"}/clusters.txt
if [[ $held ]]; then
  held_documents
  to=$(beside_held)
  estep clusters --score --model "$shown/model.pp" -o "$inside/scores.pp" "$inside/held.pp"
  evaluate clusters -o "$to/clusters.txt" "$inside/scores.pp"
  cat "$to/clusters.txt"
fi
page "$ledger"
made "$ledger" "@estep clusters --infer --model $(printf '%q %q' "$shown/model.pp" "$inside/documents.pp")  # CLUSTERS.md has more"
