package erm

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/estep/row"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

func options() Options {
	return Options{Features: 4, RowNorm: 1, Labels: row.Labels{Positive: "yes"}, Regularisation: 1e-2, Epsilon: 1.5}
}

func smallDocuments() (all []*wire.Document) {
	for i, row := range small {
		all = append(all, document(i, row.positive, row.x...))
	}
	return all
}

// answer answers a round with coins of this key.
func answer(t *testing.T, o Options, key string, documents []*wire.Document) ([][]*wire.Part, error) {
	t.Helper()
	var coins []*model.Coins
	for _, d := range documents {
		coins = append(coins, &model.Coins{Document: d, Key: []byte(key), Scope: model.Scope("run", 1)})
	}
	return New(o).ContributeAll(documents, make([][]*wire.Part, len(documents)), coins)
}

// weights returns the weights of a round, which only the first document contributes.
func weights(t *testing.T, o Options, key string) []float32 {
	t.Helper()
	answers, err := answer(t, o, key, smallDocuments())
	if err != nil {
		t.Fatal(err)
	}
	for i, parts := range answers[1:] {
		if len(parts) > 0 {
			t.Errorf("document %d contributes, too", i+1)
		}
	}
	return wire.AppendFloats(nil, answers[0][0].Values)
}

// TestRound: without a perturbation the weights are the minimiser itself. With one, a round that is delivered again has
// the same weights, and another key gives others.
func TestRound(t *testing.T) {
	exact := options()
	exact.Epsilon = 0
	want, err := (&objective{rows: smallRows(t), lambda: 1e-2, tilt: make([]float64, 4)}).minimise()
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range weights(t, exact, "") {
		if w != float32(want[i]) {
			t.Errorf("weight %d is %v, want %v", i, w, want[i])
		}
	}
	one, again, other := weights(t, options(), "one"), weights(t, options(), "one"), weights(t, options(), "other")
	if !slices.Equal(one, again) {
		t.Errorf("the same coins gave %v and %v", one, again)
	}
	if slices.Equal(one, other) {
		t.Errorf("other coins gave %v, too", one)
	}
}

// TestOne: a worker answers a document as a round of one.
func TestOne(t *testing.T) {
	documents := smallDocuments()[:1]
	answers, err := answer(t, options(), "key", documents)
	if err != nil {
		t.Fatal(err)
	}
	coins := &model.Coins{Document: documents[0], Key: []byte("key"), Scope: model.Scope("run", 1)}
	parts, err := New(options()).NewWorker().Contribute(documents[0], coins)
	if err != nil || !slices.EqualFunc(parts, answers[0], func(a, b *wire.Part) bool { return proto.Equal(a, b) }) {
		t.Errorf("%v, error %v, want %v", parts, err, answers[0])
	}
}

// TestPerturbed: the gradient of the plain objective at the weights is −Δ·w − b/n, with a b that has the norm and the
// spread of Algorithm 2. Over 2,000 minimisers the mean of |b|, which is d·2/ε′, and the sum of all b, which is 0 in
// mean, are within 5.1 standard deviations: a right program fails with a probability of about 10⁻⁶, and here the stream
// is fixed.
func TestPerturbed(t *testing.T) {
	const draws, d = 2000, 4
	o := options()
	p := perturb(o.Epsilon, o.Regularisation, len(small))
	if p.more == 0 {
		t.Fatal("want a case with Δ")
	}
	mean, total := 0.0, make([]float64, d)
	r, random := smallRows(t), rand.New(rand.NewChaCha8([32]byte{3}))
	for range draws {
		w, err := o.minimise(r, random)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := (&objective{rows: r, lambda: o.Regularisation + p.more, tilt: make([]float64, d)}).gradient(w)
		b := sum(make([]float64, d), -float64(len(small)), g)
		mean += norm(b) / draws
		total = sum(total, 1, b)
	}
	theta := 1 / p.rate
	if deviation := theta * math.Sqrt(d) / math.Sqrt(draws); math.Abs(mean-d*theta) > 5.1*deviation {
		t.Errorf("the mean of |b| is %v, want %v ± %v", mean, d*theta, deviation)
	}
	// E|b|² = d(d+1)θ², spread over d coordinates.
	for i, x := range total {
		if deviation := theta * math.Sqrt((d+1)*draws); math.Abs(x) > 5.1*deviation {
			t.Errorf("coordinate %d of all b adds up to %v, standard deviation %v", i, x, deviation)
		}
	}
}

// TestRefused: no row, a row without a class, and no minimiser.
func TestRefused(t *testing.T) {
	unlabelled := smallDocuments()
	unlabelled[3].Label = ""
	twice := smallDocuments()
	twice[3].Id = twice[0].Id
	steep := options()
	steep.Epsilon, steep.Regularisation = 0, math.NaN()
	for about, c := range map[string]struct {
		options   Options
		documents []*wire.Document
	}{
		"there is no row to learn from":    {options(), nil},
		"every document needs a label":     {options(), unlabelled},
		"two rows have the same id":        {options(), twice},
		"the minimiser was not found":      {steep, smallDocuments()},
		"a feature that is not in --vocab": {Options{RowNorm: 1, Features: 3}, smallDocuments()},
	} {
		_, err := answer(t, c.options, "key", c.documents)
		var coded interface{ ExitCode() int }
		if !errors.As(err, &coded) || coded.ExitCode() != 90 || !strings.Contains(err.Error(), about) ||
			strings.Contains(err.Error(), "MARKER") {
			t.Errorf("got error %v, want one of code 90 about %q", err, about)
		}
	}
}
