// Package clusters is the E-step of mixtures of Gaussians over vectors. claim.md bounds the contribution of one vector.
package clusters

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"privpipe/estep/row"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	Norm     float64 // R: a vector x becomes x·min(1, R/|x|)/R
	Diagonal bool    // contribute families.ClusterSquares
}

// Model implements model.EStep.
type Model struct {
	options  Options
	words    int
	weights  []float64 // π
	clusters []uint32  // 0 … K−1

	// The log density of x in a cluster, with π, is constant + linear·x − precisions·(x∘x)/2. The matrices have a row
	// for each cluster.
	constants, linear, precisions []float64
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	return map[string]any{"norm": m.options.Norm, "diagonal": m.options.Diagonal}
}

// leastVariance and mostMean keep the densities of vectors in the unit ball finite.
const (
	leastVariance = 1e-12
	mostMean      = 1e6
)

// SetParameters implements model.EStep.
func (m *Model) SetParameters(set *stream.Set, size model.Size) error {
	weights, err := families.ClusterWeights.Of(set, size)
	if err != nil {
		return err
	}
	means, err := families.ClusterMeans.Of(set, size)
	if err != nil {
		return err
	}
	variances, err := families.ClusterVariances.Of(set, size)
	if err != nil {
		return err
	}
	if floats.Min(variances) < leastVariance {
		return fmt.Errorf("matrix %q has a cell below %v", families.ClusterVariances.Name, leastVariance)
	}
	if max(floats.Max(means), -floats.Min(means)) > mostMean {
		return fmt.Errorf("matrix %q has a cell beyond %v", families.ClusterMeans.Name, mostMean)
	}
	k := size.Components
	m.words, m.weights, m.clusters = size.Words, weights, make([]uint32, k)
	m.constants, m.linear, m.precisions = make([]float64, k), means, variances
	for c := range k {
		m.clusters[c] = uint32(c)
		m.constants[c] = math.Log(weights[c])
		for i := c * m.words; i < (c+1)*m.words; i++ {
			mean, variance := means[i], variances[i]
			m.constants[c] -= (mean*mean/variance + math.Log(2*math.Pi*variance)) / 2
			m.precisions[i] = 1 / variance
			m.linear[i] = mean / variance
		}
	}
	return nil
}

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker {
	return &worker{Model: m, x: make([]float64, m.words), squares: make([]float64, m.words),
		r: make([]float64, len(m.weights))}
}

type worker struct {
	*Model
	row        row.Row
	x, squares []float64 // the vector, and its squares
	r          []float64 // responsibilities
	parts      []*wire.Part
}

// read reads a document's vector and brings it into the unit ball.
func (w *worker) read(d *wire.Document) {
	w.row.Read(d)
	w.row.Bound(w.options.Norm)
	clear(w.x)
	for i, id := range w.row.IDs {
		w.x[id] = w.row.X[i]
	}
	floats.MulTo(w.squares, w.x, w.x)
}

// respond sets the responsibilities for the vector: r_k ∝ π_k·N(x; μ_k, σ_k²) (Bishop 2006, equation 9.23). It returns
// the log density of the vector.
func (w *worker) respond() float64 {
	for c := range w.r {
		from, to := c*w.words, (c+1)*w.words
		w.r[c] = w.constants[c] + floats.Dot(w.linear[from:to], w.x) - floats.Dot(w.precisions[from:to], w.squares)/2
	}
	density := floats.LogSumExp(w.r)
	for c, log := range w.r {
		w.r[c] = math.Exp(log - density)
	}
	return density
}

// least is the least responsibility that is contributed.
const least = 1e-4

// Contribute implements model.Worker. It returns r, r ⊗ x and, of a diagonal mixture, r ⊗ (x∘x). Responsibilities below
// least are left out, and all numbers are rounded towards 0. So neither exceeds the bounds.
func (w *worker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, nil
	}
	w.read(d)
	w.respond()
	var clusters []uint32
	var r []float32
	for c, share := range w.r {
		if share >= least {
			clusters, r = append(clusters, uint32(c)), append(r, row.TowardsZero(share))
		}
	}
	w.parts = model.AppendParts(w.parts[:0], 0, []uint32{0}, clusters, r)
	w.parts = model.AppendFactored(w.parts, 1, clusters, r, towardsZero(w.x))
	if w.options.Diagonal {
		w.parts = model.AppendFactored(w.parts, 2, clusters, r, towardsZero(w.squares))
	}
	return w.parts, nil
}

func towardsZero(x []float64) []float32 {
	short := make([]float32, len(x))
	for i, v := range x {
		short[i] = row.TowardsZero(v)
	}
	return short
}

// Infer implements model.Inferrer. It returns the responsibilities. A document without a vector has the weights of the
// mixture.
func (w *worker) Infer(d *wire.Document) ([]float64, error) {
	if len(d.WordGaps) == 0 {
		return w.weights, nil
	}
	w.read(d)
	w.respond()
	return append([]float64(nil), w.r...), nil
}

// Predict implements model.Predictor. The columns are the clusters, and none is the truth.
func (w *worker) Predict(d *wire.Document) (*wire.Prediction, error) {
	r, err := w.Infer(d)
	p := &wire.Prediction{Id: d.Id, Label: d.Label, Probabilities: make([]byte, 0, 4*len(r))}
	for _, share := range r {
		p.Probabilities = binary.LittleEndian.AppendUint32(p.Probabilities, math.Float32bits(float32(min(1, share))))
	}
	return p, err
}
