# Recipes that choose words by a release of word frequencies source this file after stages.sh. A recipe sets its lists of words, makes the
# documents $all over the words of $dictionary, and plans words-grant.json.

# word_list FILE prints the words of a list, in lower case, without blank lines and comments.
word_list() { sed -e '1s/^\xef\xbb\xbf//' -e 's/[[:space:]]*$//; /^#\( \|$\)/d; /^$/d; s/.*/\L&/' -- "$1"; }

# candidates writes the words among which the release of word frequencies chooses: the own words first, and the dictionary without stop words.
candidates() {
  [[ -z $extra_words ]] || word_list "$extra_words" >"$shown/extra-words.txt"
  awk 'of == "stop" { stop[$1]; next } of == "own" ? !own[$1]++ : !($1 in own) && !($1 in stop)' of=stop <(word_list "${stop:-/dev/null}") \
    of=own <(word_list "${extra_words:-/dev/null}") of=dictionary "$dictionary" >"$shown/dictionary.unfinished"
  mv -- "$shown/dictionary.unfinished" "$shown/dictionary.txt"
}

# words FILE releases the frequencies of all words.
words() {
  pipeline sample --all --unit "$unit" "$all" \
    -- estep words "${prior[@]}" ${prior:+"${vocabulary[@]}"} \
    -- privatize --grant "$shown/words-grant.json" --ledger "$ledger" --dataset "$dataset" \
    -- mstep words "${prior[@]}" "${vocabulary[@]}" -o "$1"
}

# choose_words chooses the $words most frequent words among all by a release, and sets ${vocabulary[@]} to them.
choose_words() {
  keep "$shown/all-words.frequencies.pp" words "$shown/all-words.frequencies.pp"
  keep "$shown/words.pp" mstep choose --number "$words" ${extra_words:+--keep "$shown/extra-words.txt"} --vocabulary "$shown/vocabulary.txt" -o "$shown/words.pp" \
    "$shown/all-words.frequencies.pp"
  vocabulary=(--vocab "$shown/vocabulary.txt")
}
