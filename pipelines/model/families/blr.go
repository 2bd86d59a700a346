package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// The statistics of BLR: 1 × V, and V × V and symmetric.
const (
	S1 = "s1"
	S2 = "s2"
)

// The fields of BLR's parameters and model files, with Mean.
var (
	// Moments is E[w·wᵀ] under the posterior q: the covariance of w plus E[w]·E[w]ᵀ.
	Moments = model.Matrix[float64]{Name: "moments", Rows: model.Words, Columns: model.Words}

	// Precision is E[α] of the prior w ~ N(0, I/α).
	Precision = model.Scalar{Name: "precision", Rule: model.Positive}
)

// BLR is the family of Bayesian logistic regression with a Gaussian prior with unknown precision, by Pólya-Gamma
// variables (Park et al., Variational Bayes In Private Settings, JAIR 68, 2020, §6, Algorithm 5).
//
// For a row x with |x| ≤ 1 and class y ∈ {0, 1}, in the notation of the paper's Algorithms 1 and 2:
//
//	statistic s             natural parameter n   prior ν   add-remove   replace-one
//	s1 = (y − ½)·x          w                     0         ½            1
//	s2 = ⟨ξ⟩·x·xᵀ           −½·w·wᵀ               ⟨α⟩·I     ¼            √2/4
//	(s1, s2) over (½, ¼)                                    √2           2·√2 (no smaller bound is charged)
//	(s1, s2) over (1, ½)                                    1/√2         √5/2
//
// The last columns bound how far a neighbouring sum lies in L2: estep/blr/claim.md. A row with b binomial trials has b
// times as much.
var BLR = &model.Family{
	Name: "blr", Values: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		v := uint32(s.Words)
		return []*wire.Matrix{
			{Name: S1, Rows: 1, Columns: v, Element: wire.Element_FLOAT32},
			{Name: S2, Rows: v, Columns: v, Element: wire.Element_FLOAT32, Symmetric: true},
		}
	},
	Parameters: []model.Field{Mean, Moments},
	Model:      []model.Field{Precision, Rounds, Mean, Moments},
}
