package lda

import (
	"encoding/binary"
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"privpipe/pipelines/model"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire"
)

// goldenTopics returns exp(E[log β]) of the reference's first λ.
func goldenTopics(g *testkit.OnlineLDA) *topics {
	lambda := g.Lambda0()
	weights := make([]float32, len(lambda))
	for k := range g.K {
		total := 0.0
		for v := range g.V {
			total += lambda[k*g.V+v]
		}
		for v := range g.V {
			weights[k*g.V+v] = float32(math.Exp(mathext.Digamma(lambda[k*g.V+v]) - mathext.Digamma(total)))
		}
	}
	return topicsOf(g.K, g.V, g.Alpha, weights)
}

func goldenDocument(g *testkit.OnlineLDA, i int) *wire.Document {
	return &wire.Document{Id: "d", WordGaps: wire.AppendGaps(nil, g.WordIDs[i]), Counts: g.WordCounts[i]}
}

func near(t *testing.T, what string, got, want, relative, absolute float64) {
	t.Helper()
	if math.Abs(got-want) > relative*math.Abs(want)+absolute || math.IsNaN(got) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestAgainstAuthorsCode compares γ, the statistic and the bound with the authors' code, to 1e-4 relative. A cell of
// the statistic may be off by another 1e-6 words: smaller shares are not worked out (leastShare).
func TestAgainstAuthorsCode(t *testing.T) { everyKernel(t, testAgainstAuthorsCode) }

func testAgainstAuthorsCode(t *testing.T) {
	g := testkit.ReadOnlineLDA()
	m := New(Options{Tolerance: g.Tolerance, Iterations: g.Iterations})
	m.k, m.v, m.topics = g.K, g.V, goldenTopics(g)
	w := m.NewWorker().(*worker)
	statistics := make([]float64, g.K*g.V)
	bound, tokens := 0.0, uint64(0)
	for i := range g.WordIDs {
		d := goldenDocument(g, i)
		parts, err := w.Contribute(d, &model.Coins{Document: d})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range g.Gamma[i] {
			near(t, "γ", w.inference.gamma()[k], want, 1e-4, 0)
		}
		addParts(statistics, g.V, parts)
		bound += w.inference.bound(w.ids)
		for _, c := range d.Counts {
			tokens += uint64(c)
		}
	}
	for k, row := range g.Statistics {
		for v, want := range row {
			near(t, "statistic", statistics[k*g.V+v], want, 1e-4, 1e-6)
		}
	}
	near(t, "bound", bound, g.ThetaBoundSum, 1e-4, 0)
	if tokens != g.Tokens {
		t.Errorf("%d tokens, want %d", tokens, g.Tokens)
	}
}

// addParts adds parts of a matrix with v columns to a dense sum.
func addParts(sum []float64, v int, parts []*wire.Part) {
	for _, p := range parts {
		rows, columns := wire.AppendIDs(nil, p.RowGaps), wire.AppendIDs(nil, p.ColumnGaps)
		for i, row := range rows {
			for j, column := range columns {
				bits := binary.LittleEndian.Uint32(p.Values[4*(i*len(columns)+j):])
				sum[int(row)*v+int(column)] += float64(math.Float32frombits(bits))
			}
		}
	}
}
