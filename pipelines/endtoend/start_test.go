package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// starts is how often a program is started. The median counts, of CPU time: user and system.
const starts = 200

// BenchmarkStart is the CPU time of each stage's start: --version, and one job on one document. It measures the
// installed programs (whole), and beside each the same stage of program networked, which takes its place where a topic
// is named. The two take turns.
func BenchmarkStart(b *testing.B) {
	folder := b.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", folder+"/", "./account", "./estep",
		"./evaluate", "./mstep", "./privatize", "./sample", "./tokenize", "./pipelines/show", "./pipelines/networked")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as pipelines/install/install.sh does
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	write(b, folder, "one.jsonl", `{"text": "a model of the topics of documents"}`+"\n")
	run(b, folder, "tokenize text -q -o docs.pp one.jsonl")
	for _, job := range []string{
		"account --version", "account delta --noise-multiplier 2 --all --rounds 1 --epsilon 1 --accountant analytic",
		"estep --version", "evaluate --version", "mstep --version", "privatize --version",
		"sample --version", "sample -q --all --rounds 1 docs.pp",
		"show --version", "show docs.pp",
		"tokenize --version", "tokenize text -q one.jsonl",
	} {
		stage, arguments, _ := strings.Cut(job, " ")
		b.Run(strings.ReplaceAll(job, " ", "_"), func(b *testing.B) {
			ways := map[string][]string{"whole": {stage}, "networked": {"networked", stage}}
			if stage == "privatize" || stage == "evaluate" {
				delete(ways, "networked")
			}
			for b.Loop() {
				took := make(map[string][]time.Duration)
				for range starts {
					for name, begin := range ways {
						line := append(slices.Clone(begin), strings.Fields(arguments)...)
						c := exec.Command(filepath.Join(folder, line[0]), line[1:]...)
						c.Dir, c.Stderr = folder, os.Stderr
						if err := c.Run(); err != nil {
							b.Fatal(err)
						}
						took[name] = append(took[name], c.ProcessState.UserTime()+c.ProcessState.SystemTime())
					}
				}
				for name, all := range took {
					slices.Sort(all)
					b.ReportMetric(all[len(all)/2].Seconds()*1e3, name+"-cpu-ms")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
