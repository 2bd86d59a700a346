package endtoend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/mutants"
	"privpipe/pipelines/testkit/overlay"
	"privpipe/pipelines/testkit/seeded"
)

// A replayed is a pipeline of two rounds or so that evaluate replay audits. Flags that hold @ name files of the test's
// folder.
type replayed struct {
	documents                  string // a file of replayedFolder, docs.pp by default
	scheme                     string // of account plan and sample
	plan, sample, release      string // more flags of account plan, of sample, and of privatize
	subject, before            string // flags of account plan; a command that comes first
	estep, combine, mstep, end string
	still                      bool    // estep reads no parameters
	whole                      string  // the pipeline, if it is none of sums
	moves                      float64 // the most that a sum moves, over its sensitivity, at least
}

// byDefault are the fields of topics in two rounds.
func (r replayed) byDefault() replayed {
	r.documents = cmp.Or(r.documents, "docs.pp")
	r.scheme = cmp.Or(r.scheme, "--poisson 0.8 --rounds 2")
	r.subject = cmp.Or(r.subject, "--model lda:2 --vocab @vocab.txt")
	r.estep, r.mstep = cmp.Or(r.estep, "lda"), cmp.Or(r.mstep, "lda --topics 2 --vocab @vocab.txt")
	r.combine = cmp.Or(r.combine, "cat")
	return r
}

// script is the pipeline. All releases are kept, and all that it leaves but documents and coins may be seen.
func (r replayed) script() string {
	if r.whole != "" {
		return "account ledger new run.ledger\n" + strings.ReplaceAll(r.whole, "@", "$OLDPWD/")
	}
	r = r.byDefault()
	params, out := "--params params", "--params-out params"
	if r.still {
		params, out = "", ""
	}
	return strings.ReplaceAll(fmt.Sprintf(`account ledger new run.ledger
%s
account plan --noise-multiplier 2 --delta 1e-6 %s %s %s --ledger run.ledger -o grant.json
mkfifo params
sample %s %s documents.pp | estep %s --workers 1 %s | %s | privatize %s --grant grant.json --ledger run.ledger |
	tee releases.pp | mstep %s %s -o model.pp
%s`, r.before, r.scheme, r.plan, r.subject, strings.ReplaceAll(r.scheme, "/26", ""), r.sample, r.estep, params, r.combine,
		r.release, r.mstep, out, r.end), "@", "$OLDPWD/")
}

const (
	symmetricRows = "--vocab @features.txt --model blr --matrix s1=1xV --matrix s2=VxV,symmetric " +
		"--statistic s1=0.5 --statistic s2=0.25"
	responses = "--vocab @responses.txt --model linear --matrix xy=1xV --matrix xx=VxV,symmetric --matrix yy=1x1 " +
		"--matrix count=1x1"
	words = "--model words --matrix words=1xV --vocab @vocab.txt"

	// topics makes a released model, model.pp.
	topics = `
		account plan --noise-multiplier 2 --delta 1e-6 --all --rounds 1 --model lda:2 --vocab @vocab.txt \
			--ledger run.ledger -o topics.json
		mkfifo params
		sample --all --rounds 1 documents.pp | estep lda --workers 1 --params params |
			privatize --grant topics.json --ledger run.ledger |
			mstep lda --topics 2 --vocab @vocab.txt --params-out params -o model.pp`
)

