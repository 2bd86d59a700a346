package endtoend

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clusterTexts are three kinds of texts, by words that only one of them has.
var clusterTexts = [][]string{
	{"coffee", "espresso", "beans", "roast", "grinder", "brew", "cup"},
	{"guitar", "piano", "chords", "melody", "violin", "song", "rhythm"},
	{"theorem", "proof", "algebra", "geometry", "lemma", "integer", "equation"},
}

// clusterVector is the embedding of words: the sum of random vectors, which follow from the words alone. Words of a
// kind share one, as words of like meaning lie near each other.
func clusterVector(kind, words []string) string {
	var x [24]float64
	for i := range 2 * len(words) {
		word := kind[0]
		if i%2 == 0 {
			word = words[i/2]
		}
		h := fnv.New64a()
		h.Write([]byte(word))
		random := rand.New(rand.NewPCG(h.Sum64(), 0))
		for d := range x {
			x[d] += random.NormFloat64()
		}
	}
	return strings.ReplaceAll(fmt.Sprintf("%.4f", x), " ", ",")
}

// clusterData writes texts of three kinds with their vectors, and vectors of other texts that are public.
func clusterData(t *testing.T, folder string) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"texts.jsonl", "public.jsonl"} {
		var b strings.Builder
		for i := range 1500 {
			kind := clusterTexts[i%3]
			var words []string
			for range 6 {
				words = append(words, kind[random.IntN(len(kind))])
			}
			fmt.Fprintf(&b, `{"id":"%s-%d","label":"kind %d","text":%q,"vector":%s}`+"\n", name, i, i%3,
				strings.Join(words, " "), clusterVector(kind, words))
		}
		write(t, folder, name, b.String())
	}
}

const clustersRecipe = "pipelines/recipes/clusters.sh --epsilon 8 --clusters 3 --rounds 4 --dimension 24"

