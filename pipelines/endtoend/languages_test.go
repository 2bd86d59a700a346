package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/seeded"
)

// packages are stand-ins for wordfreq and stopwordsiso, in a language of ten nouns, and in Chinese.
const packages = `mkdir -p fake "cache/privpipe/wordfreq-3.1.1-stopwordsiso-0.7.1/venv/bin"
cat >fake/wordfreq.py <<'END'
nouns = {w: .016 / 2 ** n for n, w in enumerate("Apfel Birne Straße Esel Hund Katze Maus Vogel l'eau Baum".split())}
chinese = {"東京都": .01, "の": .01}
def available_languages(): return {"xy": "", "zh": "", "ko": "", "en": ""}
others = nouns | {"und": .5, "the": .001, "and": .01, "22": .4}
def get_frequency_dict(language): return chinese if language == "zh" else others
def word_frequency(word, language): return .03
END
cat >fake/stopwordsiso.py <<'END'
def stopwords(language): return {"the", "and"} if language == "en" else {"und"}
END
cd cache/privpipe/*
printf '#!/bin/sh\nPYTHONPATH=%q exec python3 "$@"\n' ~-/fake >venv/bin/python3
chmod +x venv/bin/python3
touch complete`

// TestLanguage makes a language's words out of stand-ins for its packages, and lda.sh learns topics with them. The
// words are cut as texts are. Stop words are in no dictionary, and neither are English words that the language has no
// use for. The frequencies come from the package. Without the packages, or without words, nothing is made, and the
// error says why.
func TestLanguage(t *testing.T) {
	testkit.Deep(t, "documents")
	folder := seeded.Folder(t, seeded.Chance{Seed: 1, Margin: "0.15 of the known share", Rate: 1e-5})
	run(t, folder, packages)
	recipes := filepath.Join(root, "pipelines/recipes")
	public := "XDG_CACHE_HOME=$PWD/cache " + recipes + "/public.sh --language "
	said := run(t, folder, public+"xy 'my words'")
	if want := `lda.sh --language my\ words TEXT FOLDER`; !strings.Contains(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	words := strings.Fields(read(t, filepath.Join(folder, "my words/dictionary.txt")))
	slices.Sort(words)
	// "and" is as frequent as in English, so it is a word of the language; "the" is an English quotation.
	if got := strings.Join(words, " "); got != "and apfel baum birne eau esel hund katze maus straße vogel" {
		t.Errorf("the dictionary is %s", got)
	}
	made := run(t, folder, "sort 'my words/stop.txt' | xargs; ls 'my words' | xargs")
	if made != "the und\ndictionary.txt public.pp stop.txt\n" {
		t.Errorf("stop words and files: %s", made)
	}
	frequency := frequencies(t, folder, "my words/public.pp")
	for rarer, word := range map[string]string{"birne": "apfel", "straße": "birne", "katze": "hund"} {
		if ratio := frequency[word] / frequency[rarer]; math.Abs(ratio-2) > 0.05 {
			t.Errorf("%s is %v times as frequent as %s, want twice", word, ratio, rarer)
		}
	}
	run(t, folder, public+"zh zh; [[ $(sort zh/dictionary.txt | xargs) == 'の 京都 東京' ]]")

	// A text of the language: half of its words are stop words, and 3 of 4 others are known.
	var texts strings.Builder
	for i := range 4000 {
		nouns := "apfel birne straße"
		if i%2 == 0 {
			nouns = "hund katze maus"
		}
		fmt.Fprintf(&texts, "{\"id\":\"%d\",\"text\":\"und %s und unbekannt und und\"}\n", i, nouns)
	}
	write(t, folder, "text.jsonl", texts.String())
	lda := recipes + "/lda.sh --topics 2 --rounds 2 "
	run(t, folder, lda+"--language 'my words' text.jsonl out")
	size := read(t, filepath.Join(folder, "out/public/size.txt"))
	if !regexp.MustCompile(`coverage +0\.[6-9]`).MatchString(size) {
		t.Errorf("stop words of the language count as unknown: %s", size)
	}
	// So does weekly.sh, on the documents before the first week.
	run(t, folder, `awk '{ sub(/}$/, ""); printf "%s,\"made\":\"2025-%02d-10\"}\n", $0, 1 + NR % 4 }' text.jsonl >dated.jsonl`)
	weekly := recipes + "/weekly.sh --date made --every month --from 2025-04-01 --for 1 --now 2025-05-02 --force "
	said = run(t, folder, weekly+"--topics 2 --language 'my words' dated.jsonl months 2>&1")
	if strings.Contains(said, "covers few") || !strings.Contains(said, "1 of 1 are released") {
		t.Errorf("months in the language: %s", said)
	}
	ends(t, folder, weekly+"--language 'my words' dated.jsonl no", 80, "the topics of public text are English")
	run(t, folder, "rm zh/stop.txt; mkdir tools broken; ln -s /usr/bin/* tools/; rm tools/python3*; "+
		"ln -s /usr/bin/false broken/python3")
	for _, c := range []struct {
		command, want string
		code          int
	}{
		{lda + "--language nowhere text.jsonl no",
			"no words of a language in nowhere: public.sh --language makes them", 80},
		{lda + "--language zh text.jsonl no", "no words of a language in zh", 80},
		{lda + "--language 'my words' --public none text.jsonl no",
			"no --vocab, --dictionary and --public go with it", 80},
		{lda + "--language 'my words' out/private/documents.pp no", "not for bags of words", 80},
		{public + "xy zh", "zh exists", 80},
		{public + "xy text.jsonl new", "wants OUT and no TEXT with --language", 80},
		{public + "ko new", "--language ko: the list of frequencies has stems and endings", 80},
		{public + "en new", "--language en: its words come with the recipes", 80},
		{public + "qq new", "--language qq: no such language; there are xy zh", 80},
		{"PATH=$PWD/tools XDG_CACHE_HOME=$PWD/none " + recipes + "/public.sh --language de new",
			"python3 is not on PATH", 82},
		{"PATH=$PWD/broken:$PATH XDG_CACHE_HOME=$PWD/none " + recipes + "/public.sh --language de new",
			"cannot fetch wordfreq==3.1.1 stopwordsiso==0.7.1", 82},
	} {
		ends(t, folder, c.command, c.code, c.want)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "n[eo]*")); len(left) != 1 || filepath.Base(left[0]) != "none" {
		t.Errorf("left over: %v", left)
	}
}

