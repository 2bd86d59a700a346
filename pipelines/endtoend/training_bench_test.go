package endtoend

import (
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkTraining compares the CPU time of one whole private training with gensim's LdaModel and scikit-learn's
// LatentDirichletAllocation on an equal schedule. The data are posts of Reddit, with K = 50. There are 20 rounds, each
// with one tenth of the posts, at most 6 iterations over a document, tolerance 1e-3, float32. Ours is all four stages,
// from the start of their processes to the model, with noise. Theirs are the updates alone, with the text in memory.
//
// Sampling is of Poisson for us, and in turn for them, so all see each post twice on average. sample-drawn is the cost
// of one drawn document for sample beyond its start, which reads the posts. It is the difference between 21 rounds and
// one, alone.
func BenchmarkTraining(b *testing.B) {
	const topics, rounds, passes, iterations = 50, 20, 2, 6
	posts, words := shared(b, "data/reddit/docword.reddit.txt.zst"), shared(b, "data/vocab/dictnostops.txt")
	py, folder := python(b, "gensim", "sklearn"), b.TempDir()
	decompress(b, posts, filepath.Join(folder, "reddit.docword.txt"))
	run(b, folder, fmt.Sprintf("tokenize uci --vocab %s -o documents.pp reddit.docword.txt", words))
	population := documentsOf(b, filepath.Join(folder, "reddit.docword.txt"))
	batch := population * passes / rounds
	stages := []string{
		fmt.Sprintf("sample --poisson %g --rounds %d documents.pp", float64(passes)/rounds, rounds),
		fmt.Sprintf("estep lda --params params --iterations %d --tolerance 1e-3", iterations),
		"privatize --grant grant.json --ledger ledger",
		fmt.Sprintf("mstep lda --topics %d --vocab %s --params-out params -o model.pp", topics, words),
	}
	for range b.N {
		var ours, one, more least
		each := make([]least, len(stages))
		for range repetitions {
			run(b, folder, fmt.Sprintf(`
rm -rf ledger* params model.pp
mkfifo params
account ledger new ledger
account plan --noise-multiplier 1 --poisson %g --rounds %d --model lda --matrix topics=%dxV --vocab %s -o grant.json`,
				float64(passes)/rounds, rounds, topics, words))
			took := measure(b, folder, stages...)
			cpu := 0.0
			for i := range took {
				cpu += took[i].cpu.Seconds()
				each[i].take(took[i].cpu.Seconds(), took[i].wall.Seconds())
			}
			ours.take(cpu, took[len(took)-1].wall.Seconds())
			for alone, sampled := range map[*least]int{&one: 1, &more: rounds + 1} {
				sample := fmt.Sprintf("sample --poisson %g --rounds %d documents.pp", float64(passes)/rounds, sampled)
				took := measure(b, folder, sample, "cat")[0] // a pipe, for which it does not compress
				alone.take(took.cpu.Seconds(), took.wall.Seconds())
			}
		}
		visits := float64(batch * rounds)
		b.ReportMetric(visits/ours.cpu, "docs/core-s")
		for _, peer := range []string{"gensim", "sklearn"} { // once: each takes minutes
			var theirs struct{ CPU float64 }
			decode(b, run(b, folder, fmt.Sprintf("%s %s reddit.docword.txt %s --mode train --K %d --S %d --epochs %d "+
				"--maxit %d --dtype float32 2>/dev/null",
				py, shared(b, "peers/p_"+peer+".py"), words, topics, batch, passes, iterations)), &theirs)
			b.ReportMetric(visits/theirs.CPU, peer+"-docs/core-s")
			b.ReportMetric(theirs.CPU/ours.cpu, "×"+peer)
		}
		b.ReportMetric(ours.wall, "s-wall")
		b.ReportMetric((more.cpu-one.cpu)/visits*1e6, "sample-drawn-µs/doc")
		for i, name := range []string{"sample", "estep", "privatize", "mstep"} {
			b.ReportMetric(each[i].cpu/visits*1e6, name+"-µs/doc")
		}
	}
}

// documentsOf returns the number of documents of a bag of words, its first line.
func documentsOf(b *testing.B, file string) (documents int) {
	b.Helper()
	decode(b, run(b, ".", "head -n 1 "+file), &documents)
	return documents
}