// pipelines are of all families and samplings, and of the planted faults. They lack estep erm, estep collapsed and
// other coupled rounds: privatize none releases them, without a claim.
var pipelines = map[string]replayed{
	"lda":      {sample: "--secret coins", end: "evaluate topics --top 3 model.pp", moves: 0.99},
	"all":      {scheme: "--all --rounds 2", moves: 0.99},
	"fixed":    {scheme: "--fixed 10/26 --rounds 3", moves: 0.49},
	"nothing":  {scheme: "--fixed 10/26 --rounds 3", plan: "--adjacency replace-null", moves: 0.49},
	"allocate": {scheme: "--allocate --rounds 2 --epochs 2", moves: 0.99},
	"epoch":    {scheme: "--epoch --rounds 26", moves: 0.99},
	"windows": {scheme: "--epoch --rounds 2", moves: 0.99,
		sample:  "--run live --window 700000h --window-start 2020-01-01T00:00:00Z --window-state state",
		release: "--run live"},
	"user": {plan: "--unit user", sample: "--unit user", moves: 0.99},
	"exchange": {scheme: "--all --rounds 2", plan: "--unit user --adjacency replace-one", sample: "--unit user",
		moves: 0.49},
	"laplace":      {plan: "--mechanism laplace", release: "laplace", moves: 0.99},
	"lda, clipped": {plan: "--clip 0.3", moves: 0.99},
	"batch":        {plan: "--clipping batch --clip 0.3", moves: 0.01},
	"l1":           {plan: "--clipping unit-l1", moves: 0.49},
	"combine":      {plan: "--clip 0.3", combine: "privatize combine --grant grant.json", moves: 0.99},
	"gibbs":        {estep: "gibbs --top-topics 0", moves: 0.99},
	"words":        {subject: words, estep: "words", mstep: "words --vocab @vocab.txt", still: true, moves: 0.99},
	"words exchanged": {subject: words, estep: "words", mstep: "words --vocab @vocab.txt", still: true,
		scheme: "--all", plan: "--adjacency replace-one --non-negative", moves: 0.9},
	"words exchanged, Laplace": {subject: words, estep: "words", mstep: "words --vocab @vocab.txt", still: true,
		scheme: "--all", plan: "--adjacency replace-one --mechanism laplace", release: "laplace", moves: 0.9},
	"sbn": {documents: "images.pp", before: "estep sbn --bounds --hidden 3 --pixels 13 -o bounds.txt", estep: "sbn",
		subject: "--statistics bounds.txt --model sbn --vocab @vocab.txt", mstep: "sbn --hidden 3 --vocab @vocab.txt",
		moves: 0.9},
	"sbn, clipped": {documents: "images.pp", estep: "sbn", mstep: "sbn --hidden 3 --vocab @vocab.txt", moves: 0.9,
		before:  "estep sbn --bounds --hidden 3 --pixels 13 | sed 's/^clip=.*/clip=0.1/' >bounds.txt",
		subject: "--statistics bounds.txt --model sbn --vocab @vocab.txt"},
	"blr": {documents: "rows.pp", subject: symmetricRows + " --clip 1.41421357", estep: "blr --row-norm 1.7321",
		mstep: "blr --vocab @features.txt", moves: 0.7},
	"blr, clipped": {documents: "rows.pp", subject: symmetricRows + " --clip 0.3", estep: "blr --row-norm 1.7321",
		mstep: "blr --vocab @features.txt", moves: 0.99},
	"dpvi": {documents: "rows.pp", subject: "--vocab @features.txt --model dpvi --matrix gradients=2xV", estep: "dpvi",
		mstep: "dpvi --vocab @features.txt", moves: 0.7},
	"linear": {documents: "hours.pp", scheme: "--all", subject: responses + " --clip 2", moves: 0.7, still: true,
		estep: "linear --row-norm 1.7321 --least 1 --most 99", mstep: "linear --vocab @responses.txt"},
	"clusters": {documents: "vectors.pp", estep: "clusters", mstep: "clusters --clusters 2 --vocab @dimensions.txt",
		subject: "--model clusters --matrix counts=1x2 --matrix sums=2xV --statistic counts=2 --clip 1.118034 " +
			"--vocab @dimensions.txt", moves: 0.8},
	"gibbs, kept": {scheme: "--all --rounds 2", moves: 0.99,
		estep: "gibbs --keep --statistic counts --top-topics 0 --word-weight count --norm 0"},
	"words, clipped": {subject: words + " --clip 0.3", estep: "words", mstep: "words --vocab @vocab.txt", still: true,
		moves: 0.99},
	"words by name": {subject: words, estep: "words", mstep: "words --vocab @vocab.txt", still: true,
		scheme: "--epoch --rounds 26", moves: 0.99},
	"sbn of users": {documents: "images.pp", before: "estep sbn --bounds --hidden 3 --pixels 13 -o bounds.txt",
		plan: "--unit user", sample: "--unit user", estep: "sbn", mstep: "sbn --hidden 3 --vocab @vocab.txt",
		subject: "--statistics bounds.txt --model sbn --vocab @vocab.txt", moves: 0.9},
	"dpvi exchanged": {documents: "rows.pp", scheme: "--all --rounds 2", plan: "--adjacency replace-one", estep: "dpvi",
		subject: "--vocab @features.txt --model dpvi --matrix gradients=2xV", mstep: "dpvi --vocab @features.txt",
		moves: 0.7},
	"texts": {documents: "texts.jsonl", before: "tokenize text --vocab @vocab.txt -o documents.pp documents.jsonl",
		moves: 0.99},
	"texts of users": {documents: "texts.jsonl", plan: "--unit user", sample: "--unit user", moves: 0.99,
		before: "tokenize text --vocab @vocab.txt -o documents.pp documents.jsonl"},
	"texts exchanged": {documents: "texts.jsonl", scheme: "--fixed 10/26 --rounds 3", moves: 0.49,
		before: "tokenize text --vocab @vocab.txt -o documents.pp documents.jsonl"},
	"rows of CSV": {documents: "rows.csv", before: "tokenize rows --schema @schema.json -o documents.pp documents.csv",
		subject: "--vocab @features.txt --model dpvi --matrix gradients=2xV", estep: "dpvi",
		mstep: "dpvi --vocab @features.txt", moves: 0.49},
	"vectors of JSON Lines": {documents: "vectors.jsonl", estep: "clusters",
		before: "tokenize vectors --dimension 4 -o documents.pp documents.jsonl",
		mstep:  "clusters --clusters 2 --vocab @dimensions.txt", moves: 0.49,
		subject: "--model clusters --matrix counts=1x2 --matrix sums=2xV --statistic counts=2 --clip 1.118034 " +
			"--vocab @dimensions.txt"},
	"gibbs of words": {documents: "short.pp", moves: 0.9, whole: `
		account plan-paper --unit word --mechanism laplace --clipping proved --sensitivity 2 --clip 1 --noise-multiplier 4 \
			--all -T 2 --model lda --matrix topics=2xV --vocab @vocab.txt --draws 2 -o grant.json
		mkfifo params; (umask 077; head -c 32 /dev/urandom >key)
		sample --all -T 2 --run chain documents.pp |
			estep gibbs --keep --state state.pp --secret key --statistic counts --top-topics 0 --word-weight count --norm 0 \
				--draws 2 --params params |
			privatize laplace --run chain --grant grant.json --ledger run.ledger |
			mstep lda --topics 2 --kappa 0 --vocab @vocab.txt --params-out params -o model.pp`},
	"shares": {moves: 0.9, whole: topics + `
		account plan --noise-multiplier 2 --delta 1e-6 --all --rounds 1 --model shares --matrix shares=1x3 \
			--vocab @vocab.txt --ledger run.ledger -o shares.json
		sample --all --rounds 1 --run week documents.pp | estep lda --shares --model model.pp --workers 1 |
			privatize --run week --grant shares.json --ledger run.ledger -o week.pp
		mstep shares --model model.pp -o series.csv week.pp`},
	"shares of groups": {moves: 0.9, whole: topics + `
		printf '%s\n' 0 1 >groups
		account plan --noise-multiplier 2 --delta 1e-6 --all --rounds 1 --model shares --matrix shares=3x3 \
			--vocab @vocab.txt --ledger run.ledger -o shares.json
		sample --all --rounds 1 --run week documents.pp |
			estep lda --shares --model model.pp --groups groups --workers 1 |
			privatize --run week --grant shares.json --ledger run.ledger -o week.pp
		mstep shares --model model.pp --groups groups -o series.csv week.pp`},
	"words of clusters": {documents: "named.jsonl", moves: 0.9, whole: `
		tokenize vectors --dimension 4 -o vectors.pp documents.jsonl
		tokenize text --vocab @vocab.txt -o documents.pp documents.jsonl
		account plan --noise-multiplier 2 --delta 1e-6 --all --rounds 1 --model clusters --matrix counts=1x2 \
			--matrix sums=2xV --statistic counts=2 --clip 1.118034 --vocab @dimensions.txt \
			--ledger run.ledger -o clusters.json
		mkfifo params
		sample --all --rounds 1 vectors.pp | estep clusters --workers 1 --params params |
			privatize --grant clusters.json --ledger run.ledger |
			mstep clusters --clusters 2 --vocab @dimensions.txt --params-out params -o clusters.pp
		account plan --noise-multiplier 2 --delta 1e-6 --all --rounds 1 --model lda:2 --vocab @vocab.txt \
			--ledger run.ledger -o names.json
		sample --all --rounds 1 --run names documents.pp |
			estep cluster-words --model clusters.pp --vectors vectors.pp --workers 1 |
			privatize --run names --grant names.json --ledger run.ledger |
			mstep lda --of-clusters --topics 2 --vocab @vocab.txt -o names.pp`},
	"select": {documents: "texts.jsonl", moves: 0.9, whole: `
		account plan-words --mechanism select --noise-multiplier 2 --delta 1e-6 --max-words 2 --ledger run.ledger -o grant.json
		tokenize terms documents.jsonl | privatize select --grant grant.json --ledger run.ledger -o words.txt`},
	"reports": {moves: 0.7, whole: `
		account plan-words --mechanism randomized-response --flip 0.3 --max-words 2 --vocab @vocab.txt --ledger run.ledger -o grant.json
		privatize randomized-response --grant grant.json --ledger run.ledger -o reports.pp documents.pp`},
	"size": {documents: "sizes.pp", scheme: "--all", subject: "--model size --matrix size=1x4", estep: "size",
		mstep: "size", still: true, moves: 0.49},
}

