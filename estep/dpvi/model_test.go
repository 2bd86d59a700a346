package dpvi

import (
	"encoding/binary"
	"math"
	"testing"

	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// with returns an E-step with these parameters; without a draw if it is nil.
func with(mean, deviation, draw []float64) *Model {
	m := New(row.Labels{Positive: "1"})
	size := model.Size{Words: len(mean)}
	s := new(model.Snapshot)
	families.Mean.Put(s, size, mean)
	families.Deviation.Put(s, size, deviation)
	if draw != nil {
		families.Draw.Put(s, size, draw)
	}
	if err := m.SetParameters(modeltest.Snapshot("dpvi", s), size); err != nil {
		panic(err)
	}
	return m
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func TestModel(t *testing.T) {
	modeltest.EStep(t, modeltest.Case{Family: families.DPVI, Step: with(ones(20), ones(20), ones(20)),
		Size: model.Size{Words: 20}})
}

func document(label string, x ...float32) *wire.Document {
	d := &wire.Document{Id: "d", Label: label}
	for v, value := range x {
		d.WordGaps = append(d.WordGaps, uint32(min(v, 1)))
		d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(value))
	}
	return d
}

// TestGradient: by differences of the log likelihood at μ + d∘e, by μ and by log d.
func TestGradient(t *testing.T) {
	mean, deviation, draw := []float64{0.5, -1, 0.25}, []float64{0.5, 2, 1}, []float64{1, -0.3, 0.7}
	x := []float32{1.5, -0.5, 3}
	for _, y := range []float64{0, 1} {
		likelihood := func(at int, by float64) float64 {
			logit := 0.0
			for v := range mean {
				m, l := mean[v], math.Log(deviation[v])
				if v == at {
					m += by
				}
				if v == at-3 {
					l += by
				}
				logit += float64(x[v]) * (m + math.Exp(l)*draw[v])
			}
			return y*logit - math.Log1p(math.Exp(logit))
		}
		parts, err := with(mean, deviation, draw).NewWorker().
			Contribute(document(map[float64]string{0: "no", 1: "1"}[y], x...), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range modeltest.Dense(families.DPVI.Statistics(model.Size{Words: 3}), parts) {
			if want := (likelihood(i, 1e-5) - likelihood(i, -1e-5)) / 2e-5; math.Abs(got-want) > 1e-6 {
				t.Errorf("y = %v: gradient %d is %v, want %v", y, i, got, want)
			}
		}
	}
}

// TestRefused: a model file has no draw to train with, and a row without a class none to learn.
func TestRefused(t *testing.T) {
	for what, try := range map[string]func() error{
		"no draw": func() error {
			_, err := with(ones(2), ones(2), nil).NewWorker().Contribute(document("1", 1, 2), nil)
			return err
		},
		"no class": func() error {
			_, err := with(ones(2), ones(2), ones(2)).NewWorker().Contribute(document("", 1, 2), nil)
			return err
		},
	} {
		if err := try(); exit.Code(err) != exit.Malformed {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestPredict: the logit of x is N(μᵀx, Σ d²x²).
func TestPredict(t *testing.T) {
	p, err := with([]float64{0.5, -1}, []float64{0.5, 2}, nil).NewWorker().(model.Predictor).
		Predict(document("1", 2, 0.25))
	if err != nil {
		t.Fatal(err)
	}
	want := 1 / (1 + math.Exp(-0.75/math.Sqrt(1+math.Pi*1.25/8)))
	if got := float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities))); math.Abs(got-want) > 1e-6 ||
		len(p.TruthGaps) != 1 {
		t.Errorf("probability %v, want %v: %v", got, want, p)
	}
}

// TestOverflow: weights that are not finite have no gradient.
func TestOverflow(t *testing.T) {
	size := model.Size{Words: 1}
	for _, draw := range []float64{1e308, -1e308} {
		s := new(model.Snapshot)
		families.Mean.Put(s, size, []float64{1e308})
		families.Deviation.Put(s, size, []float64{10})
		families.Draw.Put(s, size, []float64{draw})
		if New(row.Labels{}).SetParameters(modeltest.Snapshot("dpvi", s), size) == nil {
			t.Errorf("took weights of 1e308 + 10 · %v", draw)
		}
	}
}

// TestHostile: no parameters that the wire allows make a contribution that it does not allow.
func TestHostile(t *testing.T) {
	const most = 1e308
	m := with([]float64{most, -most}, []float64{most / 4, most / 4}, []float64{1, -2})
	d := document("0", math.MaxFloat32, math.MaxFloat32)
	parts, err := m.NewWorker().Contribute(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range modeltest.Dense(families.DPVI.Statistics(model.Size{Words: 2}), parts) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("a cell is %v", x)
		}
	}
	if p, err := m.NewWorker().(model.Predictor).Predict(d); err != nil ||
		!(math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities)) <= 1) {
		t.Errorf("%v, %v", p, err)
	}
}
