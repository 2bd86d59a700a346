// Package sbn is the E-step of sigmoid belief networks with Pólya-Gamma variables (Park et al. 2020, Algorithm 6).
// claim.md bounds the contribution of one image.
package sbn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"privpipe/estep/row"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the E-step.
type Options struct {
	Sweeps int  // updates of all hidden units in an image
	Count  bool // contribute sbn.Count
	Mean   bool // predict from the means of hidden units, not from a draw
}

// Model implements model.EStep.
type Model struct {
	options Options
	pixels  int
	hidden  int
	units   []uint32 // 0 … K−1

	// A row for each hidden unit: E[W], E[W²] and E[W²]/2.
	weights, moments, halves []float64

	biases  []float64 // E[b]
	visible []float64 // E[c]

	// Where each image begins: ⟨z⟩ = σ(E[b]) and ψ = E[W]ᵀ⟨z⟩ + E[c]. fixed is E[b] − Σ E[W]/2: the evidence for a unit
	// if the image has no pixels.
	prior, logits, fixed []float64
}

// New returns a model without parameters.
func New(o Options) *Model { return &Model{options: o} }

// Settings implements model.EStep.
func (m *Model) Settings() any {
	return map[string]any{"sweeps": m.options.Sweeps, "count": m.options.Count}
}

// SetParameters implements model.EStep. It refuses parameters beyond sbn.MaxParameter, so that no image can make a sum
// overflow.
func (m *Model) SetParameters(set *stream.Set, size model.Size) (err error) {
	if size.Components > families.MaxHidden {
		return fmt.Errorf("parameters have %d hidden units, may have %d", size.Components, families.MaxHidden)
	}
	m.pixels, m.hidden = size.Words, size.Components
	if m.weights, err = families.SBNWeights.Of(set, size); err != nil {
		return err
	}
	if m.moments, err = families.SBNSquares.Of(set, size); err != nil {
		return err
	}
	if m.biases, err = families.SBNHidden.Of(set, size); err != nil {
		return err
	}
	if m.visible, err = families.SBNVisible.Of(set, size); err != nil {
		return err
	}
	for _, field := range []struct {
		name  string
		cells []float64
		most  float64
	}{
		{families.SBNWeights.Name, m.weights, families.MaxParameter},
		{families.SBNSquares.Name, m.moments, families.MaxParameter * families.MaxParameter},
		{families.SBNHidden.Name, m.biases, families.MaxParameter},
		{families.SBNVisible.Name, m.visible, families.MaxParameter},
	} {
		for _, x := range field.cells {
			if math.Abs(x) > field.most {
				return fmt.Errorf("matrix %q has a cell beyond %v", field.name, field.most)
			}
		}
	}
	m.begin()
	return nil
}

// begin computes what all images share.
func (m *Model) begin() {
	m.units = make([]uint32, m.hidden)
	m.halves = make([]float64, len(m.moments))
	floats.ScaleTo(m.halves, 0.5, m.moments)
	m.prior, m.fixed, m.logits = make([]float64, m.hidden), make([]float64, m.hidden), slices.Clone(m.visible)
	for k, b := range m.biases {
		weights := m.row(m.weights, k)
		m.units[k] = uint32(k)
		m.prior[k] = row.Logistic(b)
		m.fixed[k] = b - floats.Sum(weights)/2
		floats.AddScaled(m.logits, m.prior[k], weights)
	}
}

// row returns one hidden unit's cells.
func (m *Model) row(cells []float64, k int) []float64 { return cells[k*m.pixels : (k+1)*m.pixels] }

// NewWorker implements model.EStep.
func (m *Model) NewWorker() model.Worker {
	return &worker{Model: m, z: make([]float64, m.hidden), evidence: make([]float64, m.hidden),
		xi: make([]float64, m.pixels), logits: make([]float64, m.pixels)}
}

type worker struct {
	*Model
	ids      []uint32  // pixels in the image that are on
	evidence []float64 // E[b_k] + Σ_j E[W_jk]·(x_j − ½) for the image's pixels x
	z        []float64 // ⟨z_k⟩, in [0, 1]
	xi       []float64 // ⟨ξ_j⟩, in [0, ¼]
	logits   []float64 // ψ_j = E[w_j]ᵀ⟨z⟩ + E[c_j]
}

// Contribute implements model.Worker. A pixel is on if its word occurs, however often. A conversion to FLOAT32 moves no
// number beyond 0, 1 or ¼, because these are FLOAT32 numbers.
func (w *worker) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, nil
	}
	w.infer(d)
	z, xi, on := single(w.z), single(w.xi), make([]float32, len(w.ids))
	for i := range on {
		on[i] = 1
	}
	pixels := make([]uint32, w.pixels)
	for j := range pixels {
		pixels[j] = uint32(j)
	}
	one := []uint32{0}
	parts := model.AppendParts(nil, 0, one, w.units, z)
	parts = model.AppendParts(parts, 1, one, w.ids, on)
	parts = model.AppendParts(parts, 2, one, pixels, xi)
	parts = model.AppendFactored(parts, 3, pixels, xi, z)
	parts = model.AppendFactored(parts, 4, w.ids, on, z)
	parts = model.AppendFactored(parts, 5, pixels, xi, w.pairs())
	if w.options.Count {
		parts = model.AppendParts(parts, 6, one, one, []float32{1})
	}
	return parts, nil
}

// pairs returns ⟨z_k·z_l⟩ for k ≤ l. Under q hidden units are independent, and z_k² = z_k.
func (w *worker) pairs() []float32 {
	pairs := make([]float32, 0, w.hidden*(w.hidden+1)/2)
	for k, z := range w.z {
		pairs = append(pairs, float32(z))
		for _, other := range w.z[k+1:] {
			pairs = append(pairs, float32(z*other))
		}
	}
	return pairs
}

func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// Predict implements model.Predictor. It reconstructs an image from its hidden units, with a probability for each
// pixel. The units are drawn with coins that depend only on the image.
func (w *worker) Predict(d *wire.Document) (*wire.Prediction, error) {
	w.infer(d)
	if !w.options.Mean {
		random := (&model.Coins{Document: d}).Public("hidden units")
		for k, z := range w.z {
			drawn := 0.0
			if random.Float64() < z {
				drawn = 1
			}
			w.set(k, drawn)
		}
	}
	p := &wire.Prediction{Id: d.Id, Label: d.Label, TruthGaps: d.WordGaps}
	probabilities := make([]float32, w.pixels)
	for j, logit := range w.logits {
		probabilities[j] = float32(row.Logistic(logit))
	}
	p.Probabilities = stream.AppendCells(nil, probabilities)
	return p, nil
}
