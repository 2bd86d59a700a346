package testkit

import (
	_ "embed"
	"encoding/json"
)

//go:embed online-lda.json
var onlineLDA []byte

// OnlineLDA is one E-step and one M-step of online LDA on 40 KOS documents. The authors' code computed it in float64
// (Hoffman, Blei and Bach; blei-lab/onlineldavb at dee5dcf, run under Python 3). The file's "about" says how.
type OnlineLDA struct {
	K, V          int
	D             float64 `json:"population_D"` // the size of the corpus that the minibatch of 40 documents represents
	Alpha, Eta    float64
	Tau0, Kappa   float64
	Iterations    int         `json:"maxit"`
	Tolerance     float64     `json:"tol"`
	WordIDs       [][]uint32  `json:"word_ids"`
	WordCounts    [][]uint32  `json:"word_counts"`
	Gamma         [][]float64 // 40 × K
	Statistics    [][]float64 `json:"sufficient_statistics"` // K × V
	Lambda1       [][]float64 // K × V
	Rho           float64
	ThetaBoundSum float64 `json:"theta_bound_sum"` // in nats, over the documents
	Tokens        uint64
	Perplexity    float64 `json:"perplexity_from_theta_bound"`
}

// ReadOnlineLDA returns the reference values.
func ReadOnlineLDA() *OnlineLDA {
	g := new(OnlineLDA)
	if err := json.Unmarshal(onlineLDA, g); err != nil {
		panic(err)
	}
	return g
}

// Lambda0 returns the initial λ, K × V row by row.
func (g *OnlineLDA) Lambda0() []float64 {
	lambda := make([]float64, 0, g.K*g.V)
	for k := range g.K {
		for v := range g.V {
			lambda = append(lambda, 1+float64((37*k+17*v)%101)/100)
		}
	}
	return lambda
}
