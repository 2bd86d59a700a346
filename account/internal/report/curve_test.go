package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
)

// linearProfile is a profile of releases that is easy to work out: δ(ε) = e^(−ε/releases). From release number
// unbounded on, if it is not 0, ε is infinite.
type linearProfile struct{ releases, unbounded int }

func (p linearProfile) Epsilon(delta float64) (float64, error) {
	switch {
	case p.unbounded > 0 && p.releases >= p.unbounded, delta == 0 && p.releases > 0:
		return math.Inf(1), nil
	case p.releases == 0:
		return 0, nil
	}
	return -math.Log(delta) * float64(p.releases), nil
}

func (p linearProfile) Delta(epsilon float64) (float64, error) {
	switch {
	case p.unbounded > 0 && p.releases >= p.unbounded:
		return 1, nil
	case p.releases == 0:
		return 0, nil
	}
	return math.Exp(-epsilon / float64(p.releases)), nil
}

// linearSpending counts how often it is asked.
func linearSpending(unbounded int, asked *int) accountant.Spending {
	return func(charges []*event.Charge) (accountant.UpperProfile, error) {
		*asked++
		return linearProfile{len(charges), unbounded}, nil
	}
}

// ledgerOf returns a ledger without hashes, of charges of runs by their names.
func ledgerOf(runs ...string) *event.Ledger {
	ledger := new(event.Ledger)
	for _, run := range runs {
		ledger.Lines = append(ledger.Lines,
			&event.Line{Type: event.TypeCharge, Time: time.Unix(1, 0), Charge: &event.Charge{
				Run: run, Dataset: "d", Mechanism: event.Gaussian,
			}})
	}
	return ledger
}

func TestStops(t *testing.T) {
	long := make([]string, 10_000)
	for i := range long {
		long[i] = strconv.Itoa(i / 1000)
	}
	nightly := make([]string, 3000)
	for i := range nightly {
		nightly[i] = strconv.Itoa(i / 3)
	}
	for _, c := range []struct {
		what  string
		runs  []string
		turns int
	}{
		{"none", nil, 0},
		{"one", []string{"a"}, 1},
		{"taking turns", []string{"a", "b", "a", "a"}, 3},
		{"some", long[:80], 1},
		{"many", long, 10},
		{"more runs than points", nightly, 1000},
	} {
		all := turns(ledgerOf(c.runs...).Charges())
		if len(all) != c.turns {
			t.Errorf("%s: %d turns", c.what, len(all))
		}
		at := stops(len(c.runs), all, len(c.runs)/3)
		if !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != len(at) || len(at) > curvePoints {
			t.Errorf("%s: %d stops, %v", c.what, len(at), at)
		}
		want := []int{0, min(1, len(c.runs)), len(c.runs) / 3, len(c.runs)}
		if len(all) < curvePoints/2 {
			for _, turn := range all {
				want = append(want, turn.last)
			}
		}
		if len(c.runs) <= curvePoints/2 {
			for n := range c.runs {
				want = append(want, n+1)
			}
		}
		for _, n := range want {
			if !slices.Contains(at, n) {
				t.Errorf("%s: ε is not worked out after release %d", c.what, n)
			}
		}
		for i := range at[1:] {
			if at[i+1]-at[i] > 1+len(c.runs)/4 {
				t.Errorf("%s: nothing between %d and %d", c.what, at[i], at[i+1])
			}
		}
	}
}

// TestCurves: the points of both curves are points of the profiles, whatever the ledger. The release from which on ε is
// infinite is found exactly. A long ledger costs one composition a point at most, and the compositions of one search.
func TestCurves(t *testing.T) {
	for _, releases := range []int{0, 1, 2, 99, 10_000} {
		for _, unbounded := range []int{0, 1, 2, 57, 9_999, 10_000} {
			asked, delta := 0, 1e-6
			c, err := newCurves(ledgerOf(make([]string, releases)...), linearSpending(unbounded, &asked), delta)
			if err != nil {
				t.Fatal(err)
			}
			where := "of " + strconv.Itoa(releases) + " releases, unbounded from " + strconv.Itoa(unbounded)
			if asked > curvePoints+16 { // 2^14 > 10,000
				t.Errorf("%s: %d compositions", where, asked)
			}
			want := unbounded
			if releases < unbounded {
				want = 0
			}
			if c.Unbounded != want || c.NoNoise || c.releases() != releases {
				t.Errorf("%s: unbounded from %d, %v, at the end %d", where, c.Unbounded, c.NoNoise, c.releases())
			}
			for _, p := range c.EpsilonOver {
				if e, _ := (linearProfile{p.Releases, unbounded}).Epsilon(delta); e != float64(p.Epsilon) {
					t.Errorf("%s: ε is %v after %d, want %v", where, p.Epsilon, p.Releases, e)
				}
			}
			whole := linearProfile{releases, unbounded}
			for i, p := range c.DeltaOver {
				if d, _ := whole.Delta(float64(p.Epsilon)); math.Abs(d-float64(p.Delta)) > 1e-12*d {
					t.Errorf("%s: δ(%v) is %v, want %v", where, p.Epsilon, p.Delta, d)
				}
				if i > 0 && !(p.Epsilon > c.DeltaOver[i-1].Epsilon && p.Delta <= c.DeltaOver[i-1].Delta) {
					t.Errorf("%s: %v follows %v", where, p, c.DeltaOver[i-1])
				}
			}
			last := c.DeltaOver[len(c.DeltaOver)-1]
			if finite := releases > 0 && want == 0; finite &&
				math.Abs(float64(last.Delta)/(delta*leastReach)-1) > 1e-9 {
				t.Errorf("%s: δ over ε ends at %v", where, last.Delta)
			}
			for _, ending := range curveEndings {
				if b, err := c.encode(ending); err != nil || len(b) == 0 {
					t.Errorf("%s: no %s: %v", where, ending, err)
				}
			}
		}
	}
}

