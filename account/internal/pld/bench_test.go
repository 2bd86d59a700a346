package pld

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// tight is the tolerance with which the upper bounds of the benchmarks are nearer the truth than dp_accounting's on its
// grid.
var tight = Options{Tolerance: 4e-5}

func upper(events []Event, delta float64, options Options) (float64, error) {
	d, err := New(events, options)
	if err != nil {
		return 0, err
	}
	return d.UpperEpsilon(delta)
}

func thousand() ([]Event, error) {
	p, err := Gaussian(0.01, 1)
	return []Event{{p, 1000}}, err
}

func laplace() ([]Event, error) {
	p, err := Laplace(1, 10)
	return []Event{{p, 100}}, err
}

func mixed() (events []Event, err error) {
	for _, x := range []struct {
		rate, multiplier float64
		count            int
	}{{0.01, 1, 500}, {0.02, 1.3, 200}, {0.05, 2, 50}} {
		p, err := Gaussian(x.rate, x.multiplier)
		if err != nil {
			return nil, err
		}
		events = append(events, Event{p, x.count})
	}
	p, err := Laplace(1, 20)
	return append(events, Event{p, 5}), err
}

// spent is ε of a list at δ = 1e-5, least noise that of ε = 1 in 1,000 rounds.
func spent(list func() ([]Event, error), options Options) func() (float64, error) {
	return func() (float64, error) {
		events, err := list()
		if err != nil {
			return 0, err
		}
		return upper(events, 1e-5, options)
	}
}

func leastNoise(options Options) func() (float64, error) {
	return func() (float64, error) {
		return LeastNoise(1, 1e-5, 0.3, 10, options, func(noise float64) ([]Event, error) {
			p, err := Gaussian(0.01, noise)
			return []Event{{p, 1000}}, err
		})
	}
}

var tasks = []struct {
	name string
	run  func(Options) func() (float64, error)
}{
	{"epsilon", func(o Options) func() (float64, error) { return spent(thousand, o) }},
	{"laplace", func(o Options) func() (float64, error) { return spent(laplace, o) }},
	{"mixed", func(o Options) func() (float64, error) { return spent(mixed, o) }},
	{"calibration", leastNoise},
}

func benchmark(b *testing.B, run func() (float64, error)) {
	for b.Loop() {
		if _, err := run(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEpsilon1000 is ε of 1,000 rounds at rate 0.01 and noise multiplier 1, δ = 1e-5.
func BenchmarkEpsilon1000(b *testing.B) { benchmark(b, spent(thousand, tight)) }

// BenchmarkEpsilon1000Both is the same with the lower bound.
func BenchmarkEpsilon1000Both(b *testing.B) {
	for b.Loop() {
		events, err := thousand()
		if err != nil {
			b.Fatal(err)
		}
		d, err := New(events, tight)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := d.Epsilon(1e-5); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDistinct computes both bounds of ε for 1,500 releases of Gaussian noise. No two releases have the same rate
// and noise.
func BenchmarkDistinct(b *testing.B) {
	events, err := distinct(1500)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := New(events, Options{Tolerance: 1e-4})
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := d.Epsilon(1e-6); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCalibration is the least noise multiplier for ε = 1 in the same rounds, to a relative 1e-6.
func BenchmarkCalibration(b *testing.B) { benchmark(b, leastNoise(tight)) }

type answer struct{ Seconds, Result float64 }

// peers runs dp_accounting once a process.
var peers = sync.OnceValues(func() (map[string]answer, error) {
	out, err := exec.Command(os.Getenv("PYTHON"), "testdata/peer.py").Output()
	if err != nil {
		return nil, err
	}
	var answers map[string]answer
	return answers, json.Unmarshal(out, &answers)
})

// BenchmarkPeers compares CPU time and error with dp_accounting's in the same run: x-dp_accounting is how many times
// faster this package is, error and peer-error how far, relatively, the answers are above the truth. $PYTHON is a
// Python that has dp_accounting.
func BenchmarkPeers(b *testing.B) {
	python := os.Getenv("PYTHON")
	if python == "" {
		b.Skip("PYTHON is not set: no dp_accounting to compare with")
	}
	if out, err := exec.Command(python, "-c", "import dp_accounting").CombinedOutput(); err != nil {
		b.Skipf("%s has no dp_accounting: %s", python, strings.TrimSpace(string(out)))
	}
	answers, err := peers()
	if err != nil {
		b.Fatal(err)
	}
	for _, task := range tasks {
		b.Run(task.name, func(b *testing.B) {
			var seconds []float64
			var result float64
			for b.Loop() {
				start := cpuSeconds(b)
				var err error
				if result, err = task.run(tight)(); err != nil {
					b.Fatal(err)
				}
				seconds = append(seconds, cpuSeconds(b)-start)
			}
			slices.Sort(seconds)
			truth := extrapolated(b, task.run)
			b.ReportMetric(answers[task.name].Seconds/seconds[len(seconds)/2], "x-dp_accounting")
			b.ReportMetric(result/truth-1, "error")
			b.ReportMetric(answers[task.name].Result/truth-1, "peer-error")
		})
	}
}

// extrapolated is the truth, as the error of an upper bound is in proportion to the tolerance.
func extrapolated(b *testing.B, run func(Options) func() (float64, error)) float64 {
	coarse, err := run(Options{Tolerance: 8e-6, Cells: 1 << 22})()
	if err != nil {
		b.Fatal(err)
	}
	fine, err := run(Options{Tolerance: 2e-6, Cells: 1 << 22})()
	if err != nil {
		b.Fatal(err)
	}
	return fine - (coarse-fine)/3
}

// cpuSeconds is the CPU time of this process.
func cpuSeconds(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return math.FMA(1e-6, float64(usage.Utime.Usec+usage.Stime.Usec), float64(usage.Utime.Sec+usage.Stime.Sec))
}
