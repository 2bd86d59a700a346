package audit

import (
	"math"
	"slices"
	"testing"

	"privpipe/pipelines/event"
)

var asked = Terms{Mechanism: event.Gaussian, Adjacency: event.AddRemove, Unit: event.Document, NoiseMultiplier: 1}

// moved is by how many clips the sum of a place moves, in the norm that the mechanism hides.
func (k *kind) moved(p place) float64 {
	with, without := k.terms.exact(p.with), k.terms.exact(p.without)
	for i := range with {
		with[i] -= without[i]
	}
	return k.terms.layout.norm(with, k.terms.l1(), !k.terms.l1())
}

// TestPlacesAreTheWorst: in each kind of grant no place moves the sum of a sound privatizer by more than the
// sensitivity. One place moves the sum by the whole sensitivity, so an audit which knows the noise measures the whole
// loss.
func TestPlacesAreTheWorst(t *testing.T) {
	for _, k := range kinds(asked) {
		g := k.terms.grant(1)
		if err := g.Check(); err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		bound, _ := g.Steps()
		sensitivity := float64(g.Sensitivity(bound)) / float64(bound)
		most := 0.0
		for _, p := range k.places {
			moved := k.moved(p)
			if k.terms.clipping != event.ClipProved && moved > sensitivity*(1+1e-9) {
				t.Errorf("%s, %s: the sum moves by %v, the sensitivity is %v", k.name, p.name, moved, sensitivity)
			}
			unbounded := k
			unbounded.terms.clipping = event.ClipProved
			if p.within && (math.Abs(moved-unbounded.moved(p)) > 1e-9 || moved < 0.9-1e-9) {
				t.Errorf("%s, %s: the sum moves by %v, want what the canary sends", k.name, p.name, moved)
			}
			most = max(most, moved)
		}
		if most < sensitivity*(1-1e-6) {
			t.Errorf("%s: no place moves the sum by more than %v, the sensitivity is %v", k.name, most, sensitivity)
		}
	}
}

// TestFaultsMoveMore: what the faults below make of a place moves its sum by at least √2 times what is claimed.
func TestFaultsMoveMore(t *testing.T) {
	find := func(name string) *kind {
		all := kinds(asked)
		i := slices.IndexFunc(all, func(k kind) bool { return k.name == name })
		if i < 0 {
			t.Fatalf("no case %s", name)
		}
		return &all[i]
	}
	for _, fault := range []struct {
		name, kind string
		change     func(t *Terms, p *place)
	}{
		{"cells off the diagonal count once", "sums", func(t *Terms, _ *place) {
			// as many cells, and none is marked
			t.layout[1] = matrix{name: "symmetric", rows: 1, columns: 10, bound: 1}
		}},
		{"a clip in L2 under Laplace noise", "laplace", func(t *Terms, _ *place) { t.Mechanism = event.Gaussian }},
		{"each record is clipped", "users", func(_ *Terms, p *place) {
			for i := range p.with[0] {
				p.with[0][i].unit += string(rune('0' + i))
			}
		}},
		{"negative coordinates count", "non-negative", func(t *Terms, _ *place) { t.nonNegative = false }},
		{"a unit counts twice", "two-inputs", func(_ *Terms, p *place) { p.with[1][1].unit = "canary again" }},
		{"parts are not clipped", "partial-sums", func(t *Terms, _ *place) { t.clipping = event.ClipProved }},
		{"proved is not checked", "proved", func(*Terms, *place) {}},
	} {
		k := find(fault.kind)
		g := k.terms.grant(1)
		bound, _ := g.Steps()
		sensitivity := float64(g.Sensitivity(bound)) / float64(bound)
		sound, most := k.terms, 0.0
		for i := range k.places {
			k.terms = sound
			k.terms.layout = slices.Clone(sound.layout)
			fault.change(&k.terms, &k.places[i])
			with, without := k.terms.exact(k.places[i].with), k.terms.exact(k.places[i].without)
			for c := range with {
				with[c] -= without[c]
			}
			most = max(most, sound.layout.norm(with, sound.l1(), !sound.l1()))
		}
		if most < math.Sqrt2*sensitivity*(1-1e-6) {
			t.Errorf("%s: the sum moves by %v, claimed is %v", fault.name, most, sensitivity)
		}
	}
}

// TestCases: each case has a name of its own, one that the command line can give.
func TestCases(t *testing.T) {
	names := Cases()
	if len(names) < 10 || !slices.Contains(names, Neighbours) || !slices.Contains(names, DeliveredTwice) {
		t.Errorf("cases %q", names)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("two cases are called %q", name)
		}
	}
	// The audit's error is shared out to all that is done.
	for _, c := range []struct {
		auditor Auditor
		shares  float64
	}{
		{Auditor{}, float64(len(names))}, {Auditor{Cases: []string{"sums"}}, 1},
		{Auditor{Cases: []string{"sums", "l1"}}, 2},
		{Auditor{Cases: []string{"sums"}, Canaries: 5, Terms: asked}, 3},
		{Auditor{Cases: []string{"sums"}, Canaries: 5, Terms: Terms{Mechanism: event.Laplace}}, 2},
	} {
		c.auditor.Confidence = 0.5
		if got := 0.5 / c.auditor.alpha(); math.Abs(got-c.shares) > 1e-9 {
			t.Errorf("%v: the error is shared by %v, want %v", c.auditor.Cases, got, c.shares)
		}
	}
}
