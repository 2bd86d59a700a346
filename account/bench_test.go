package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A question is a setting of Gaussian noise with secret coins: rate, noise, rounds and δ ask for ε, and rate, rounds, δ
// and ε for the least noise.
type question struct {
	rate, noise float64
	rounds      int
	delta       float64
	epsilon     float64 // 0: it is asked for
}

// asked returns questions with random settings. The logarithm of each number is uniform: rates from 0.001 to 0.3, noise
// multipliers from 0.6 to 10, 1 to 10,000 rounds, and δ from 1e-10 to 1e-4.
func asked(number int) (all []question) {
	r := rand.New(rand.NewPCG(21, 3))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }
	for range number {
		all = append(all, question{
			rate: between(0.001, 0.3), noise: between(0.6, 10), rounds: int(math.Round(between(1, 1e4))),
			delta: between(1e-10, 1e-4),
		})
	}
	return all
}

func (q question) args() []string {
	args := []string{"epsilon", "--noise-multiplier", fmt.Sprint(q.noise)}
	if q.epsilon > 0 {
		args = []string{"noise", "--epsilon", fmt.Sprint(q.epsilon)}
	}
	return append(args, "--poisson", fmt.Sprint(q.rate), "--rounds", fmt.Sprint(q.rounds), "--delta",
		fmt.Sprint(q.delta), "--json")
}

// A timed answer took so many seconds of CPU.
type timed struct{ seconds, answer float64 }

// ours starts a program for each question. Its start counts.
func ours(b *testing.B, program string, questions []question) (all []timed) {
	b.Helper()
	for _, q := range questions {
		command := exec.Command(program, q.args()...)
		var out bytes.Buffer
		command.Stdout, command.Stderr = &out, os.Stderr
		if err := command.Run(); err != nil {
			b.Fatalf("%v: %v", q.args(), err)
		}
		var found struct {
			Epsilon float64 `json:"epsilon"`
			Noise   float64 `json:"noise_multiplier"`
		}
		if err := json.Unmarshal(out.Bytes(), &found); err != nil {
			b.Fatal(err)
		}
		answer := found.Epsilon
		if q.epsilon > 0 {
			answer = found.Noise
		}
		all = append(all, timed{cpu(command), answer})
	}
	return all
}

func cpu(ended *exec.Cmd) float64 {
	return (ended.ProcessState.UserTime() + ended.ProcessState.SystemTime()).Seconds()
}

// theirs asks dp_accounting all questions in one process, whose start is the first number.
func theirs(b *testing.B, questions []question) (start float64, all []timed) {
	b.Helper()
	python := os.Getenv("PYTHON")
	if python == "" {
		b.Skip("PYTHON is not set: no dp_accounting to compare with")
	}
	if out, err := exec.Command(python, "-c", "import dp_accounting").CombinedOutput(); err != nil {
		b.Skipf("%s has no dp_accounting: %s", python, strings.TrimSpace(string(out)))
	}
	var in bytes.Buffer
	for _, q := range questions {
		fmt.Fprintf(&in, "[%v,%v,%d,%v,%v]\n", q.rate, q.noise, q.rounds, q.delta, q.epsilon)
	}
	command := exec.Command(python, "testdata/settings.py")
	command.Stdin, command.Stderr = &in, os.Stderr
	command.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1") // its CPU is that of one thread
	out, err := command.Output()
	if err != nil {
		b.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var line [2]float64
		if err := d.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		all = append(all, timed{line[0], line[1]})
	}
	if len(all) != len(questions)+1 {
		b.Fatalf("%d answers to %d questions", len(all)-1, len(questions))
	}
	return all[0].seconds, all[1:]
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}

// built is the program, as it is installed.
func built(b *testing.B) (program string) {
	b.Helper()
	program = filepath.Join(b.TempDir(), "account")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as pipelines/install/install.sh does
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

// BenchmarkAllocation is the CPU time of the least noise for an allocation to so many rounds, with the program's start:
// the least of several, which other programs disturb least.
func BenchmarkAllocation(b *testing.B) {
	program := built(b)
	for _, rounds := range []int{20, 1000} {
		b.Run(fmt.Sprint("rounds=", rounds), func(b *testing.B) {
			least := math.Inf(1)
			for b.Loop() {
				for range 3 {
					command := exec.Command(program, "noise", "--epsilon", "1", "--delta", "1e-6", "--allocate",
						"--rounds", fmt.Sprint(rounds))
					if out, err := command.CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
					least = min(least, cpu(command))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(least, "cpu-s")
		})
	}
}

// BenchmarkSettings compares the CPU time of account and of dp_accounting. account starts a process for each question.
// The metrics are medians over random settings. ×dp_accounting is dp_accounting's time over ours, with Python already
// running. ×dp_accounting-started has a start of Python for each question, too. over is the relative excess of our
// answer over dp_accounting's answer. dp_accounting computes on a grid of its own. $PYTHON has dp_accounting.
func BenchmarkSettings(b *testing.B) {
	program := built(b)
	questions := asked(100)
	b.Run("epsilon", func(b *testing.B) {
		for b.Loop() {
			for i, answer := range compared(b, program, questions) {
				questions[i].epsilon = answer
			}
		}
	})
	b.Run("noise", func(b *testing.B) {
		for b.Loop() {
			compared(b, program, questions[:25]) // dp_accounting takes a second each
		}
	})
}

// compared reports both on all questions, and returns our answers.
func compared(b *testing.B, program string, questions []question) (answers []float64) {
	b.Helper()
	start, theirAnswers := theirs(b, questions)
	var warm, started, milliseconds, over []float64
	for i, our := range ours(b, program, questions) {
		their := theirAnswers[i]
		warm, started = append(warm, their.seconds/our.seconds), append(started, (their.seconds+start)/our.seconds)
		milliseconds, over = append(milliseconds, our.seconds*1e3), append(over, our.answer/their.answer-1)
		answers = append(answers, our.answer)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(milliseconds), "cpu-ms")
	b.ReportMetric(median(warm), "×dp_accounting")
	b.ReportMetric(median(started), "×dp_accounting-started")
	b.ReportMetric(median(over), "over")
	return answers
}
