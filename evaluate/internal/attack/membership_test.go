package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// world is what models say in a simulation: the confidence in a document is that document's own, normal with deviation
// own, plus gain for members, plus normal noise of deviation noise.
func world(coins *rand.Rand, documents, models int, own, gain, noise float64) []Set {
	base := make([]float64, documents)
	for d := range base {
		base[d] = own * coins.NormFloat64()
	}
	sets := make([]Set, models)
	for m := range sets {
		for d := range documents {
			member := coins.IntN(2) == 0
			x := base[d] + noise*coins.NormFloat64()
			if member {
				x += gain
			}
			e := Example{ID: fmt.Sprint(d), Class: d % 2, Features: []float64{x}, Confidence: x}
			if member {
				sets[m].In = append(sets[m].In, e)
			} else {
				sets[m].Out = append(sets[m].Out, e)
			}
		}
	}
	return sets
}

// TestAttacks: where the documents' own confidences hide the gain, only the likelihood ratio sees it; where they do
// not, both do; without gain nobody does. Accuracies are Φ of half the gain in deviations of what the attack sees. The
// windows are 4.9 standard errors of 4,000 documents and more, for a fixed seed; the ratio knows the means of 20 shadow
// models only.
func TestAttacks(t *testing.T) {
	const documents, models = 4000, 41
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for name, c := range map[string]struct{ own, gain, noise, shadow, ratio float64 }{
		"hidden":  {10, 1, 0.5, phi(0.5 / math.Hypot(10, 0.5)), phi(1)},
		"plain":   {0, 1, 0.5, phi(1), phi(1)},
		"nothing": {1, 0, 0.5, 0.5, 0.5},
	} {
		sets := world(rand.New(rand.NewPCG(1, 2)), documents, models, c.own, c.gain, c.noise)
		shadows, target := sets[1:], sets[0]
		guesses, err := Shadow(shadows[:2], target)
		if err != nil {
			t.Fatal(err)
		}
		for attack, x := range map[string]struct {
			guesses []Guess
			want    float64
		}{"shadow": {guesses, c.shadow}, "ratio": {Ratio(shadows, target), c.ratio}} {
			m, err := Measure(x.guesses)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(m.Accuracy-x.want) > 0.039 || m.AccuracyLow > m.Accuracy || m.AccuracyHigh < m.Accuracy {
				t.Errorf("%s, %s: accuracy %v in [%v, %v], want %v", name, attack, m.Accuracy, m.AccuracyLow,
					m.AccuracyHigh, x.want)
			}
			if m.Members+m.Others != documents {
				t.Errorf("%s, %s: %d members and %d others", name, attack, m.Members, m.Others)
			}
		}
	}
}

// TestFit: a logistic regression of two normal samples a distance apart has the slope distance/variance, and members
// weigh as much as others although there are fewer.
func TestFit(t *testing.T) {
	coins := rand.New(rand.NewPCG(3, 4))
	var examples []Example
	var members []bool
	for i := range 40_000 {
		member := i%4 == 0
		x := coins.NormFloat64()
		if member {
			x += 1.5
		}
		examples, members = append(examples, Example{Features: []float64{x, 7}}), append(members, member)
	}
	r, err := fit(examples, members)
	if err != nil {
		t.Fatal(err)
	}
	if slope := r.weights[0] / r.scale[0]; math.Abs(slope-1.5) > 0.08 {
		t.Errorf("slope %v, want 1.5", slope)
	}
	if p := r.probability([]float64{0.75, 7}); math.Abs(p-0.5) > 0.02 {
		t.Errorf("in the middle %v", p)
	}
	if _, err := fit(examples[:1], members[:1]); err == nil {
		t.Error("members alone are told apart")
	}
	// Examples that a threshold separates have finite weights.
	apart := []Example{{Features: []float64{0}}, {Features: []float64{1}}}
	if r, err := fit(apart, []bool{false, true}); err != nil || r.probability([]float64{1}) < 0.9 ||
		math.IsNaN(r.weights[0]) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestMeasure: by hand. Of 200 others two may pass the threshold of 1 %.
func TestMeasure(t *testing.T) {
	var guesses []Guess
	for i := range 200 {
		guesses = append(guesses, Guess{Score: float64(i), Called: i >= 150})
	}
	for i := range 10 {
		guesses = append(guesses, Guess{Score: 190 + float64(i) + 0.5, Member: true, Called: true})
	}
	m, err := Measure(guesses)
	if err != nil {
		t.Fatal(err)
	}
	// The threshold is 197: above it are 197.5, 198.5 and 199.5.
	if m.Accuracy != (1+0.75)/2 || m.TruePositive != 0.3 || m.Members != 10 || m.Others != 200 {
		t.Errorf("%+v", m)
	}
	// Agresti and Caffo by hand: p = 11/12, q = 51/202.
	p, q := 11./12, 51./202
	half := 1.96 * math.Sqrt(p*(1-p)/12+q*(1-q)/202)
	if math.Abs(m.AccuracyLow-(1+p-q-half)/2) > 1e-4 || math.Abs(m.AccuracyHigh-min(1, (1+p-q+half)/2)) > 1e-4 {
		t.Errorf("interval [%v, %v]", m.AccuracyLow, m.AccuracyHigh)
	}
	for _, one := range [][]Guess{nil, guesses[:3], guesses[200:]} {
		if _, err := Measure(one); err == nil {
			t.Error("one kind alone is measured")
		}
	}
}

// TestRatioLeavesOut: a document that no shadow model was trained on, or all were, is not attacked.
func TestRatioLeavesOut(t *testing.T) {
	e := func(id string, x float64) Example { return Example{ID: id, Confidence: x} }
	shadows := []Set{{[]Example{e("a", 1), e("b", 1)}, []Example{e("c", 0)}},
		{[]Example{e("b", 1)}, []Example{e("a", 0), e("c", 0)}}}
	guesses := Ratio(shadows, Set{[]Example{e("a", 1), e("b", 1)}, []Example{e("c", 0), e("new", 0)}})
	if len(guesses) != 1 || !(guesses[0].Score > 0) || !guesses[0].Called || !guesses[0].Member {
		t.Errorf("%+v", guesses)
	}
}
