package row

import (
	"encoding/binary"
	"math"

	"privpipe/pipelines/wire"
)

// Probability returns the probability of class 1 if the logit is N(mean, variance). It is σ(κ·mean) with κ = (1 +
// π·variance/8)^−½ (MacKay, The Evidence Framework Applied to Classification Networks, 1992, eq. 10).
func Probability(mean, variance float64) float64 {
	return Logistic(mean / math.Sqrt(1+math.Pi*variance/8))
}

// Logistic returns 1/(1 + e^−x), and ½ for NaN. Under hostile parameters parts of x may be infinite, and no number on
// the wire may be NaN.
func Logistic(x float64) float64 {
	if math.IsNaN(x) {
		return 0.5
	}
	return 1 / (1 + math.Exp(-x))
}

// Prediction returns the record that d is in class 1 with this probability.
func (l Labels) Prediction(d *wire.Document, probability float64) *wire.Prediction {
	p := &wire.Prediction{Id: d.Id, Label: d.Label}
	p.Probabilities = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(probability)))
	if d.Label == l.Positive {
		p.TruthGaps = []uint32{0}
	}
	return p
}
