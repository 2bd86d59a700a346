package endtoend

import (
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/cpu"
)

var (
	inferred = regexp.MustCompile(`BenchmarkInfer/(\S+)/(\d+)(?:-\d+)?\s.*?([0-9.e+]+) docs/s\s+([0-9.e+]+) mean`)
	limited  = regexp.MustCompile(`([0-9.]+) docs/s .* ([0-9.]+) mean`)
)

// BenchmarkLimit compares documents a core-second in the inference of estep lda, by each kernel of the machine, with
// the same algorithm in C++ by vectors of each width that the machine has (limit/estep.cpp): Reddit, K = 50, tolerance
// 1e-3, at most 6 iterations, as in training, and at most
// 100. All must agree on γ.
func BenchmarkLimit(b *testing.B) {
	folder := b.TempDir()
	limits := compileLimits(b, folder)
	words := shared(b, "data/vocab/dictnostops.txt")
	decompress(b, shared(b, "data/reddit/docword.reddit.txt.zst"), filepath.Join(folder, "docword.txt"))
	run(b, folder, fmt.Sprintf(`
tokenize uci --vocab %[1]s -o train.pp docword.txt
mkfifo params
account ledger new ledger
sample --fixed 16384 --rounds 25 --seed 1 train.pp |
  estep lda --params params |
  privatize none --ledger ledger -q |
  mstep lda --topics 50 --vocab %[1]s --params-out params -o model.pp
sample --fixed 16384 --rounds 26 --first-round 26 --seed 2 -o round.pp train.pp`, words))
	for range b.N {
		rates := make(map[string]float64) // the best, by name and iterations
		means := make(map[string][]float64)
		take := func(name, iterations, rate, mean string) {
			r, err1 := strconv.ParseFloat(rate, 64)
			m, err2 := strconv.ParseFloat(mean, 64)
			if err1 != nil || err2 != nil {
				b.Fatal(err1, err2)
			}
			rates[name+"-"+iterations] = max(rates[name+"-"+iterations], r)
			means[iterations] = append(means[iterations], m)
		}
		for range repetitions {
			out := run(b, folder,
				"PRIVPIPE_MODEL=model.pp PRIVPIPE_DOCUMENTS=round.pp PRIVPIPE_DUMP=dump GOMAXPROCS=1 "+
					"./infer -test.run '^$' -test.bench Infer -test.benchtime 3x")
			for _, line := range inferred.FindAllStringSubmatch(out, -1) {
				take(line[1], line[2], line[3], line[4])
			}
			if len(rates) == 0 {
				b.Fatal(out)
			}
			for _, name := range limits {
				for _, iterations := range []string{"6", "100"} {
					out := run(b, folder, fmt.Sprintf("./%s dump 1e-3 %s 3", name, iterations))
					line := limited.FindStringSubmatch(out)
					if line == nil {
						b.Fatal(out)
					}
					take(name, iterations, line[1], line[2])
				}
			}
		}
		for iterations, all := range means {
			for _, m := range all {
				if math.Abs(m/all[0]-1) > 1e-3 {
					b.Errorf("after %s iterations the means of γ are %v: this is not one algorithm", iterations, all)
					break
				}
			}
			for _, limit := range limits {
				for _, kernel := range []string{"AVX2", "plain"} {
					if rate := rates[kernel+"-"+iterations]; rate > 0 {
						b.ReportMetric(rate/rates[limit+"-"+iterations],
							fmt.Sprintf("%s-%s-×%s", kernel, iterations, limit))
					}
				}
			}
		}
		for name, rate := range rates {
			b.ReportMetric(rate, name+"-docs/core-s")
		}
	}
}

// compileLimits compiles the inference in C++ for each width of vectors that the machine has, and the benchmark
// infer, which writes its input. It returns the names of the programs, limit256 and limit512. The benchmark is skipped
// where they cannot be compiled.
func compileLimits(b *testing.B, folder string) (limits []string) {
	b.Helper()
	if runtime.GOARCH != "amd64" {
		b.Skip("the limit is compiled for amd64")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		b.Skip("needs g++")
	}
	source, err := filepath.Abs("limit/estep.cpp")
	if err != nil {
		b.Fatal(err)
	}
	flags := make(map[string]string)
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		flags["limit256"] = "-DLANES=8 -mavx2 -mfma -mno-avx512f"
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
		flags["limit512"] = "-DLANES=16 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512"
	}
	for name, f := range flags {
		run(b, folder, fmt.Sprintf("g++ -std=c++17 -O3 -mtune=native %s -o %s %s", f, name, source))
	}
	run(b, root, fmt.Sprintf("go test -c -o %s/infer ./estep/lda", folder))
	return slices.Sorted(maps.Keys(flags))
}
