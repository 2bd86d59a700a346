package noise

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A peer is a program that prints how many draws a second another library makes.
type peer struct {
	name    string
	command func(b *testing.B) []string // or skips, saying what is missing
}

var peers = []peer{
	{"google", func(b *testing.B) []string {
		program := filepath.Join(b.TempDir(), "google")
		build := exec.Command("go", "build", "-C", "../../testdata/peers/google", "-o", program, ".")
		if out, err := build.CombinedOutput(); err != nil {
			b.Skipf("Google's library cannot be built, it needs the Go module proxy once: %v: %s", err, out)
		}
		return []string{program}
	}},
	{"opendp", func(b *testing.B) []string {
		python := cmp.Or(os.Getenv("PYTHON"), "python3")
		if err := exec.Command(python, "-c", "import opendp").Run(); err != nil {
			b.Skipf("%s (set PYTHON to another) has no opendp: pip install opendp", python)
		}
		return []string{python, "../../testdata/peers/with_opendp.py"}
	}},
}

// Draws a second on one core beside other libraries, in turns on the same machine, the fastest turn of each.
func BenchmarkPeers(b *testing.B) {
	for _, p := range peers {
		b.Run(p.name, func(b *testing.B) {
			command := p.command(b)
			for _, k := range kinds {
				for _, scale := range []uint64{1, 100, 1 << 20, MaxScale} {
					b.Run(k.name+"/"+strconv.FormatUint(scale, 10), func(b *testing.B) {
						ours, theirs := 0.0, 0.0
						for b.Loop() {
							ours = max(ours, k.drawsPerSecond(scale))
							theirs = max(theirs, peerDraws(b, command, k.name, scale))
						}
						b.ReportMetric(0, "ns/op")
						b.ReportMetric(ours, "draws/s")
						b.ReportMetric(theirs, p.name+"-draws/s")
						b.ReportMetric(ours/theirs, "ratio")
					})
				}
			}
		})
	}
}

// drawsPerSecond is that of the fastest of some turns.
func (k kind) drawsPerSecond(scale uint64) float64 {
	const draws, turns = 200_000, 25
	s := k.make(scale)
	best := time.Duration(math.MaxInt64)
	for range turns {
		begin := time.Now()
		for range draws {
			s.Next()
		}
		best = min(best, time.Since(begin))
	}
	return draws / best.Seconds()
}

// peerDraws runs a peer's program.
func peerDraws(b *testing.B, command []string, mechanism string, scale uint64) float64 {
	arguments := append(command[1:len(command):len(command)], strings.ToLower(mechanism), fmt.Sprint(scale))
	run := exec.Command(command[0], arguments...)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		b.Fatalf("%s %s: %v", command[0], strings.Join(arguments, " "), err)
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate
}