// slightProfile has δ(ε) = 0.1·e^(−ε). It keeps the largest δ that it was asked for.
type slightProfile struct{ largest float64 }

func (p *slightProfile) Epsilon(delta float64) (float64, error) {
	p.largest = max(p.largest, delta)
	return max(0, math.Log(0.1/delta)), nil
}

func (*slightProfile) Delta(epsilon float64) (float64, error) { return 0.1 * math.Exp(-epsilon), nil }

// TestCurveBeginsAtZero: the first point is δ(0). Between it and 0.8·δ(0) no ε is worked out: bounds of a tiny ε take
// seconds.
func TestCurveBeginsAtZero(t *testing.T) {
	c, profile := &curves{Delta: 1e-6}, new(slightProfile)
	if err := c.addProfile(profile); err != nil {
		t.Fatal(err)
	}
	if first := c.DeltaOver[0]; first.Epsilon != 0 || math.Abs(float64(first.Delta)-0.1) > 1e-12 {
		t.Errorf("it begins at %v, want δ(0) = 0.1", first)
	}
	if second := float64(c.DeltaOver[1].Delta); profile.largest > 0.08 || second < 0.06 {
		t.Errorf("ε of δ = %v was asked for, and %v is the first after δ(0)", profile.largest, second)
	}
}

// TestCurveNeverFalls: bounds that fall a little where the loss cannot are drawn level.
func TestCurveNeverFalls(t *testing.T) {
	falling := func(charges []*event.Charge) (accountant.UpperProfile, error) {
		return linearProfile{min(len(charges), 1), 0}, nil
	}
	wavy := func(charges []*event.Charge) (accountant.UpperProfile, error) {
		if len(charges)%2 == 0 {
			return linearProfile{max(0, len(charges)-3), 0}, nil
		}
		return linearProfile{len(charges), 0}, nil
	}
	for _, spent := range []accountant.Spending{falling, wavy} {
		c, err := newCurves(ledgerOf(make([]string, 50)...), spent, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.EpsilonOver[1:] {
			if c.EpsilonOver[i+1].Epsilon < c.EpsilonOver[i].Epsilon {
				t.Errorf("ε falls from %v to %v", c.EpsilonOver[i], c.EpsilonOver[i+1])
			}
		}
	}
}

// TestExtremeCurves: numbers at the ends of what is allowed give a figure.
func TestExtremeCurves(t *testing.T) {
	for _, c := range []*curves{
		{Delta: 1e-300, EpsilonOver: []releasesEpsilon{{0, 0}, {1, 1e-9}, {1e7, 1e6}}},
		{Delta: 0, EpsilonOver: []releasesEpsilon{{0, 0}, {1, 5e-324}},
			Budget: &epsilonDelta{1e-12, accountant.LeastDelta}},
		{Delta: 0.999, EpsilonOver: []releasesEpsilon{{0, 0}, {1, 0}}},
	} {
		c.Ledger = "a\x00\x1b[31m\u202e\ufffe<&>"
		c.DeltaOver = []epsilonDelta{{1e-12, 1}, {1, 1e-200}, {2, 0}}
		if c.Budget == nil {
			c.Budget = &epsilonDelta{1e6, 0}
		}
		if c.releases() > 1 {
			c.turns = []turn{{"\x01", 1, 2}, {"b", 3, 10_000_000}}
		}
		b, err := c.encode(".svg")
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(b)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCurveCSV: each row can be read back to the last digit.
func TestCurveCSV(t *testing.T) {
	asked := 0
	c, err := newCurves(ledgerOf("a", "a", "b"), linearSpending(3, &asked), 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.encode(".csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil || len(rows) != 1+len(c.EpsilonOver)+len(c.DeltaOver) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, p := range c.EpsilonOver {
		row := rows[i+1]
		epsilon, err := strconv.ParseFloat(row[2], 64)
		if err != nil || epsilon != float64(p.Epsilon) || row[1] != strconv.Itoa(p.Releases) || row[3] != "1e-06" {
			t.Errorf("%v is %v", p, row)
		}
	}
}
