package endtoend

import (
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkStages measures each stage alone, from a file to nowhere, on the posts of Reddit with K = 50. The stages
// take ten rounds, each with one tenth of the posts. estep takes all posts once, with the parameters after these
// rounds. In BenchmarkTraining all stages run at once, and two threads that share one core each seem slower.
//
// serial is the part of training that no further worker makes shorter. It is the wall time of privatize and mstep for
// contributions that are there already, beside the CPU time of all stages. With any number of workers, training is at
// most 1/serial times as fast as on one core (Amdahl, AFIPS 1967).
func BenchmarkStages(b *testing.B) {
	const topics, rounds, rate, passes = 50, 10, 0.1, " --iterations 6 --tolerance 1e-3 "
	posts, words := shared(b, "data/reddit/docword.reddit.txt.zst"), shared(b, "data/vocab/dictnostops.txt")
	folder := b.TempDir()
	decompress(b, posts, filepath.Join(folder, "reddit.docword.txt"))
	sample := fmt.Sprintf("sample --poisson %g --rounds %d documents.pp", rate, rounds)
	mstep := fmt.Sprintf("mstep lda --topics %d --vocab %s --params-out", topics, words)
	run(b, folder, fmt.Sprintf(`
tokenize uci --vocab %[1]s -o documents.pp reddit.docword.txt
mkfifo params
account plan --noise-multiplier 1 --poisson %[2]g --rounds %[3]d --model lda --matrix topics=%[4]dxV --vocab %[1]s -o grant.json
account ledger new ledger
%[5]s | estep lda --params params %[6]s | tee contributions.pp | privatize --grant grant.json --ledger ledger |
  %[7]s params -o before.pp
sample --all --first-round %[8]d --rounds %[8]d -o round.pp documents.pp`, words, rate, rounds, topics, sample, passes, mstep, rounds+1))
	posted := float64(documentsOf(b, filepath.Join(folder, "reddit.docword.txt")))
	visits := posted * rate * rounds
	for range b.N {
		var each [4]least
		var last least
		for range repetitions {
			run(b, folder, "rm -rf ledger* releases.pp parameters.pp model.pp* && account ledger new ledger")
			for i, line := range []string{
				sample + " >/dev/null",
				"estep lda --params before.pp" + passes + "round.pp >/dev/null",
				"privatize --grant grant.json --ledger ledger -o releases.pp contributions.pp",
				mstep + " parameters.pp -o model.pp releases.pp",
			} {
				took := measure(b, folder, onOneCore+line)[0]
				each[i].take(took.cpu.Seconds(), took.wall.Seconds())
			}
			run(b, folder, "rm -rf ledger* parameters.pp model.pp* && account ledger new ledger")
			took := measure(b, folder, "privatize --grant grant.json --ledger ledger contributions.pp",
				mstep+" parameters.pp -o model.pp")[1]
			last.take(took.cpu.Seconds(), took.wall.Seconds())
		}
		each[1].cpu *= visits / posted
		whole := 0.0
		for i, name := range []string{"sample", "estep", "privatize", "mstep"} {
			b.ReportMetric(each[i].cpu/visits*1e6, name+"-µs/doc")
			whole += each[i].cpu
		}
		b.ReportMetric(last.wall/whole, "serial")
	}
}
