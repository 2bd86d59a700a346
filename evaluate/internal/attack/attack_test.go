package attack

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A round is one of a run with K = 2 topics and V = 3 words.
type round struct {
	number    uint32 // 0: its place
	draws     float64
	coupled   bool
	sampled   bool
	twice     bool                  // each document contributes twice
	documents map[string][6]float32 // contributions, K×V
}

// A set is one of parameters.
type set struct {
	round               uint32  // 0: its place
	alpha, eta, ceiling float64 // eta and ceiling are left out if they are 0
	weights             [6]float32
	counts              *[6]float32
}

var size = model.Size{Words: 3, Components: 2}

func reader(t *testing.T, h *wire.Header, records []*wire.Record) *stream.Reader {
	t.Helper()
	b, _ := script.Stream(h, records...)
	r, err := stream.NewReader(bytes.NewReader(b), h.Kind.String())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func contributions(t *testing.T, rounds []round) *stream.Reader {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Run: "r", Model: "lda",
		Unit:       wire.Unit_DOCUMENT,
		Vocabulary: make([]byte, 32), VocabularySize: 3, Matrices: lda.Family.Statistics(size),
	}
	var records []*wire.Record
	for i, r := range rounds {
		number := cmp.Or(r.number, uint32(i+1))
		scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9}
		if r.sampled {
			scheme = &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: 9, Secret: true,
				Coins: strings.Repeat("0", 32)}
		}
		open := &wire.RoundOpen{Scheme: scheme, Draws: r.draws, Coupled: r.coupled}
		records = append(records, &wire.Record{Round: number, Body: &wire.Record_RoundOpen{RoundOpen: open}})
		end := &wire.RoundClose{}
		units := slices.Sorted(maps.Keys(r.documents))
		if r.twice {
			units = append(units, units...)
		}
		for _, unit := range units {
			values := r.documents[unit]
			// Two records: the second continues the first.
			for topic := range uint32(2) {
				parts := model.AppendParts(nil, 0, []uint32{topic}, []uint32{0, 1, 2}, values[3*topic:3*topic+3])
				c := &wire.Contribution{Unit: unit, More: topic == 0, Parts: parts}
				records = append(records, &wire.Record{Round: number, Body: &wire.Record_Contribution{Contribution: c}})
			}
			end.Units, end.Records, end.UnitDigest = end.Units+1, end.Records+1, end.UnitDigest+wire.UnitDigest(unit)
		}
		records = append(records, &wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}})
	}
	return reader(t, h, records)
}

func params(t *testing.T, sets []set) *stream.Reader {
	var h *wire.Header
	var records []*wire.Record
	for i, x := range sets {
		s := new(model.Snapshot)
		lda.Alpha.Put(s, x.alpha)
		if x.eta > 0 {
			lda.Eta.Put(s, x.eta)
		}
		if x.ceiling > 0 {
			lda.Ceiling.Put(s, x.ceiling)
		}
		lda.Weights.Put(s, size, x.weights[:])
		if x.counts != nil {
			lda.Counts.Put(s, size, x.counts[:])
		}
		h = &wire.Header{
			Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: "r", Model: "lda",
			Vocabulary: make([]byte, 32), VocabularySize: 3, Matrices: s.Matrices,
		}
		number := cmp.Or(x.round, uint32(i))
		records = append(records, &wire.Record{Round: number,
			Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: s.Scalars}}})
		for m, cells := range s.Cells {
			records = append(records, &wire.Record{Round: number,
				Body: &wire.Record_Block{Block: &wire.Block{Matrix: uint32(m),
					Values: cells.AppendTo(nil, 0, cells.Len())}}})
		}
	}
	return reader(t, h, records)
}

func options() Options {
	return Options{Size: size, Tokens: 9, Seed: 1, Wanted: func(uint32) bool { return true },
		After: func(uint32, uint32) {}}
}

// share returns the first of numbers as a share of their sum.
func share(first float64, others ...float64) float64 {
	sum := first
	for _, x := range others {
		sum += x
	}
	return first / sum
}

// Round 1: the document's token of word 0 has topic 0, its two tokens of word 1 have topic 1. Round 2: the token has
// topic 1 and the others have topics 0 and 1. No other word occurs once.
var (
	one      = [6]float32{1, 0, 0, 0, 2, 0}
	two      = [6]float32{0, 1, 0, 1, 1, 0}
	changed  = [6]float32{-1, 1, 0, 1, -1, 0}
	weights0 = [6]float32{.5, .25, .25, .2, .2, .6}
	weights1 = [6]float32{.125, .75, .125, .5, .25, .25}
	wrong    = [6]float32{.25, .25, .5, .125, .5, .375} // of the parameters after the last round, which no sampler read
)

