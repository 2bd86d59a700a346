"""Groups public texts by kind and by source, and makes the dictionary and the default vocabulary of their words: see README.md.

    dictionary.py DATA OUT

DATA has public-text/, wikipedia/ and stackexchange-small/. OUT gets a file of JSON Lines for each kind and, in sources/, for each source,
and three lists of words. A word's score is half its frequency in wordfreq, and half the mean of its frequencies in the kinds. words.txt has
the 30,000 words with the highest scores, for public.sh; dictionary.txt the first 45,000 without stop words, for lda.sh; and
vocabulary.txt the first 12,000 of these, the default of the stages.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

WORDS, DICTIONARY, VOCABULARY = 30_000, 45_000, 12_000
KINDS = {
    "service": "banking77 clinc150 multidogo taskmaster schema-guided-dialogue dynamics365-business-central",
    "computers": "intune exchange-outlook sharepoint-onedrive gnome-help libreoffice-help lineageos-wiki ubuntu-irc owasp-cheatsheets "
    "privacyguides",
    "clinic": "aci-bench primock57",
    "health": "medquad openstax-anatomy-physiology openstax-microbiology openstax-psychology",
    "work": "18f-blog 18f-handbook digital-gov govuk-smart-answers opensource-guide va-content",
    "business": "openstax-business-ethics openstax-entrepreneurship openstax-introduction-business openstax-principles-economics-bundle openstax-principles-finance "
    "openstax-principles-marketing openstax-college-success-bundle",
    "society": "state-of-the-union openstax-american-government openstax-introduction-anthropology openstax-introduction-philosophy "
    "openstax-introduction-political-science openstax-introduction-sociology openstax-us-history openstax-world-history",
    "science": "scitldr openstax-astronomy openstax-chemistry-bundle openstax-college-physics-bundle",
    "talk": "topical-chat english-web-treebank recipes openstax-writing-guide",
    "wikipedia": "",
    "stackexchange": "",
}
ELSEWHERE = {"wikipedia": "wikipedia/wikipedia-leads.jsonl.zst", "stackexchange": "stackexchange-small/stackexchange.jsonl.zst"}
WORD = re.compile(r"[^\W\d_]+")


def texts(path):
    with subprocess.Popen(["zstd", "-qdc", path], stdout=subprocess.PIPE, text=True) as lines:
        for line in lines.stdout:
            yield json.loads(line)["text"]


def main(data, out):
    (out / "sources").mkdir(parents=True, exist_ok=True)
    share, documents = collections.Counter(), collections.Counter()
    for kind, names in KINDS.items():
        files = [ELSEWHERE[kind]] if kind in ELSEWHERE else [f"public-text/{name}.jsonl.zst" for name in names.split()]
        counts, longest = collections.Counter(), 3_000
        with open(out / f"{kind}.jsonl", "w") as group:
            for file in files:
                name = pathlib.Path(file).name.removesuffix(".zst")
                with open(out / "sources" / name, "w") as source:
                    for text in (t[:longest] for t in texts(data / file)):
                        for written in group, source:
                            print(json.dumps({"text": text}), file=written)
                        words = WORD.findall(text.lower())
                        counts.update(words)
                        documents.update(set(words))
        total = counts.total()
        for word, n in counts.items():
            share[word] += n / total / len(KINDS) / 2
    listed = set()
    for line in open(data / "public-text/frequencies-en.tsv"):
        if not line.startswith("#"):
            word, frequency = line.rstrip("\n").split("\t")
            if WORD.fullmatch(word):
                share[word] += float(frequency) / 2
                listed.add(word)
    words = [w for w in share if len(w) > 1 and (w in listed or documents[w] >= 5)]
    words.sort(key=lambda w: (-share[w], w))
    stop = set((data / "public-text/stop.txt").read_text().split())
    content = [w for w in words if w not in stop]
    for name, chosen in (("words", words[:WORDS]), ("dictionary", content[:DICTIONARY]), ("vocabulary", content[:VOCABULARY])):
        (out / f"{name}.txt").write_text("\n".join(chosen) + "\n")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
