"""Writes the word frequencies and the stop words of a language as texts, which tokenize cuts into words by its own rule: see PUBLIC.md.

    language.py LANGUAGE OUT

LANGUAGE is a code such as de. OUT gets words.jsonl, public documents in which each word is as frequent as wordfreq says, and stop.jsonl,
the stop words. The packages wordfreq and stopwordsiso must be there. With exit code 3 standard output says why there are none.
"""

import json
import pathlib
import sys

import stopwordsiso
import wordfreq

WORDS = 60_000  # the commonest
DOCUMENTS = 10_000
OCCURRENCES = 10_000_000  # of all words
OTHER_CODES = {"nb": "no", "fil": "tl", "sh": "hr"}  # of wordfreq, and of stopwordsiso
WITHOUT = {
    "en": "its words come with the recipes: lda.sh without --language",
    "ja": "pairs of Hiragana are mostly endings, which no list of stop words has",
    "ko": "the list of frequencies has stems and endings, and a text has them joined",
}


def stop_words(language):
    return stopwordsiso.stopwords(OTHER_CODES.get(language, language))


def english(frequencies):
    """English stop words that the language has no other use for: in it they are less than a tenth as frequent. Texts quote English."""
    return {w for w in stopwordsiso.stopwords("en") if frequencies.get(w, 0) < wordfreq.word_frequency(w, "en") / 10}


def written(path, texts):
    with open(path, "w", encoding="utf-8") as file:
        for text in texts:
            print(json.dumps({"text": text}), file=file)


def main(language, out):
    languages = sorted(l for l in wordfreq.available_languages() if l not in WITHOUT and stop_words(l))
    if language not in languages:
        print(WITHOUT.get(language, f"no such language; there are {' '.join(languages)}"))
        sys.exit(3)
    frequencies = wordfreq.get_frequency_dict(language)
    commonest = sorted((w for w in frequencies if not any(c.isdecimal() for c in w)), key=lambda w: (-frequencies[w], w))[:WORDS]
    documents, at = [[] for _ in range(DOCUMENTS)], 0
    for word in commonest:  # each word goes on in the document after the last one, so that all documents are as long
        number = max(1, round(OCCURRENCES * frequencies[word]))
        for n in range(at, at + number):
            documents[n % DOCUMENTS].append(word)
        at += number
    written(out / "words.jsonl", map(" ".join, documents))
    written(out / "stop.jsonl", sorted(stop_words(language) | english(frequencies)))


main(sys.argv[1], pathlib.Path(sys.argv[2]))
