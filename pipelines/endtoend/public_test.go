package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestPublicRecipe makes a public file of two corpora, and lda.sh takes it and the one that comes with it: the page
// names the file and shows topics before and after, another file in the same folder is refused, and a vocabulary that
// it does not know goes without. A damaged file stops lda.sh, also if it is the default: else the budget would buy a
// worse model.
func TestPublicRecipe(t *testing.T) {
	testkit.Deep(t, "quality")
	t.Parallel()
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, `awk 'NR % 3 == 0' comments.jsonl >one.jsonl; awk 'NR % 3 == 1' comments.jsonl >two.jsonl; awk 'NR % 3 == 2' comments.jsonl >private.jsonl`)
	recipe := filepath.Join(root, "pipelines/recipes/public.sh") + " --topics 3 --more 4 --features 5 "
	run(t, folder, recipe+"one.jsonl two.jsonl text.pp")
	said := run(t, folder, "mstep public --check text.pp")
	if !strings.HasPrefix(said, "12000 of 12000 words, 15 topics, 5 features, digest ") {
		t.Errorf("the public file: %s", said)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "text.pp.work")); left != nil {
		t.Error("the work is left")
	}
	digest := strings.TrimSpace(run(t, folder, `mstep public --check text.pp | sed 's/.* digest //'`))
	lda := filepath.Join(root, "pipelines/recipes/lda.sh") + " --force --topics 4 --rounds 4 "
	run(t, folder, lda+"--public text.pp private.jsonl out")
	page := run(t, folder, "cat out/public/report.html")
	for _, want := range []string{
		digest, "The topics before and after", "is the data’s own, ", "start.pp, SHA-256 ",
		"What the text reads like: ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if topics := run(t, folder, "cat out/public/topics.txt"); !strings.HasPrefix(topics, "topic  share  own ") {
		t.Errorf("the topics do not say how much is the data's own: %s", topics)
	}
	run(t, folder, "evaluate compare out/public/start.pp out/public/model.pp")
	run(t, folder, lda+"--public none private.jsonl plain")
	page = run(t, folder, "cat plain/public/report.html; ls plain/public")
	if strings.Contains(page, "before and after") || strings.Contains(page, "start.pp") {
		t.Error("a page without public text shows public topics before the first release")
	}
	// Vectors of words that say nothing but whether a word has an e: another file of the same texts.
	run(t, folder, `tokenize vocab --public one.jsonl | awk '{ print $1, ($1 ~ /e/), 1 }' | gzip >vectors.txt.gz; zcat vectors.txt.gz | cut -d ' ' -f 1 >words.txt`)
	run(t, folder, recipe+"--vectors vectors.txt.gz --vocab words.txt one.jsonl two.jsonl vectors.pp")
	// Another checkout, whose english.pp was cut off.
	run(t, folder, "head -c 2000 text.pp >torn.pp; mkdir -p copy/public; cp torn.pp copy/public/english.pp; cp "+
		filepath.Join(root, "pipelines/recipes/public/dictionary.txt")+" copy/public; cp "+
		root+"/pipelines/recipes/{lda,stages,words}.sh copy")
	elsewhere := `PRIVPIPE_BIN=$(dirname "$(type -P mstep)") copy/lda.sh --force --topics 4 --rounds 4 `
	for _, c := range []struct {
		command, want string
		code          int
	}{
		{elsewhere + "private.jsonl new", "cannot use the public file", 90},
		{recipe + "one.jsonl two.jsonl text.pp", "text.pp exists", 80},
		{recipe + "--vectors nowhere.txt one.jsonl out.pp", "no such vectors: nowhere.txt", 80},
		{recipe + "--vectors one.jsonl one.jsonl kept.pp", "one.jsonl: line 1: ", 90},
		{recipe + "two.jsonl kept.pp", "kept.pp.work was begun with other settings or another text", 80},
		{recipe + "one.jsonl kept.pp", "", 0}, // without the vectors, from the topics that are there
		{recipe + "one.jsonl", "wants TEXT… and OUT", 80},
		{recipe + "nowhere.jsonl out.pp", "no such text: nowhere.jsonl", 80},
		{recipe + "--topics 0 one.jsonl out.pp", "--topics must be a positive number, is 0", 80},
		{lda + "private.jsonl out", "other settings", 80},
		{lda + "--public nowhere.pp private.jsonl new", "no such public file: nowhere.pp", 80},
		{lda + "--public out/public/model.pp private.jsonl new", "a model of \"lda\", not a public file", 90},
		{lda + "--public torn.pp private.jsonl new", "lda.sh: error: cannot use the public file torn.pp", 90},
		{lda + "--vocab nowhere.txt private.jsonl new", "lda.sh: error: no such vocabulary: nowhere.txt", 80},
		{lda + "--vocab strange.txt private.jsonl strange", "goes on without public text", 0},
		{lda + "--public text.pp --vocab strange.txt private.jsonl new", "is not for this vocabulary", 80},
	} {
		write(t, folder, "strange.txt",
			"returns\n"+strings.Repeat("x", 20)+"\n"+strings.Repeat("y", 20)+"\n"+strings.Repeat("z", 20)+"\n")
		ends(t, folder, c.command, c.code, c.want)
	}
}