// replayedFolder writes small data sets to a folder, and returns the folder of the programs of the seeded build. Texts
// have equal and empty ones, and a user with several.
func replayedFolder(t *testing.T, folder string) (bin string) {
	t.Helper()
	random := rand.New(rand.NewPCG(21, 22))
	var texts, images, rows, hours, vectors, named strings.Builder
	rows.WriteString("age,ward,ill\n")
	hours.WriteString("age,ward,hours\n")
	for i := range 24 {
		text, image := "", ""
		for range []int{0, 4, 9, 30}[i%4] {
			text += " " + bagWords[random.IntN(12)]
		}
		for _, word := range bagWords[:12] {
			if random.Float64() < 0.4 {
				image += " " + word
			}
		}
		fmt.Fprintf(&texts, "{%q:%q,%q:%q,%q:%q}\n", "text", text, "user", fmt.Sprint("u", max(0, i-7)), "label",
			fmt.Sprint(i%2))
		fmt.Fprintf(&images, "{%q:%q,%q:%q}\n", "text", image, "user", fmt.Sprint("u", i/3))
		ward := []string{"north", "south"}[random.IntN(2)]
		fmt.Fprintf(&rows, "%d,%s,%s\n", random.IntN(101), ward, []string{"yes", "no"}[random.IntN(2)])
		fmt.Fprintf(&hours, "%d,%s,%d\n", random.IntN(101), ward, 1+random.IntN(99))
		vector := [4]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		vector[i%4] = 0
		numbers := fmt.Sprintf("%q:[%f,%f,%f,%f]", "vector", vector[0], vector[1], vector[2], vector[3])
		fmt.Fprintf(&vectors, "{%s}\n", numbers)
		fmt.Fprintf(&named, "{%q:%q,%q:%q,%s}\n", "id", fmt.Sprint("d", i), "text", text, numbers)
	}
	texts.WriteString(strings.Repeat(`{"text":"waa wab wab","user":"twins"}`+"\n", 2))
	for name, content := range map[string]string{
		"vocab.txt": strings.Join(bagWords[:13], "\n") + "\n", "texts.jsonl": texts.String(),
		"images.jsonl": images.String(), "short.jsonl": `{"text":"waa"}` + "\n" + `{"text":"waa wab wac"}` + "\n" +
			`{"text":"wac"}` + "\n", "rows.csv": rows.String(), "hours.csv": hours.String(),
		"vectors.jsonl": vectors.String(), "named.jsonl": named.String(), "schema.json": clinicSchema,
		"hours.json": strings.Replace(clinicSchema, `"ill", "type": "label", "positive": ["yes"], "negative": ["no"]`,
			`"hours", "type": "label", "least": 1, "most": 99`, 1),
	} {
		write(t, folder, name, content)
	}
	run(t, folder, `tokenize text -q --vocab vocab.txt -o docs.pp texts.jsonl
		tokenize sizes -q -o sizes.pp docs.pp
		tokenize text -q --vocab vocab.txt -o short.pp short.jsonl
		tokenize text -q --vocab vocab.txt -o images.pp images.jsonl
		tokenize features -q --schema schema.json -o features.txt
		tokenize rows -q --schema schema.json -o rows.pp rows.csv
		tokenize features -q --schema hours.json -o responses.txt
		tokenize rows -q --schema hours.json -o hours.pp hours.csv
		tokenize features -q --dimension 4 -o dimensions.txt
		tokenize vectors -q --dimension 4 -o vectors.pp vectors.jsonl`)
	for _, e := range seeded.Env(folder) {
		if value, is := strings.CutPrefix(e, "PRIVPIPE_BIN="); is {
			bin = value
		}
	}
	return bin
}