// TestClusters runs the recipe on three kinds of texts: it finds them, and names each by its words. The same command
// once more does nothing, and makes a lost model of the words again from the stored release. The noise on a cell has
// the deviation 2 at most beside sums above 50, so that the test fails by chance in less than one of 10¹⁰ runs.
func TestClusters(t *testing.T) {
	folder := t.TempDir()
	clusterData(t, folder)
	command := filepath.Join(root, clustersRecipe) +
		" --public public.jsonl --held texts.jsonl texts.jsonl texts.jsonl out"
	first := run(t, folder, command)
	for _, want := range []string{`(?m)^0\.9\d+ +|^1\.0000 +`, `(?m)^pld +(8|7\.99\d*) +1e-06 .*document +7$`} {
		if !regexp.MustCompile(want).MatchString(first) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
	for line := range strings.Lines(read(t, filepath.Join(folder, "out/public/topics.txt"))) {
		words := regexp.MustCompile(` ([a-z]+) 0\.\d+`).FindAllStringSubmatch(line, 3)
		if !strings.HasPrefix(line, "cluster_") {
			continue
		}
		kinds := 0
		for _, kind := range clusterTexts {
			if len(words) == 3 && slices.Contains(kind, words[0][1]) && slices.Contains(kind, words[1][1]) &&
				slices.Contains(kind, words[2][1]) {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("the leading words are of %d kinds: %s", kinds, line)
		}
	}
	page := read(t, filepath.Join(folder, "out/public/report.html"))
	if !strings.Contains(page, "by a model that is public and fixed") || !strings.Contains(page, "in 3 clusters") {
		t.Error("the page does not say whose vectors they must be, or how many clusters there are")
	}
	again := run(t, folder, "cp out/public/names.pp .; rm out/public/names.pp; cp out/private/run.ledger .; "+command+
		"; cmp names.pp out/public/names.pp; cmp run.ledger out/private/run.ledger")
	if again != first {
		t.Errorf("the second time it printed\n%s\nand the first\n%s", again, first)
	}
}

// TestClustersPage runs the commands of the page after a run. Each cluster has the same number everywhere.
func TestClustersPage(t *testing.T) {
	folder := t.TempDir()
	clusterData(t, folder)
	run(t, folder, `ln -s "$PRIVPIPE_BIN" bin; sed 's/"label":/"group":/' texts.jsonl >labelled.jsonl`)
	run(t, folder, filepath.Join(root, clustersRecipe)+" texts.jsonl texts.jsonl out/clusters")
	commands := block.FindAllStringSubmatch(read(t, "pipelines/recipes/CLUSTERS.md"), -1)
	if len(commands) != 1 {
		t.Fatalf("%d blocks, must be 1", len(commands))
	}
	printed := run(t, folder, strings.Replace(commands[0][1], "--dimension 384", "--dimension 24", 1))
	if !regexp.MustCompile(`(?m)^NMI .*\n(1\.0000|0\.9\d+) `).MatchString(printed) {
		t.Errorf("scored, they agree with the labels so:\n%s", printed)
	}
	// Each document is in the cluster that has its kind as its most frequent label, and its words as its name.
	for k, name := range regexp.MustCompile(`(?m)^cluster_(\d+) .*`).FindAllStringSubmatch(printed, -1) {
		if name[1] != fmt.Sprint(k) {
			t.Errorf("cluster %d is called %s", k, name[0])
		}
		label := regexp.MustCompile(`kind (\d)`).FindStringSubmatch(name[0])
		kind := int(label[1][0] - '0')
		words := regexp.MustCompile(`(?m)^cluster_` + name[1] + ` .*?%\s+([a-z]+) 0`).FindStringSubmatch(
			read(t, filepath.Join(folder, "out/clusters/public/topics.txt")))
		if words == nil || !slices.Contains(clusterTexts[kind], words[1]) {
			t.Errorf("cluster %d has documents of kind %d, and the word %q", k, kind, words)
		}
	}
}

// TestClustersRefuse: what cannot be a clustering under a budget ends before any charge.
func TestClustersRefuse(t *testing.T) {
	folder := t.TempDir()
	clusterData(t, folder)
	run(t, folder, `sed 's/"label":"kind \(.\)"/"user":"u\1"/' texts.jsonl >users.jsonl
head -n 9 texts.jsonl >few.jsonl; tokenize vectors --dimension 24 -o private.pp texts.jsonl`)
	const first = "texts.jsonl: line 1: the vector is not"
	for flags, c := range map[string]struct {
		code int
		want string
	}{
		"--dimension 7 texts.jsonl out":                  {90, first},
		"users.jsonl users.jsonl out":                    {83, "so --unit must say whose budget it is"},
		"--unit user users.jsonl texts.jsonl out":        {83, "texts.jsonl: no document names a user"},
		"texts.jsonl users.jsonl out":                    {83, "users.jsonl: documents name users, so --unit must say"},
		"--public private.pp texts.jsonl out":            {83, "--public private.pp is private"},
		"few.jsonl few.jsonl out":                        {83, "not worth the budget"},
		"texts.jsonl nowhere.jsonl out":                  {80, "no such text: nowhere.jsonl"},
		"texts.jsonl":                                    {80, "wants VECTORS, perhaps TEXT, and OUT"},
		"--covariance full texts.jsonl out":              {80, "must be spherical or diagonal"},
		"--projection nowhere.npy texts.jsonl out":       {80, "no such file: nowhere.npy"},
		"--language nowhere texts.jsonl texts.jsonl out": {80, "no words of a language in nowhere"},
	} {
		ends(t, folder, filepath.Join(root, clustersRecipe)+" "+flags, c.code, c.want)
		run(t, folder, `! grep -qs '"model":"clusters"' out/private/run.ledger; rm -rf out`)
	}
	said := ends(t, folder, filepath.Join(root, clustersRecipe)+" few.jsonl few.jsonl out", 83,
		"so does the same folder with other clusters, words or --project")
	size := read(t, filepath.Join(folder, "out/public/size.txt"))
	if of := regexp.MustCompile("topic|vocabulary|perplexity|lda").FindString(said + size); of != "" ||
		!strings.Contains(size, "clusters    none: two would want 400 documents") {
		t.Errorf("%q is said of vectors:\n%s%s", of, said, size)
	}
	// The size was released. How many clusters follow it, and of how many numbers, may follow from it, within the plan.
	few := filepath.Join(root, clustersRecipe) + " --force few.jsonl few.jsonl out "
	said = ends(t, folder, few+"--clusters 2 --project 8", 0, "")
	if !regexp.MustCompile(`(?m)^pld +(8|7\.99\d*) +1e-06 .*document +7$`).MatchString(said) {
		t.Errorf("after other clusters than planned:\n%s", said)
	}
	ends(t, folder, few+"--clusters 3", 80, "out was begun with other settings")
	run(t, folder, `rm -rf out; echo 'a "quote' >bad.csv`)
	recipe := filepath.Join(root, clustersRecipe) + " --force texts.jsonl "
	ends(t, folder, recipe+"bad.csv out", 90, "bad.csv")
	run(t, folder, recipe+"texts.jsonl out") // a text that cannot be read does not keep its folder
}

// TestClustersTooMany: a run of more clusters than its size is enough for is told so, and goes on. The size is 1,500
// with a deviation of 50, and a cluster wants 200.
func TestClustersTooMany(t *testing.T) {
	folder := t.TempDir()
	clusterData(t, folder)
	said := ends(t, folder, filepath.Join(root, clustersRecipe)+" --clusters 20 texts.jsonl texts.jsonl out", 0,
		" clusters, and not for 20 (out/public/size.txt)")
	if of := regexp.MustCompile(`topics |topics of|fewer topics`).FindString(said); of != "" {
		t.Errorf("%q is said of clusters:\n%s", of, said)
	}
}

// TestClustersMatch: texts that no vector belongs to are refused before anything is planned or charged, and the folder
// then takes other settings, also with a ledger of others. Each file may name its columns in its own way.
func TestClustersMatch(t *testing.T) {
	folder := t.TempDir()
	clusterData(t, folder)
	run(t, folder, `sed 's/"id":"/"id":"no-/' texts.jsonl >others.jsonl
sed 's/"text":/"body":/; s/"id":/"ticket":/; s/"vector":.*/"author":"u"}/' texts.jsonl >columns.jsonl
sed 's/"vector":/"embedding":/; s/"text":/"author":"u","vector":/' texts.jsonl >embedded.jsonl
sed 's/.*"id":"//; s/".*//' texts.jsonl >ids.txt; account ledger new all.ledger; cp all.ledger before`)
	var array strings.Builder
	fmt.Fprintf(&array, "\x93NUMPY\x01\x00\x76\x00%-117s\n",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1500, 24), }")
	for range 1500 * 24 {
		array.WriteString("\x00\x00\x80\x3f")
	}
	write(t, folder, "ones.npy", array.String())
	recipe := filepath.Join(root, clustersRecipe) + " --force "
	const columns = "--columns text=body,id=ticket,user=author --vector-columns vector=embedding,id=id "
	for _, c := range []struct {
		flags string
		code  int
		want  string
	}{
		{"texts.jsonl others.jsonl out", 90, "no text has the id of a vector"},
		{"--ledger all.ledger texts.jsonl others.jsonl shared", 90, "nothing was charged"},
		{"ones.npy texts.jsonl out", 80, "name a file of them with --ids"},
		{"--vector-columns vec=embedding texts.jsonl out", 80, "--vector-columns must be a list such as"},
		{columns + "embedded.jsonl columns.jsonl out", 83, "embedded.jsonl: documents name users, so --unit must"},
		{"--unit user " + columns + "embedded.jsonl texts.jsonl out", 90, `member "body" is missing`},
		{"--unit user --vector-columns vector=embedding,user=author embedded.jsonl texts.jsonl out", 83,
			"texts.jsonl: no document names a user, so --unit user protects single documents; both files name users"},
		{"--unit user --columns user=author texts.jsonl columns.jsonl out", 83,
			"texts.jsonl: no document names a user"},
	} {
		ends(t, folder, recipe+c.flags, c.code, c.want)
		run(t, folder, "[[ ! -e out/private/run.ledger && ! -e out/public/grant.json ]]; cmp all.ledger before")
	}
	said := ends(t, folder, recipe+columns+"--unit document embedded.jsonl columns.jsonl out", 0, "began the ledger")
	if strings.Contains(said, "fewer than half") {
		t.Error("all texts have a vector, and the recipe says that half of them have none")
	}
	run(t, folder, recipe+"--ledger all.ledger --ids ids.txt --public texts.jsonl ones.npy texts.jsonl shared")
}

// TestClustersOnOneLedger: another run charges the ledger between the clusters of a run and their words. The words are
// then not released, because ε would be above what the run was planned for.
func TestClustersOnOneLedger(t *testing.T) {
	folder := t.TempDir()
	clusterData(t, folder)
	run(t, folder, `account ledger new all.ledger; mkdir bin; ln -s "$PRIVPIPE_BIN"/* bin/; rm bin/mstep
printf '#!/bin/sh\n[ "$1" != choose ] || [ -e go ] || exit 7\nexec "%s/mstep" "$@"\n' "$PRIVPIPE_BIN" >bin/mstep
chmod +x bin/mstep`)
	recipe := "PRIVPIPE_BIN=$PWD/bin " + filepath.Join(root, clustersRecipe) +
		" --force --ledger all.ledger texts.jsonl "
	ends(t, folder, recipe+"texts.jsonl one", 7, "")
	run(t, folder, recipe+"--epsilon 9 two; touch go; cp all.ledger before")
	ends(t, folder, recipe+"texts.jsonl one", 83, "other runs have charged the ledger all.ledger")
	run(t, folder, "cmp before all.ledger; [[ ! -e one/public/names-grant.json ]]")
}
