package endtoend

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkNewsgroups compares the CPU time of a whole private training with the inference alone in C++
// (limit/estep.cpp) on the same documents and rounds. The data are 20 Newsgroups, with K = 50. There are eight rounds
// of all documents, at most 100 iterations over a document, tolerance 1e-3. Ours is all four stages over pipes, from
// the start of their processes to the model, with noise. The C++ has the documents in memory, and does nothing else.
//
// ×limit256 and ×limit512 are the share of our CPU time that the C++ needs, by the width of its vectors. Each round has
// its own topics, and the C++ is measured on the topics of each round of one such training.
func BenchmarkNewsgroups(b *testing.B) {
	const topics, rounds, passes = 50, 8, " --iterations 100 --tolerance 1e-3"
	posts, words := shared(b, "data/20newsgroups/20newsgroups.jsonl.zst"), shared(b, "data/vocab/dictnostops.txt")
	folder := b.TempDir()
	limits := compileLimits(b, folder)
	decompress(b, posts, filepath.Join(folder, "posts.jsonl"))
	train := func(more string) (stages []string) {
		run(b, folder, fmt.Sprintf(`
rm -rf ledger* params model.pp*
mkfifo params
account ledger new ledger
account plan --noise-multiplier 1 --all --rounds %d --model lda --matrix topics=%dxV --vocab %s -o grant.json`,
			rounds, topics, words))
		return []string{
			fmt.Sprintf("sample --all --rounds %d documents.pp", rounds),
			"estep lda --params params" + passes,
			"privatize --grant grant.json --ledger ledger",
			fmt.Sprintf("mstep lda --topics %d --vocab %s --params-out params -o model.pp", topics, words) + more,
		}
	}
	run(b, folder, fmt.Sprintf("mkdir models; tokenize text --vocab %s -o documents.pp posts.jsonl", words))
	// Without an average, the model after a round has the topics that the next round begins with.
	measure(b, folder, train(" --average-from 1 --models models --start-out models/000000000.pp")...)
	for round := range rounds {
		run(b, folder, fmt.Sprintf("PRIVPIPE_MODEL=models/%09[1]d.pp PRIVPIPE_DOCUMENTS=documents.pp "+
			"PRIVPIPE_DUMP=dump%[1]d ./infer -test.run '^$' -test.bench Infer/none", round))
	}
	for range b.N {
		var ours least
		each := make([]least, 4)
		alone := make([][rounds]least, len(limits))
		for range repetitions {
			cpu := 0.0
			for i, took := range measure(b, folder, train("")...) {
				cpu += took.cpu.Seconds()
				each[i].take(took.cpu.Seconds(), took.wall.Seconds())
			}
			ours.take(cpu, cpu)
			for i, name := range limits {
				for round := range rounds {
					dump := fmt.Sprintf("dump%d", round)
					out := run(b, folder, fmt.Sprintf("./%s %s 1e-3 100 1", name, dump))
					line := limited.FindStringSubmatch(out)
					if line == nil {
						b.Fatal(out)
					}
					rate, err := strconv.ParseFloat(line[1], 64)
					if err != nil {
						b.Fatal(err)
					}
					alone[i][round].take(dumped(b, filepath.Join(folder, dump))/rate, 0)
				}
			}
		}
		b.ReportMetric(ours.cpu, "cpu-s")
		for i, name := range []string{"sample", "estep", "privatize", "mstep"} {
			b.ReportMetric(each[i].cpu, name+"-cpu-s")
		}
		for i, name := range limits {
			cpu := 0.0
			for _, round := range alone[i] {
				cpu += round.cpu
			}
			b.ReportMetric(cpu, name+"-cpu-s")
			b.ReportMetric(cpu/ours.cpu, "×"+name)
		}
	}
}

// dumped returns the number of documents in a dump for limit/estep.cpp, the third number of 32 bits.
func dumped(b *testing.B, name string) float64 {
	b.Helper()
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var head [3]int32
	if err := binary.Read(file, binary.LittleEndian, &head); err != nil {
		b.Fatal(err)
	}
	return float64(head[2])
}