// replay replays a pipeline in a folder. It returns the exit code and the output.
func replay(t *testing.T, folder, bin, flags, pipeline string) (code int, printed string) {
	t.Helper()
	name := fmt.Sprintf("%x.sh", rand.Uint64())
	write(t, folder, name, "set -euo pipefail\n"+pipeline)
	s := bash(folder, fmt.Sprintf(`evaluate replay --bin %s --folder . %s -- bash "$PWD/%s"`, bin, flags, name))
	s.Run()
	return s.ProcessState.ExitCode(), s.stdout.String() + s.stderr.String()
}

// TestReplay: a sound pipeline of the seeded build passes, and pipelines that tell something of their documents do not.
// A folder of shipped programs is refused, so none draws noise here.
func TestReplay(t *testing.T) {
	t.Parallel()
	folder := seeded.From(t, 1)
	bin := replayedFolder(t, folder)
	topicsTwice := pipelines["lda"].script()
	code, printed := replay(t, folder, bin,
		"--case 'without the last' --case 'with an empty one' --case 'with a loud one' docs.pp", topicsTwice)
	if code != 0 || !strings.Contains(printed, "Neighbours differ by add-remove of a document.") ||
		strings.Count(printed, "within the claim") != 3 || !strings.Contains(printed, "1.000  within the claim") {
		t.Errorf("exit code %d: %s", code, printed)
	}
	for name, c := range map[string]struct{ script, found string }{
		"a count on standard error": {"show --private documents.pp | wc -l >&2\n", "messages: 1 lines more"},
		"a count in a file":         {"show --private documents.pp | wc -l >count\n", "files: count has other bytes"},
		"a test of the number of documents": {"show --private documents.pp | wc -l | grep -qx 28 || exit 7\n",
			"exit code: 7, not 0"},
		"coins by the number of documents": {
			"(umask 077; printf %032d \"$(show --private documents.pp | wc -l)\" >coins)\n", "sums: "},
	} {
		t.Run(name, func(t *testing.T) {
			code, printed := replay(t, folder, bin, "--case 'without the last' docs.pp",
				c.script+topicsTwice)
			if code != 83 || !strings.Contains(printed, c.found) {
				t.Errorf("exit code %d, must be 83 and say %s: %s", code, c.found, printed)
			}
		})
	}
	shipped := os.Getenv("PRIVPIPE_BIN")
	code, printed = replay(t, folder, shipped, "docs.pp", topicsTwice)
	if code != 80 || !strings.Contains(printed, filepath.Join(shipped, "account")+" is not of a seeded build") {
		t.Errorf("shipped programs: exit code %d, %s", code, printed)
	}
	// A seeded build whose privatize is passed by protects nothing either.
	code, printed = replay(t, folder, bin, "docs.pp", `account() { `+shipped+`/account "$@"; }
privatize() { `+shipped+`/privatize "$@"; }
`+topicsTwice)
	if code != 80 || !strings.Contains(printed, "no privatize of --bin made") {
		t.Errorf("a shipped privatize beside the seeded build: exit code %d, %s", code, printed)
	}
}

