package gibbs

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

func coins(d *wire.Document, round uint32) *model.Coins {
	return &model.Coins{Document: d, Key: []byte("key"), Scope: model.Scope("run", round)}
}

// TestExpectedIsTheMeanOfCounts: over many rounds the expected statistic and the counts have the same mean. A right
// sampler fails once in a million times.
func TestExpectedIsTheMeanOfCounts(t *testing.T) {
	const k, v, rounds = 3, 6, 20_000
	released := randomWeights(rand.New(rand.NewPCG(9, 1)), k, v)
	d := &wire.Document{Id: "d", WordGaps: []uint32{0, 2, 3}, Counts: []uint32{2, 1, 3}}
	mean := func(o Options) (mean []float64) {
		m := modelOf(o, k, v, 0.4, released)
		w := m.NewWorker()
		mean = make([]float64, k*v)
		for round := range uint32(rounds) {
			parts, err := w.Contribute(d, coins(d, round))
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range modeltest.Dense(lda.Family.Statistics(m.size), parts) {
				mean[i] += x / rounds
			}
		}
		return mean
	}
	// The shares after five sweeps have the mean of the topics that the sixth draws.
	expected, counts := mean(Options{Sweeps: 6, BurnIn: 5, Statistic: Expected}),
		mean(Options{Sweeps: 6, Statistic: Counts})
	for i := range expected {
		// A cell is at most 3: its mean is off by more than 3·√(ln(2·18·1e6)/(2·rounds))·2 in fewer than one in a
		// million tests (Hoeffding).
		if limit := 2 * 3 * math.Sqrt(math.Log(2*18*1e6)/(2*rounds)); math.Abs(expected[i]-counts[i]) > limit {
			t.Errorf("cell %d: %v expected, %v counted", i, expected[i], counts[i])
		}
	}
}

// TestKeep: a round goes on from the topics of the round before, which the contribution tells.
func TestKeep(t *testing.T) {
	const k, v = 5, 40
	m := modelOf(Options{Sweeps: 1, Statistic: Counts, Keep: true}, k, v, 0.4,
		randomWeights(rand.New(rand.NewPCG(9, 1)), k, v))
	w := m.NewWorker().(keeper)
	d := &wire.Document{Id: "d", WordGaps: []uint32{0, 2, 3, 20}, Counts: []uint32{2, 1, 30, 4}}
	parts, err := w.Contribute(d, coins(d, 1))
	if err != nil {
		t.Fatal(err)
	}
	w.begin(d, coins(d, 2))
	if err := w.restore(parts); err != nil {
		t.Fatal(err)
	}
	n := make([]uint64, k)
	for _, topic := range w.sampler.topics {
		n[topic]++
	}
	for topic, x := range n {
		if got := uint64(w.sampler.counts[w.sampler.of(uint32(topic))]); got != x {
			t.Errorf("topic %d has %d tokens, want %d", topic, got, x)
		}
	}
	// Without a sweep the restored topics give the same contribution.
	w.options.Sweeps = 0
	same := w.contribute(rand.New(rand.NewPCG(1, 1)))
	if !slices.EqualFunc(parts, same, func(a, b *wire.Part) bool { return proto.Equal(a, b) }) {
		t.Errorf("restored as %v, was %v", same, parts)
	}
	w.options.Sweeps = 1
	after, err := w.ContributeAfter(d, parts, coins(d, 2))
	if err != nil {
		t.Fatal(err)
	}
	other, err := w.Contribute(d, coins(d, 2))
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(after, other, func(a, b *wire.Part) bool { return proto.Equal(a, b) }) {
		t.Error("the round does not depend on the state")
	}
}

// TestOtherState: a state that is not of the document is refused.
func TestOtherState(t *testing.T) {
	const k, v = 2, 10
	m := modelOf(Options{Sweeps: 1, Statistic: Counts, Keep: true}, k, v, 0.4,
		randomWeights(rand.New(rand.NewPCG(9, 1)), k, v))
	w := m.NewWorker().(keeper)
	d := &wire.Document{Id: "d", WordGaps: []uint32{1, 2}, Counts: []uint32{2, 1}}
	part := func(topic, word uint32, count float32) *wire.Part {
		return &wire.Part{
			RowGaps: []uint32{topic}, ColumnGaps: []uint32{word},
			Values: binary.LittleEndian.AppendUint32(nil, math.Float32bits(count)),
		}
	}
	if _, err := w.ContributeAfter(d, []*wire.Part{part(0, 1, 2), part(1, 3, 1)}, coins(d, 2)); err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]*wire.Part{
		"nothing": nil, "one less": {part(0, 1, 1), part(1, 3, 1)}, "one more": {part(0, 1, 3), part(1, 3, 1)},
		"another word": {part(0, 1, 2), part(1, 4, 1)}, "another topic": {part(0, 1, 2), part(2, 3, 1)},
		"negative":     {part(0, 1, 2), part(0, 3, -1), part(1, 3, 2)},
		"not a number": {part(0, 1, 2), part(1, 3, float32(math.NaN()))},
		"huge":         {part(0, 1, 2), part(1, 3, 1e30)},
	} {
		if _, err := w.ContributeAfter(d, parts, coins(d, 2)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