// frequencies are those of the words of a public file.
func frequencies(t *testing.T, folder, name string) map[string]float64 {
	var words []string
	of := make(map[string]float64)
	for line := range strings.Lines(run(t, folder, fmt.Sprintf("show %q", name))) {
		var record struct {
			Words struct{ Words []string }
			Block struct {
				Matrix string
				Offset int
				Values []float64
			}
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		words = append(words, record.Words.Words...)
		if record.Block.Matrix == "frequencies" {
			for i, p := range record.Block.Values {
				of[words[record.Block.Offset+i]] = p
			}
		}
	}
	return of
}

// TestHalfKnown: a text is refused if the English dictionary has 45 % of its words. Such a text is one of another
// language with names and loanwords. 30,000 documents know that share within 0.004.
func TestHalfKnown(t *testing.T) {
	folder := t.TempDir()
	recipes := filepath.Join(root, "pipelines/recipes")
	known := strings.Join(strings.Fields(read(t, filepath.Join(recipes, "public/dictionary.txt")))[2000:2009], " ")
	unknown := "zzva zzvb zzvc zzvd zzve zzvf zzvg zzvh zzvi zzvj zzvk"
	var texts strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&texts, "{\"id\":\"%d\",\"text\":\"%s %s\"}\n", i, known, unknown)
	}
	write(t, folder, "text.jsonl", texts.String())
	s := bash(folder, recipes+"/lda.sh --topics 2 --rounds 2 text.jsonl out")
	s.Run()
	for _, want := range []string{"less than --min-coverage 0.5", "lda.sh --language takes"} {
		if code := s.ProcessState.ExitCode(); code != 83 || !strings.Contains(s.stderr.String(), want) {
			t.Errorf("exit code %d, %s; want 83, %s", code, s.stderr.String(), want)
		}
	}
}
