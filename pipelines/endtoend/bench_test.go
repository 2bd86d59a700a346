package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The benchmarks measure the built stages beside other tools on the same input in the same run (.ci/bench). What counts
// is the ratio. Each side runs several times, in turns, and the least of its times is taken: what a busy machine adds
// is not theirs.

// python returns a Python that has some modules, the one that PYTHON names, or skips the test or benchmark.
func python(b testing.TB, modules ...string) string {
	b.Helper()
	name := os.Getenv("PYTHON")
	if name == "" {
		name = "python3"
	}
	if exec.Command(name, "-c", "import "+strings.Join(modules, ",")).Run() != nil {
		b.Skipf("%s has no %s: name one that has with PYTHON (.ci/peers makes one)", name, strings.Join(modules, ", "))
	}
	return name
}

// usage is what a process took.
type usage struct {
	cpu, wall time.Duration
	memory    int64 // at its peak, in bytes
}

// measure runs the programs of a pipeline, one a line, and says what each took. The wall time is that of all.
func measure(b *testing.B, folder string, lines ...string) []usage {
	b.Helper()
	began := time.Now()
	commands := make([]*exec.Cmd, len(lines))
	for i, line := range lines {
		c := exec.Command("bash", "-c", "exec "+line)
		c.Dir, c.Stderr = folder, os.Stderr
		if i > 0 {
			r, w, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			commands[i-1].Stdout, c.Stdin = w, r
		}
		commands[i] = c
	}
	for _, c := range commands {
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range commands {
		for _, end := range []any{c.Stdin, c.Stdout} {
			if pipe, ok := end.(*os.File); ok {
				pipe.Close()
			}
		}
	}
	took := make([]usage, len(commands))
	for i, c := range commands {
		if err := c.Wait(); err != nil {
			b.Fatalf("%s: %v", lines[i], err)
		}
		peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024
		took[i] = usage{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(began), peak}
	}
	return took
}

// onOneCore begins a command whose CPU time is measured: two threads of one core would each seem slow.
const onOneCore = "env GOMAXPROCS=1 "

// repetitions is how often each side runs.
const repetitions = 5

// least keeps the least time that a side took.
type least struct{ cpu, wall float64 } // seconds

func (l *least) take(cpu, wall float64) {
	if l.cpu == 0 {
		*l = least{cpu, wall}
	}
	l.cpu, l.wall = min(l.cpu, cpu), min(l.wall, wall)
}

// BenchmarkTokenize compares MB of JSON Lines a core-second with CountVectorizer, which gets its texts parsed, and with
// wc -w of the whole lines in UTF-8, which only counts words.
func BenchmarkTokenize(b *testing.B) {
	posts, words := shared(b, "data/reddit/reddit-posts.jsonl.zst"), shared(b, "data/vocab/dictnostops.txt")
	py, folder := python(b, "sklearn"), b.TempDir()
	decompress(b, posts, filepath.Join(folder, "posts.jsonl"))
	info, err := os.Stat(filepath.Join(folder, "posts.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	megabytes := float64(info.Size()) / 1e6
	script, err := filepath.Abs("countvectorizer.py")
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		var ours, theirs, counting least
		var peak int64
		for range repetitions {
			command := fmt.Sprintf("tokenize text --vocab %s -o docs.pp posts.jsonl", words)
			took, single := measure(b, folder, command)[0], measure(b, folder, onOneCore+command)[0]
			ours.take(single.cpu.Seconds(), took.wall.Seconds())
			peak = max(peak, took.memory)
			count := measure(b, folder, "env LC_ALL=C.UTF-8 wc -w posts.jsonl >/dev/null")[0]
			counting.take(count.cpu.Seconds(), count.wall.Seconds())
			var peer struct{ CPU float64 }
			decode(b, run(b, folder, fmt.Sprintf("%s %s %s posts.jsonl", py, script, words)), &peer)
			theirs.take(peer.CPU, peer.CPU) // it works on one core
		}
		b.ReportMetric(megabytes/ours.wall, "MB/s")
		b.ReportMetric(megabytes/ours.cpu, "MB/core-s")
		b.ReportMetric(megabytes/theirs.wall, "CountVectorizer-MB/s")
		b.ReportMetric(theirs.wall/ours.wall, "×CountVectorizer")
		b.ReportMetric(theirs.cpu/ours.cpu, "×CountVectorizer-per-core")
		b.ReportMetric(megabytes/counting.cpu, "wc-MB/core-s")
		b.ReportMetric(counting.cpu/ours.cpu, "×wc-per-core")
		b.ReportMetric(float64(peak)/1e6, "MB-peak")
	}
}

var docsPerSecond = regexp.MustCompile(`([0-9.]+) docs/s`)

// BenchmarkEStep compares documents a core-second in the E-step with gensim and scikit-learn: 20 Newsgroups, K = 50,
// one trained λ for all, tolerance 1e-3, at most 100 iterations, float32. Ours is measured in a process, as theirs, and
// as the whole stage, which also reads the round from a file, checks it, and writes the contributions out, of all
// topics or of each document's five largest.
func BenchmarkEStep(b *testing.B) {
	py, folder := python(b, "gensim", "sklearn"), b.TempDir()
	documents := trained(b, folder)
	shapes := map[string]string{"all-topics": " --top-topics 0 --word-weight count --norm 0", "shaped": ""}
	for range b.N {
		seconds := make(map[string]*least) // a document
		take := func(name string, cpu, documents float64) {
			if seconds[name] == nil {
				seconds[name] = new(least)
			}
			seconds[name].take(cpu/documents, 0)
		}
		for range repetitions {
			for _, peer := range []string{"gensim", "sklearn"} {
				var p struct {
					Docs, Iters float64
					CPU         []float64
				}
				decode(b, run(b, folder,
					fmt.Sprintf("%s %s peers.train.docword.txt peers.vocab.txt --mode estep --K 50 --dtype float32 "+
						"--docs 4096 --reps 2 --lam lambda.npy 2>/dev/null", py, shared(b, "peers", "p_"+peer+".py"))),
					&p)
				take(peer, slices.Min(p.CPU), p.Docs)
				b.ReportMetric(p.Iters, "iterations/doc")
			}
			inProcess := run(b, root,
				fmt.Sprintf("PRIVPIPE_MODEL=%[1]s/model.pp PRIVPIPE_DOCUMENTS=%[1]s/train.pp GOMAXPROCS=1 "+
					"go test ./estep/lda -run '^$' -bench Contribute -benchtime 3x", folder))
			rate := docsPerSecond.FindStringSubmatch(inProcess)
			if rate == nil {
				b.Fatal(inProcess)
			}
			perSecond, err := strconv.ParseFloat(rate[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			take("in-process", 1, perSecond)
			for name, shape := range shapes {
				took := measure(b, folder, onOneCore+
					"estep lda --params model.pp --tolerance 1e-3 --iterations 100"+shape+" round.pp >/dev/null")[0]
				take(name, took.cpu.Seconds(), documents)
			}
		}
		for name, s := range seconds {
			b.ReportMetric(1/s.cpu, name+"-docs/core-s")
		}
		for _, name := range []string{"in-process", "all-topics", "shaped"} {
			b.ReportMetric(seconds["gensim"].cpu/seconds[name].cpu, name+"-×gensim")
			b.ReportMetric(seconds["sklearn"].cpu/seconds[name].cpu, name+"-×sklearn")
		}
	}
}

// BenchmarkPipeline compares the wall time of the whole pipeline, with noise, with that of the E-step alone on as many
// documents, and says what memory each stage takes. It goes on from a trained λ with a small learning rate, so that the
// E-step has as much to do in each round as alone.
func BenchmarkPipeline(b *testing.B) {
	folder := b.TempDir()
	trained(b, folder)
	words, err := filepath.Abs(filepath.Join(folder, "peers.vocab.txt"))
	if err != nil {
		b.Fatal(err)
	}
	const rounds = 8
	for name, shape := range map[string]string{
		"all-topics": " --top-topics 0 --word-weight count --norm 0 --iterations 100", "shaped": " --iterations 100",
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				run(b, folder, fmt.Sprintf(`
rm -rf ledger* params
mkfifo params
account ledger new ledger
account plan --noise-multiplier 1 --all --rounds %d --model lda --matrix topics=50xV --vocab %s -o grant.json`, rounds, words))
				stages := []string{
					fmt.Sprintf("sample --all --rounds %d train.pp", rounds),
					"estep lda --params params" + shape,
					"privatize --grant grant.json --ledger ledger",
					fmt.Sprintf("mstep lda --topics 50 --vocab %s --initial lambda.npy --tau0 64 --kappa 0.7 "+
						"--params-out params -o noisy.pp", words),
				}
				took := measure(b, folder, stages...)
				whole := took[len(took)-1].wall.Seconds()
				var alone least
				for range repetitions {
					took := measure(b, folder, "estep lda --params model.pp"+shape+" round.pp >/dev/null")[0]
					alone.take(took.cpu.Seconds(), took.wall.Seconds())
				}
				b.ReportMetric(whole, "s-pipeline")
				b.ReportMetric(whole/(rounds*alone.wall), "×E-step-alone")
				for i, stage := range stages {
					stage, _, _ = strings.Cut(stage, " ")
					b.ReportMetric(float64(took[i].memory)/1e6, stage+"-MB-peak")
					b.ReportMetric(took[i].cpu.Seconds(), stage+"-cpu-s")
				}
			}
		})
	}
}

// trained prepares a folder: 20 Newsgroups as the peers' scripts split them (train.pp), a model of 50 topics after five
// times over them without noise (model.pp, lambda.npy), and one more round of all documents (round.pp). It returns
// their number.
func trained(b *testing.B, folder string) (documents float64) {
	b.Helper()
	posts, words := shared(b, "data/20newsgroups/20newsgroups.jsonl.zst"), shared(b, "data/vocab/dictnostops.txt")
	decompress(b, posts, filepath.Join(folder, "20newsgroups.jsonl"))
	run(b, folder, fmt.Sprintf(`
python3 %s 20newsgroups.jsonl peers --vocab %s >split.json
tokenize uci --vocab peers.vocab.txt -o train.pp peers.train.docword.txt
mkfifo first
account ledger new first.ledger
sample --fixed 1024 --rounds 82 --seed 1 train.pp |
  estep lda --params first --top-topics 0 --word-weight count --norm 0 --iterations 100 |
  privatize none --ledger first.ledger -q |
  mstep lda-paper --topics 50 --vocab peers.vocab.txt --tau0 64 --kappa 0.7 --average-from 1 --beta expected-log --params-out first -o model.pp
mstep export --format npy -o lambda.npy model.pp
sample --all --rounds 83 --first-round 83 -o round.pp train.pp`, shared(b, "peers/prep.py"), words))
	split, err := os.ReadFile(filepath.Join(folder, "split.json"))
	if err != nil {
		b.Fatal(err)
	}
	var parts struct{ Train float64 }
	decode(b, string(split), &parts)
	b.Logf("%d cores", runtime.NumCPU())
	return parts.Train
}

func decode(b *testing.B, text string, to any) {
	b.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		b.Fatalf("%v in %q", err, text)
	}
}
