package seeded

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestRefutes compares with sums that are worked out by hand: one failure in 20 at 1e-6 has a probability of 2e-5, two
// have 190·1e-12; at 1e-2, four have 4845·1e-8·0.99^16 and a little more, which is 4.3e-5, and five have 1.5e-6.
func TestRefutes(t *testing.T) {
	for _, c := range []struct {
		rate     float64
		failures int
		refuted  bool
	}{{1e-6, 0, false}, {1e-6, 1, false}, {1e-6, 2, true}, {1e-7, 1, true}, {1e-2, 4, false}, {1e-2, 5, true},
		{0.3, 6, false}, {0.3, 20, true}} {
		if got := Refutes(c.rate, 20, c.failures); got != c.refuted {
			t.Errorf("%d of 20 failures refute a rate of %g: %v, want %v", c.failures, c.rate, got, c.refuted)
		}
	}
	if p := binomial(20, 2, 1e-6); math.Abs(p-190e-12) > 1e-14 {
		t.Errorf("two of 20 have probability %g", p)
	}
}

// TestFlips fails for three seeds in ten, and runs only for TestFlaky.
func TestFlips(t *testing.T) {
	seed, err := strconv.ParseUint(os.Getenv(variable), 10, 64)
	if err != nil {
		t.Skip("TestFlaky runs it")
	}
	if rand.New(rand.NewPCG(seed, 1)).Float64() < 0.3 {
		t.Error("by chance")
	}
}

// TestFlaky: TestFlips would be caught if it stated that it fails in one of 10⁶ runs, and not if it stated the truth.
// Fewer than two of 20 fresh seeds fail with probability 0.7^20 + 20·0.3·0.7^19 = 0.0077, so the seeds are fixed here.
func TestFlaky(t *testing.T) {
	seeds := make([]uint64, Runs)
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	failures := failed(t, "TestFlips", seeds)
	if !Refutes(1e-6, Runs, failures) {
		t.Errorf("%d of %d failures do not refute a rate of 1e-6", failures, Runs)
	}
	if Refutes(0.3, Runs, failures) {
		t.Errorf("%d of %d failures refute the true rate", failures, Runs)
	}
}

// TestRates finds the tests that state a Chance by their source, and refuses one that does not state all.
func TestRates(t *testing.T) {
	for source, want := range map[string]map[string]float64{
		"func TestA(t *testing.T) { f(t, seeded.Chance{Seed: 3, Margin: \"a tenth\", Rate: 1e-4}) }\n" +
			"func TestB(t *testing.T) {}": {"TestA": 1e-4},
		"func TestA(t *testing.T) { f(t, seeded.Chance{Seed: 3, Margin: \"a tenth\"}) }":          nil,
		"func TestA(t *testing.T) { f(t, seeded.Chance{Seed: 3, Rate: 1e-4}) }":                   nil,
		"func TestA(t *testing.T) { f(t, seeded.Chance{Margin: \"a tenth\", Rate: 1e-4}) }":       nil,
		"func TestA(t *testing.T) { f(t, seeded.Chance{Seed: 3, Margin: \"a tenth\", Rate: 1}) }": nil,
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "a_test.go"), []byte("package a\n"+source), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := Rates(folder); !maps.Equal(got, want) || (err != nil) != (want == nil) {
			t.Errorf("%s: %v, %v; want %v", source, got, err, want)
		}
	}
}

// TestOverlay: the overlay changes each place that it names, and a source where the place is gone is refused.
func TestOverlay(t *testing.T) {
	o, err := changed("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		before, err := os.ReadFile(filepath.Join("../../..", e.File))
		if err != nil || bytes.Equal(before, []byte(o.Files[e.File])) {
			t.Errorf("%s is as before, %v", e.File, err)
		}
	}
	if _, err := changed(t.TempDir()); err == nil {
		t.Error("an overlay of nothing")
	}
}