// TestAdviceOfRecipe compares the coins and rounds that account advise tells with those that lda.sh takes.
func TestAdviceOfRecipe(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	recipe := read(t, filepath.Join(root, "pipelines/recipes/lda.sh"))
	const few = "rate=${rate:-%v} rounds=${rounds:-%d}\n"
	for flags, form := range map[string]string{
		"--documents 19999 --epsilon 1":    few,
		"--documents 20000 --epsilon 1.01": few,
		"--documents 20000 --epsilon 1": `if [[ -z $rate$rounds ]] && ` +
			`holds "$part <= 1 && (${documents:-0} >= 20000 || !${documents:-0} && $topics > 25)"; then` +
			"\n  rate=%v rounds=%d\n",
	} {
		var advice struct {
			Rate   float64
			Rounds int
		}
		said := run(t, folder, "account advise --json --words 90 "+flags)
		if err := json.Unmarshal([]byte(said), &advice); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(form, advice.Rate, advice.Rounds); !strings.Contains(recipe, want) {
			t.Errorf("%s: lda.sh does not have %s", flags, want)
		}
	}
}

// TestAdviceOfClusters works out the noise on the mean of a cluster from the settings of clusters.sh, round by round,
// and compares it with what account advise tells.
func TestAdviceOfClusters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	recipe := read(t, filepath.Join(root, "pipelines/recipes/clusters.sh"))
	setting := func(form string) float64 {
		found := regexp.MustCompile(form + `([0-9.]+)`).FindStringSubmatch(recipe)
		if found == nil {
			t.Fatalf("clusters.sh does not have %s", form)
		}
		x, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	var answer struct {
		Clusters float64
		Noise    float64
		Single   float64 `json:"noise_multiplier"`
	}
	for _, command := range []string{"advise --documents 10000 --dimension 100", "noise --delta 1e-6 --all"} {
		said := run(t, folder, "account "+command+" --epsilon 1 --json")
		if err := json.Unmarshal([]byte(said), &answer); err != nil {
			t.Fatal(err)
		}
	}
	rounds := setting(" rounds=")
	share := 1 - setting(`words_once\(\) \{ once "\$1" `) - setting(`names_once\(\) \{ once "\$1" `)
	squares, later := 0.0, 1.0 // of the weight ρ_t·Π(1−ρ_s) of round t, over the later rounds s
	for round := rounds; round >= 1; round-- {
		rate := math.Pow(round, -0.6)
		squares += rate * rate * later * later
		later *= 1 - rate
	}
	sum := answer.Single * setting("clip=") * math.Sqrt(rounds/share*squares)
	if want := sum * math.Sqrt(100) / (10000 / answer.Clusters); math.Abs(answer.Noise/want-1) > 1e-6 {
		t.Errorf("noise %v on a mean, must be %v", answer.Noise, want)
	}
}

// TestWeigh: only a recipe that trains topics is told that word frequencies are the better use of the budget, by the
// rule for its public text.
func TestWeigh(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		recipe          string // its variables
		without, better bool
	}{
		{"topics=10", false, true},
		{"topics=10 public=english.pp", false, true},
		{"topics=10 public=none", true, true},
		{"topics=10 words_only=yes", false, false},
		{"units=rows", false, false},
	} {
		s := bash(t.TempDir(), "source "+filepath.Join(root, "pipelines/recipes/stages.sh")+`
epsilon=1 shown=$PWD `+c.recipe+`
touch size-grant.json size.pp
account() { echo "instead" >size.txt; echo "$*" >arguments; }
weigh; cat arguments >&2`)
		if err := s.Run(); err != nil {
			t.Fatal(err, s.stderr.String())
		}
		said := s.stderr.String()
		if strings.Contains(said, " --without-public ") != c.without ||
			strings.Contains(said, "of so small a text") != c.better {
			t.Errorf("%s: %s", c.recipe, said)
		}
	}
}

// TestWordsOnly releases word frequencies with the whole budget, and no topics. Public numbers decide about coins and
// rounds.
func TestWordsOnly(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	comments(t, folder)
	recipe := filepath.Join(root, "pipelines/recipes/lda.sh") + " --words-only --public none --held comments.jsonl "
	cases := []struct{ flags, coins string }{
		{"--epsilon 1 --force --topics 25", "--rate 0.25 --rounds 64"},
		{"--epsilon 1 --documents 20000 --topics 2", "--rate 0.125 --rounds 128"},
		{"--epsilon 1 --force --topics 26", "--rate 0.125 --rounds 128"},
		{"--epsilon 1 --documents 19999", "--rate 0.25 --rounds 64"},
		{"--epsilon 1.5 --documents 20000", "--rate 0.25 --rounds 64"},
	}
	for i, c := range cases[:testkit.Repeats(t, "operations", 2, len(cases))] {
		out := fmt.Sprint("out-", i)
		printed := run(t, folder, recipe+c.flags+" comments.jsonl "+out)
		epsilon := strings.Fields(c.flags)[1]
		for _, want := range []string{
			`(?m)^pld +(` + epsilon + `|0\.99\d*|1\.49\d*) +1e-06 .*document +1$`,
			`variational bound +([\d.]+) +[\d.]+ +12000`,
		} {
			if !regexp.MustCompile(want).MatchString(printed) {
				t.Errorf("%s: no %s in\n%s", c.flags, want, printed)
			}
		}
		settings := read(t, filepath.Join(folder, out, "private/settings"))
		if !strings.Contains(settings, " "+c.coins+" ") {
			t.Errorf("%s: no %s in %s", c.flags, c.coins, settings)
		}
		left := run(t, folder, "ls "+out+"/public")
		if strings.Contains(left, "model.pp") || !strings.Contains(left, "words.pp") {
			t.Errorf("%s: left %s", c.flags, left)
		}
	}
	topics := bash(folder, strings.Replace(recipe, " --words-only", "", 1)+"--epsilon 1 --force comments.jsonl out-0")
	if topics.Run() == nil || !strings.Contains(topics.stderr.String(), "was begun with other settings") {
		t.Errorf("topics in the folder of words: %s", topics.stderr.String())
	}
}