// TestReplayFamilies: pipelines of all families, units, samplings, mechanisms and ways to clip pass. Their sums move.
func TestReplayFamilies(t *testing.T) {
	testkit.Deep(t, "audits")
	t.Parallel()
	folder := seeded.From(t, 1)
	bin := replayedFolder(t, folder)
	for name, p := range pipelines {
		t.Run(name, func(t *testing.T) {
			code, printed := replay(t, folder, bin, "--json "+p.byDefault().documents, p.script())
			var found struct{ Neighbours []struct{ Moved float64 } }
			text, _, _ := strings.Cut(printed, "\n")
			if err := json.Unmarshal([]byte(text), &found); code != 0 || err != nil {
				t.Fatalf("exit code %d, %v: %s", code, err, printed)
			}
			most := 0.0
			for _, n := range found.Neighbours {
				most = max(most, n.Moved)
			}
			t.Logf("%d neighbours, sums move by at most %.6f of their sensitivity", len(found.Neighbours), most)
			if most < p.moves || most > 1 {
				t.Errorf("sums move by %v of their sensitivity, at least %v is known", most, p.moves)
			}
		})
	}
}

// TestReplayFinds: evaluate replay finds each fault of pipelines/testkit/mutants that names it, in the named pipeline,
// by the named check, with the named neighbours, and with no statistics. One seeded build has all faults.
func TestReplayFinds(t *testing.T) {
	testkit.Deep(t, "audits")
	t.Parallel()
	all, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m *mutants.Mutant) bool { return m.Replay == "" })
	shipped := t.TempDir() // beside the shipped stages, since the seeded build links them
	if err := os.CopyFS(shipped, os.DirFS(os.Getenv("PRIVPIPE_BIN"))); err != nil {
		t.Fatal(err)
	}
	bin, err := seeded.BuildWith(root, shipped, func(o *overlay.Overlay) error { return mutants.Choose(o, all) })
	if err != nil {
		t.Fatal(err)
	}
	folder := seeded.From(t, 1)
	replayedFolder(t, folder)
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_CHILDREN, &before)
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			line := strings.Split(m.Replay, " | ")
			p, known := pipelines[line[0]]
			if !known || len(line) < 2 {
				t.Fatalf("no pipeline or no check: %q", line)
			}
			flags := p.byDefault().documents
			for _, neighbour := range line[2:] {
				flags = fmt.Sprintf("--case %q %s", neighbour, flags)
			}
			code, printed := replay(t, folder, bin, flags, "export PRIVPIPE_MUTANT="+m.Name+"\n"+p.script())
			t.Log(printed)
			if code != 83 || !strings.Contains(printed, " "+line[1]+": ") {
				t.Errorf("exit code %d, must be 83 by %s", code, line[1])
			}
		})
	}
	syscall.Getrusage(syscall.RUSAGE_CHILDREN, &after)
	spent := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	t.Logf("%d faults, found with %.0f CPU-s", len(all), spent.Seconds())
	if len(all) < 30 {
		t.Errorf("%d faults, there were 30", len(all))
	}
}