func documents(d [6]float32) map[string][6]float32 { return map[string][6]float32{"MARKER": d} }

// TestByHand compares the probability of the true word with fractions that were written down by hand.
func TestByHand(t *testing.T) {
	frozen := []set{{alpha: 1, weights: weights0}, {alpha: 1, weights: weights1}, {alpha: 1, weights: wrong}}
	counted := func(counts ...[6]float32) []set {
		sets := slices.Clone(frozen)
		for i := range sets {
			sets[i].eta = 1
			if counts != nil {
				sets[i].counts = &counts[i]
			}
		}
		return sets
	}
	bounded := []round{{documents: documents(one)}, {documents: documents(two)}}
	for i := range bounded {
		bounded[i].draws = 2 * math.Ln2
	}
	// p(k | t) with n = (0, 2) in round 1, and (1, 1) in round 2, where both masses are 2.
	exact1 := []float64{.5 / (.5*1 + .2*3), .25 / (.25*1 + .2*3), .25 / (.25*1 + .6*3)}
	exact2 := []float64{exact1[0] * .5 / .625, exact1[1] * .25 / 1, exact1[2] * .25 / .375}
	// Half of the greatest weight is the least: w0 = ½ ¼ ¼, w1 = .3 .3 .6; then w0 = .375 .75 .375, w1 = ½ ¼ ¼.
	bounded1 := []float64{.5 / (.5 + .3*3), .25 / (.25 + .3*3), .25 / (.25 + .6*3)}
	bounded2 := []float64{bounded1[0] * .5 / (.5 + .375), bounded1[1] * .25 / (.25 + .75),
		bounded1[2] * .25 / (.25 + .375)}
	coupled := []round{{documents: documents(one)}, {documents: documents(two)}}
	for i := range coupled {
		// Another document. It has no word once, and does not change.
		coupled[i].documents["other"] = [6]float32{2, 0, 0, 0, 0, 4}
		coupled[i].coupled = true
	}
	// Counts after round 1: topic 0 has 3 0 0, without the token 2 0 0; topic 1 has 0 2 4.
	place1 := func(a, b [3]float64, na, nb float64) (p []float64) { // p(topic a | t)
		for t := range 3 {
			p = append(p, a[t]*na/(a[t]*na+b[t]*nb))
		}
		return p
	}
	in1 := place1([3]float64{3. / 5, 1. / 5, 1. / 5}, [3]float64{1. / 9, 3. / 9, 5. / 9}, 1, 3)
	// After round 2: topic 0 has 2 1 0; topic 1 has 1 1 4, without the token 0 1 4.
	in2 := place1([3]float64{1. / 8, 2. / 8, 5. / 8}, [3]float64{3. / 6, 2. / 6, 1. / 6}, 2, 2)
	for i := range in2 {
		in2[i] *= in1[i]
	}
	// A ceiling of 2: the cells of 4 are 2, the sums stay.
	low1 := place1([3]float64{3. / 5, 1. / 5, 1. / 5}, [3]float64{1. / 9, 3. / 9, 3. / 9}, 1, 3)
	low2 := place1([3]float64{1. / 8, 2. / 8, 3. / 8}, [3]float64{3. / 6, 2. / 6, 1. / 6}, 2, 2)
	for i := range low2 {
		low2[i] *= low1[i]
	}
	ceiling := counted()
	for i := range ceiling {
		ceiling[i].ceiling = 2
	}
	// Noisy counts of the parameters: before round 1 they are 0; after it they are off by 1 0 -1 0 1 0.
	noisy := counted([6]float32{}, [6]float32{4, 0, -1, 0, 3, 4}, [6]float32{9, 9, 9, 9, 9, 9})
	// The counts of round 2 are off by as much: topic 0 has 3 1 -1, topic 1 has 1 2 4, without the token 0 2 4.
	noisy2 := place1([3]float64{1. / 9, 3. / 9, 5. / 9}, [3]float64{4. / 6, 2. / 6, 1. / 6}, 2, 2)
	for i := range noisy2 {
		noisy2[i] *= in1[i]
	}
	increments := slices.Clone(coupled)
	increments[1].documents = map[string][6]float32{"MARKER": changed, "other": {}}
	alone := []round{{documents: documents(one)}, {documents: documents(changed)}}
	equation := [2]float64{.5, share(.5*.5, .25*.25, .25*.25)} // topic 0, then 1
	for _, c := range []struct {
		name       string
		rounds     []round
		sets       []set
		increments bool
		equation   [2]float64
		exact      [2][]float64 // not normalised, word 0 first
	}{
		{"frozen", []round{{documents: documents(one)}, {documents: documents(two)}}, frozen, false, equation,
			[2][]float64{exact1, exact2}},
		{"frozen increments", alone, frozen, true, equation, [2][]float64{exact1, exact2}},
		{"bounded draws", bounded, frozen, false, equation, [2][]float64{bounded1, bounded2}},
		{"in place", coupled, counted(), false, equation, [2][]float64{in1, in2}},
		{"in place, increments", increments, counted(), true, equation, [2][]float64{in1, in2}},
		{"in place, with a ceiling", coupled, ceiling, false, equation, [2][]float64{low1, low2}},
		{"in place, noisy", coupled, noisy, false, [2]float64{1. / 3, share(1, 4, 5)}, [2][]float64{in1, noisy2}},
		{"in place, noisy increments", increments, noisy, true, [2]float64{1. / 3, share(1, 4, 5)},
			[2][]float64{in1, noisy2}},
	} {
		o := options()
		o.Increments = c.increments
		result, err := Run(o, contributions(t, c.rounds), params(t, c.sets))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if result.Tokens != 1 || result.Candidates != 1 || result.Chance != 1./3 || len(result.Rounds) != 2 {
			t.Errorf("%s: %+v", c.name, result)
			continue
		}
		for i, row := range result.Rounds {
			want := share(c.exact[i][0], c.exact[i][1:]...)
			if row.Round != uint32(i+1) || math.Abs(row.Equation.Probability-c.equation[i]) > 1e-6 ||
				math.Abs(row.Exact.Probability-want) > 1e-6 {
				t.Errorf("%s: %+v, want %.7f by equation 24 and %.7f exactly", c.name, row, c.equation[i], want)
			}
			most := 0.
			if slices.Max(c.exact[i]) == c.exact[i][0] {
				most = 1
			}
			if row.Exact.MostProbable != most {
				t.Errorf("%s: %+v, the most probable word is right: %v", c.name, row, most)
			}
		}
	}
}

