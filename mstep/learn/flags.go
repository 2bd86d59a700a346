package learn

import (
	"cmp"
	"fmt"
	"math"

	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/vocabulary"
)

// Words checks that the input, the vocabulary and other inputs are there, and returns the words of the vocabulary.
func (l *Job) Words(r *filter.Run, others ...string) (vocabulary.Words, error) {
	if err := r.Check(append([]string{l.Input, l.Vocab}, others...)...); err != nil {
		return nil, err
	}
	return vocabulary.OpenOrDefault(r, l.Vocab)
}

// Rate are the flags for a learning rate. By default it averages the rounds.
type Rate struct {
	Tau0  float64 `zero:"" name:"tau0" default:"0" placeholder:"X" group:"Learning rate" help:"Set τ0 in ρ_t = (τ0+t)^−κ, t from 1 (default 0). The first release always has ρ = 1."`
	Kappa float64 `zero:"" default:"1" placeholder:"X" group:"Learning rate" help:"Set κ in ρ_t = (τ0+t)^−κ (default 1: with τ0 = 0, the plain average over the rounds)."`
}

// Check returns an error if a flag is out of its range.
func (r Rate) Check() error {
	return cmp.Or(NotNegative("--tau0", r.Tau0), NotNegative("--kappa", r.Kappa))
}

// Rate returns the rate that the flags describe.
func (r Rate) Rate() model.Rate { return model.Rate{Tau0: r.Tau0, Kappa: r.Kappa} }

// Positive returns an error unless a flag's value is above 0 and finite as a float32.
func Positive(flag string, value float64) error {
	if !(value > 0 && value <= math.MaxFloat32) {
		return fmt.Errorf("%s must be finite and positive, is %v", flag, value)
	}
	return nil
}

// NotNegative returns an error unless a flag's value is at least 0 and finite as a float32.
func NotNegative(flag string, value float64) error {
	if !(value >= 0 && value <= math.MaxFloat32) {
		return fmt.Errorf("%s must be finite and not negative, is %v", flag, value)
	}
	return nil
}
