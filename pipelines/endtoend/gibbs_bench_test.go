package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var tokensPerSecond = regexp.MustCompile(`BenchmarkContribute/(\S+?)(?:-\d+)? .*? ([0-9.e+]+) docs/s\s+([0-9.e+]+) tokens/s`)

// BenchmarkGibbs compares the tokens that estep gibbs draws in a core-second with tomotopy and MALLET. All take one
// core and the same words, with the same K, α and η. tomotopy and MALLET are measured in one sweep after 50 sweeps of
// their chain, and also count words in topics.
//
// estep gibbs is measured in the 20 sweeps of one round, from random topics under a released model. One measurement has
// the draws alone, and one adds the contribution of counts. One adds the contribution of the expected statistic, as
// gibbs.sh does. The last is the whole stage with the expected statistic, which also reads the round from a file and
// writes the contributions.
func BenchmarkGibbs(b *testing.B) {
	for _, corpus := range []struct{ name, file, words string }{
		{"kos", "data/uci-kos/docword.kos.txt.zst", "data/uci-kos/vocab.kos.txt.zst"},
		{"nips", "data/nips-0-12/docword.nips0-12.txt.zst", "data/nips-0-12/vocab.nips0-12.txt.zst"},
	} {
		docword, words := shared(b, corpus.file), shared(b, corpus.words)
		for _, topics := range []int{50, 200} {
			b.Run(fmt.Sprintf("%s/topics=%d", corpus.name, topics), func(b *testing.B) {
				folder := b.TempDir()
				decompress(b, docword, filepath.Join(folder, "docword.txt"))
				decompress(b, words, filepath.Join(folder, "vocab.txt"))
				benchmarkGibbs(b, folder, topics)
			})
		}
	}
}

func benchmarkGibbs(b *testing.B, folder string, topics int) {
	const alphaSum, eta, sweeps = 5.0, 0.01, 20
	alpha := alphaSum / float64(topics)
	run(b, folder, fmt.Sprintf(`
tokenize uci -q --vocab vocab.txt -o docs.pp docword.txt
mkfifo params
account ledger new -q ledger
sample -q --fixed 512 --rounds 40 --seed 1 docs.pp |
  estep lda -q --params params --top-topics 0 --word-weight count --norm 0 --iterations 100 |
  privatize none --ledger ledger -q |
  mstep lda -q --topics %d --alpha %v --eta %v --vocab vocab.txt --tau0 8 --kappa 0.7 --params-out params -o model.pp
sample -q --all --rounds 41 --first-round 41 -o round.pp docs.pp`, topics, alpha, eta))
	peers := samplerPeers(b, topics, alpha, eta)
	for range b.N {
		best := make(map[string]float64) // tokens a second
		take := func(name, perSecond string, times float64) float64 {
			x, err := strconv.ParseFloat(strings.TrimSpace(perSecond), 64)
			if err != nil {
				b.Fatal(err)
			}
			best[name] = max(best[name], x*times)
			return x
		}
		documents, tokens := 0.0, 0.0 // in a second, of the same benchmark
		for range repetitions {
			for name, command := range peers {
				take(name, run(b, folder, command), 1)
			}
			out := run(b, root,
				fmt.Sprintf("PRIVPIPE_MODEL=%[1]s/model.pp PRIVPIPE_DOCUMENTS=%[1]s/docs.pp GOMAXPROCS=1 "+
					"go test ./estep/gibbs -run '^$' -bench Contribute -benchtime 1x", folder))
			ours := tokensPerSecond.FindAllStringSubmatch(out, -1)
			if len(ours) != 3 {
				b.Fatal(out)
			}
			for _, found := range ours {
				documents, tokens = take(found[1]+"-docs", found[2], 1), take(found[1], found[3], sweeps)
			}
			stage := measure(b, folder, onOneCore+"estep gibbs --params model.pp round.pp >/dev/null")[0]
			count := run(b, folder, `awk 'NR > 3 {n += $3} END {print n}' docword.txt`)
			take("stage", count, sweeps/stage.cpu.Seconds())
			best["stage-docs"] = best["stage"] / sweeps * documents / tokens
		}
		for name, perSecond := range best {
			if where, of, _ := strings.Cut(name, "-"); of == "docs" {
				b.ReportMetric(perSecond, where+"-docs/core-s")
				continue
			}
			b.ReportMetric(perSecond/1e6, name+"-Mtokens/core-s")
			for peer := range peers {
				if _, is := peers[name]; !is {
					b.ReportMetric(perSecond/best[peer], name+"-×"+peer)
				}
			}
		}
	}
}

// samplerPeers are commands that print the tokens a second of other samplerPeers. It says which are missing.
func samplerPeers(b *testing.B, topics int, alpha, eta float64) map[string]string {
	const chain = "50 10" // sweeps before the measured ones, and these
	peers := make(map[string]string)
	name := os.Getenv("PYTHON")
	if name == "" {
		name = "python3"
	}
	if exec.Command(name, "-c", "import tomotopy").Run() == nil {
		script := filepath.Join(root, "pipelines/endtoend/tomotopy_sampling.py")
		peers["tomotopy"] = fmt.Sprintf("%s %s docword.txt %d %v %v %s", name, script, topics, alpha, eta, chain)
	} else {
		b.Logf("without tomotopy: %s does not have it; name a Python that has with PYTHON", name)
	}
	jars := os.Getenv("PRIVPIPE_MALLET_JARS")
	if jars == "" {
		jars = filepath.Join(root, ".mallet")
	}
	found, err := filepath.Glob(filepath.Join(jars, "mallet-*.jar"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := exec.LookPath("javac"); err == nil && len(found) > 0 {
		program := filepath.Join(root, "pipelines/endtoend/mallet/Sampling.java")
		peers["MALLET"] = fmt.Sprintf("java -Xmx2g -cp '%s/*' %s docword.txt %d %v %v %s 2>/dev/null", jars, program,
			topics, alpha*float64(topics), eta, chain)
	} else {
		b.Logf("without MALLET: no javac, or no jars in %s; name their folder with PRIVPIPE_MALLET_JARS (.ci/peers "+
			"fetches them)", jars)
	}
	return peers
}