// TestRefused: streams that are not those of an attack.
func TestRefused(t *testing.T) {
	first, second := round{documents: documents(one)}, round{documents: documents(two)}
	sets := []set{{alpha: 1, weights: weights0}, {alpha: 1, weights: weights1}}
	sampled := round{documents: documents(two), sampled: true}
	inPlace := round{documents: documents(one), coupled: true}
	third, late := second, sets[1]
	third.number, late.round = 3, 2
	for _, c := range []struct {
		rounds     []round
		sets       []set
		increments bool
		message    string
	}{
		{[]round{first, second}, sets[:1], false, "PARAMETERS: ends before the parameters after round 1"},
		{[]round{first, second}, []set{sets[0], late}, false,
			"the parameters are those after round 2, must be those after round 1"},
		{[]round{first, third}, sets, false, "round 3 comes after round 1"},
		{[]round{third}, sets, false, "round 3 comes after round 0"},
		{nil, sets, false, "CONTRIBUTIONS: holds no round"},
		{[]round{first, sampled}, sets, false, "round 2 is of a sample"},
		{[]round{first, inPlace}, sets, false, "only some rounds are coupled"},
		{[]round{{documents: documents(one), draws: 3 * unbounded}}, sets, false, "round 1 has several sweeps"},
		{[]round{{documents: documents(one), twice: true}}, sets, false, "a document contributes twice to a round"},
		{[]round{first, {documents: documents(two), twice: true}}, sets, false,
			"a document contributes twice to a round"},
		{[]round{inPlace}, sets, false, "\"eta\""},
		{[]round{{documents: documents([6]float32{1, 0, 0, 0, .5, 0})}}, sets, false, "not raw counts"},
		{[]round{{documents: documents([6]float32{2, 0, 0, 0, 2, 0})}}, sets, false, "no word occurs once"},
		{[]round{first, {documents: documents(changed)}}, sets, false, "need --increments"},
		{[]round{{documents: documents(changed)}}, sets, true, "the run began from a state"},
		{[]round{first, second}, sets, true, "the words of a document are others"},
		{[]round{first, {documents: documents([6]float32{1, 0, 0, 0, 1, 0})}}, sets, false,
			"the words of a document are others"},
		{[]round{first, {documents: map[string][6]float32{"other": two}}}, sets, false,
			"round 2 has not all documents"},
	} {
		o := options()
		o.Increments = c.increments
		_, err := Run(o, contributions(t, c.rounds), params(t, c.sets))
		if err == nil || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "MARKER") {
			t.Errorf("error %v, want %q", err, c.message)
		}
	}
}
