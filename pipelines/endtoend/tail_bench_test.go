package endtoend

import (
	"fmt"
	"testing"
)

// BenchmarkTail measures the time that a round takes beside its documents: from the last contribution to new parameters
// in the hands of estep. It trains with noise on rounds of ten documents, K = 50 and V = 7,700. So nearly all time of
// each round is its tail. The benchmark says each round's wall time, and the CPU time of each stage. The difference
// between two trainings, one with more rounds, is without starts and ends. The least of several is taken.
func BenchmarkTail(b *testing.B) {
	const few, many = 10, 60
	folder := b.TempDir()
	comments(b, folder)
	run(b, folder, fmt.Sprintf(`
		head -n 7700 %s/pipelines/vocabulary/english.txt >vocab.txt
		head -n 1000 comments.jsonl | tokenize text -q --vocab vocab.txt -o documents.pp`, root))
	names := []string{"sample", "estep", "privatize", "mstep"}
	for range b.N {
		var wall [2]least
		var stages [2][4]least
		for range repetitions {
			for i, rounds := range []int{few, many} {
				run(b, folder, fmt.Sprintf(`
					rm -rf ledger* params model.pp*
					mkfifo params
					account ledger new ledger
					account plan -q --noise-multiplier 1 --poisson 0.01 --rounds %d --ledger ledger --model lda --matrix topics=50xV --vocab vocab.txt -o grant.json`, rounds))
				took := measure(b, folder,
					fmt.Sprintf("sample -q --poisson 0.01 --rounds %d documents.pp", rounds),
					"estep lda -q --params params",
					"privatize -q --grant grant.json --ledger ledger",
					"mstep lda -q --topics 50 --vocab vocab.txt --params-out params -o model.pp")
				total := 0.0
				for s, u := range took {
					stages[i][s].take(u.cpu.Seconds(), u.wall.Seconds())
					total += u.cpu.Seconds()
				}
				wall[i].take(total, took[len(took)-1].wall.Seconds())
			}
		}
		perRound := func(more, less float64) float64 { return (more - less) / (many - few) * 1e3 }
		b.ReportMetric(perRound(wall[1].wall, wall[0].wall), "ms-wall")
		b.ReportMetric(perRound(wall[1].cpu, wall[0].cpu), "ms-cpu")
		for s, name := range names {
			b.ReportMetric(perRound(stages[1][s].cpu, stages[0][s].cpu), name+"-ms-cpu")
		}
	}
}
