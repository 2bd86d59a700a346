package dpevents

import (
	"math"
	"strings"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// step is discrete Gaussian noise of 2^21 steps on sums of 2^20.
var step = loss.Gaussian{Noise: 1 << 21, Sensitivity: 1 << 20, Discrete: true}

func listOf(adjacency string, all ...loss.Release) *loss.List {
	l := &loss.List{Adjacency: adjacency}
	for _, e := range all {
		l.Add(e)
	}
	return l
}

// TestWrite: what is written, read again, loses no less, and hardly more.
func TestWrite(t *testing.T) {
	laplace := loss.Laplace{Scale: 1 << 22, Sensitivity: 1 << 20, Discrete: true}
	failing := listOf(event.AddRemove, loss.Release{Released: []loss.Mechanism{step}, Count: 1})
	failing.AddFailure(1e-7)
	failing.AddFailure(2e-7)
	less := step
	less.Noise *= 2
	for name, c := range map[string]struct {
		list *loss.List
		tree bool // that dp_accounting has words for it
	}{
		"empty":    {&loss.List{}, true},
		"gaussian": {listOf(event.AddRemove, loss.Release{Released: []loss.Mechanism{step}, Count: 5}), true},
		"replaced": {listOf(event.ReplaceOne, loss.Release{Released: []loss.Mechanism{step, laplace}, Count: 5},
			loss.Release{Released: []loss.Mechanism{loss.Pure{Epsilon: 0.3}}, Count: 2}), true},
		"pure": {listOf(event.AddRemove,
			loss.Release{Released: []loss.Mechanism{loss.Pure{Epsilon: 0.3}}, Count: 2}), false},
		"response": {listOf(event.ReplaceOne,
			loss.Release{Released: []loss.Mechanism{loss.RandomizedResponse{Noise: 0.95, Buckets: 1000}},
				Count: 100}), true},
		"poisson": {listOf(event.AddRemove,
			loss.Release{Sampling: loss.Poisson, Rate: 0.05, Released: []loss.Mechanism{step}, Count: 5}),
			true},
		"batch": {listOf(event.AddRemove,
			loss.Release{Sampling: loss.Poisson, Rate: 0.05, Released: []loss.Mechanism{step, less},
				Count: 5}), true},
		"mixed batch": {listOf(event.AddRemove,
			loss.Release{Sampling: loss.Poisson, Rate: 0.05, Released: []loss.Mechanism{step, laplace},
				Count: 5}), true},
		"fixed": {listOf(event.ReplaceOne,
			loss.Release{Sampling: loss.Fixed, Rate: math.Nextafter(0.05, 1),
				Released: []loss.Mechanism{step}, Count: 5}), true},
		"throw": {listOf(event.AddRemove, loss.Release{Released: []loss.Mechanism{less},
			Instead: [][]loss.Mechanism{{step}, {less}}, Disjoint: true, Count: 1}), true},
		"failing": {failing, false},
	} {
		want, ok := epsilon(t, c.list)
		if !ok {
			t.Fatal(name)
		}
		for form, write := range map[string]func(*loss.List) ([]byte, error){"list": List, "tree": Tree} {
			b, err := write(c.list)
			if form == "tree" && !c.tree {
				if err == nil || !strings.HasPrefix(err.Error(), "dp_accounting has no event") {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s as %s: %v", name, form, err)
				continue
			}
			again, err := Read(b, Relation{})
			if err != nil {
				t.Errorf("%s: %v in %s", name, err, b)
				continue
			}
			least := want * (1 - 1e-12)
			if name == "failing" {
				least = want - c.list.Excess // which a list adds to ε
			}
			if got, ok := epsilon(t, again); !ok || !(got >= least && got <= want*(1+1e-5)) {
				t.Errorf("%s: ε %v, as %s %v", name, want, b, got)
			}
		}
	}
}

// TestNotKnownToBeOneBatch: what may be of two samples is not amplified, so that it is a bound for all accountants.
func TestNotKnownToBeOneBatch(t *testing.T) {
	l := listOf(event.AddRemove,
		loss.Release{Sampling: loss.Poisson, Rate: 0.05, Released: []loss.Mechanism{step, step}, Apart: true,
			Count: 5})
	for _, write := range []func(*loss.List) ([]byte, error){List, Tree} {
		b, err := write(l)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(b, Relation{})
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Releases(); len(got) != 1 || got[0].Sampling != loss.All || got[0].Count != 10 {
			t.Errorf("%s: %+v", b, got)
		}
	}
}

// TestFewSteps: noise that no continuous noise stands for is not written.
func TestFewSteps(t *testing.T) {
	few := loss.Gaussian{Noise: 3, Sensitivity: 1, Discrete: true}
	for _, write := range []func(*loss.List) ([]byte, error){List, Tree} {
		if b, err := write(listOf(event.AddRemove,
			loss.Release{Released: []loss.Mechanism{few}, Count: 1})); err == nil ||
			!strings.Contains(err.Error(), "too few steps") {
			t.Errorf("written as %s, %v", b, err)
		}
	}
}

// TestExchangeByACoin: an exchange of orthogonal units is written as one of opposite units of the same norm. Other
// exchanges have no words: with a smaller clip they would lose less.
func TestExchangeByACoin(t *testing.T) {
	for _, c := range []struct {
		m           loss.Gaussian
		nonNegative bool
		written     string // "": refused
	}{
		{loss.Gaussian{Noise: 2, Sensitivity: 2}, false, "1.9999999999999998"},
		{loss.Gaussian{Noise: 2, Sensitivity: math.Sqrt2}, true, "1.9999999999999998"},
		{loss.Gaussian{Noise: 3 << 20, Sensitivity: 2 << 20, Norm: 1 << 20, Discrete: true}, false,
			"2.9999999999"},
		{loss.Gaussian{Noise: 3 << 20, Sensitivity: 1482911, Norm: 1 << 20, NonNegative: true, Discrete: true},
			false, "2.9999999999"},
		{loss.Gaussian{Noise: 2, Sensitivity: math.Sqrt2}, false, ""},
		{loss.Gaussian{Noise: 2, Sensitivity: 1.5}, true, ""},
	} {
		l := listOf(event.ReplaceOne,
			loss.Release{Sampling: loss.Poisson, Rate: 0.05, Count: 1, Released: []loss.Mechanism{c.m}})
		l.NonNegative = c.nonNegative
		for _, write := range []func(*loss.List) ([]byte, error){List, Tree} {
			b, err := write(l)
			if (err == nil) != (c.written != "") || !strings.Contains(string(b), c.written) {
				t.Errorf("%v: written as %s, %v", c.m, b, err)
			}
		}
	}
}

// TestEmptyUnitInAFixedBatch: its batches are further apart than the norm of a unit, which no event says.
func TestEmptyUnitInAFixedBatch(t *testing.T) {
	l := listOf(event.ReplaceNull, loss.Release{Sampling: loss.Fixed, Rate: 0.05, Count: 1,
		Released: []loss.Mechanism{loss.Gaussian{Noise: 2, Sensitivity: 2}}})
	for _, write := range []func(*loss.List) ([]byte, error){List, Tree} {
		if b, err := write(l); err == nil ||
			!strings.Contains(err.Error(), "sampling without replacement under replace-null has no event here") {
			t.Errorf("written as %s, %v", b, err)
		}
	}
	const fixed = `{"adjacency": "replace-null", "event": {"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 20,
		"sample_size": 1, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2}}}`
	if _, err := Read([]byte(fixed), Relation{}); err == nil ||
		!strings.Contains(err.Error(), `needs adjacency "replace-one"`) {
		t.Errorf("read: %v", err)
	}
}

// TestFraction: sizes of a rate give the same rate again, in their lowest terms.
func TestFraction(t *testing.T) {
	for _, c := range [][4]int{
		{20000, 400000, 1, 20}, {1, 1, 1, 1}, {1, 3, 1, 3}, {123457, 1000003, 123457, 1000003},
		{1, 1 << 53, 1, 1 << 53},
		{1<<53 - 1, 1 << 53, 1, 1}, {2, 7, 2, 7},
	} {
		rate := min(1, math.Nextafter(float64(c[0])/float64(c[1]), 1))
		size, population, err := fraction(rate)
		if err != nil || size != c[2] || population != c[3] {
			t.Errorf("%d/%d: got %d/%d, %v, want %d/%d", c[0], c[1], size, population, err, c[2], c[3])
		}
	}
	for _, rate := range []float64{0, 1e-300, math.Pi / 1e30} {
		if size, population, err := fraction(rate); err == nil {
			t.Errorf("%v: got %d/%d", rate, size, population)
		}
	}
}
