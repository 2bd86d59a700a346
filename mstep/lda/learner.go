package lda

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/mstep/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Name is the model's name in headers.
const Name = "lda"

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Topics, Words int     // K and V
	Alpha         float64 // Dirichlet prior of a document's topics
	Eta           float64 // Dirichlet prior of a topic's words
	Tau0, Kappa   float64 // ρ_t = (τ0 + t)^−κ
	ZeroNegatives bool    // set negative cells of each release to 0, as the papers do; biased
	AverageFrom   float64 // the model is estimated from an average over the rounds after this share of them; 1: from S
	Estimate      Estimate
	Marginal      []float64 // frequency of each word, from a release of its own; nil: from S
	Seed          uint64    // of the first topics
}

// Learner implements model.Learner.
type Learner struct {
	o     Options
	round uint32

	sum      []float64 // S, K×V row by row
	variance float64   // of the noise on each cell of S

	average         []float64 // of R_t/q over the rounds from AverageFrom on
	averageVariance float64
	averaged        float64 // rounds in the average
}

// New returns a learner with random first topics: λ from a Gamma(100, 1/100), as in the authors' code.
func New(o Options) *Learner {
	l := newLearner(o)
	gamma := distuv.Gamma{Alpha: 100, Beta: 100, Src: rand.NewPCG(o.Seed, 0x6c616d626461)}
	for i := range l.sum {
		l.sum[i] = gamma.Rand() - o.Eta
	}
	return l
}

// NewFrom returns a learner whose first topics are λ, K×V row by row.
func NewFrom(o Options, lambda []float64) *Learner {
	l := newLearner(o)
	for i, v := range lambda {
		l.sum[i] = v - o.Eta
	}
	return l
}

func newLearner(o Options) *Learner {
	cells := o.Topics * o.Words
	return &Learner{o: o, sum: make([]float64, cells), average: make([]float64, cells)}
}

// Name implements model.Learner.
func (l *Learner) Name() string { return Name }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Shapes implements model.Learner.
func (l *Learner) Shapes() []*wire.Matrix {
	return []*wire.Matrix{{Name: "topics", Rows: uint32(l.o.Topics), Columns: uint32(l.o.Words)}}
}

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	topics, err := r.Statistic("topics")
	if err != nil {
		return err
	}
	values, variance := topics.Values, topics.Deviation*topics.Deviation
	if l.o.ZeroNegatives {
		for i, v := range values {
			values[i] = max(v, 0)
		}
	}
	rho := min(1, math.Pow(l.o.Tau0+float64(r.Round), -l.o.Kappa))
	l.variance = mix(l.sum, values, rho, l.variance, variance)
	if float64(r.Round) > l.o.AverageFrom*float64(r.Rounds) {
		// Weights that rise linearly with the round: the n-th gets 2/(n(n+1)) of n.
		l.averaged++
		l.averageVariance = mix(l.average, values, 2/(l.averaged+1), l.averageVariance, variance)
	}
	l.round = r.Round
	return nil
}

// mix sets state to (1−ρ)·state + ρ·values and returns the variance of the noise on it. A state without noise that
// ρ < 1 keeps a part of, such as the first topics, is a bias, not noise.
func mix(state, values []float64, rho, stateVariance, valuesVariance float64) float64 {
	for i, v := range values {
		state[i] = (1-rho)*state[i] + rho*v
	}
	return (1-rho)*(1-rho)*stateVariance + rho*rho*valuesVariance
}

// Parameters implements model.Learner.
func (l *Learner) Parameters() *model.Snapshot {
	estimate := l.o.estimate(l.sum, math.Sqrt(l.variance))
	s := new(model.Snapshot)
	s.Scalar("alpha", l.o.Alpha)
	model.Matrix(s, "weights", l.o.Topics, l.o.Words, estimate.weights())
	return s
}

// Distinct implements model.Judge: cells of the statistic more than four deviations of its noise above 0, for each topic.
// Noise alone gives V/30000 of them.
func (l *Learner) Distinct() float64 {
	sum, variance := l.estimated()
	distinct := 0
	for _, s := range sum {
		if s > 4*math.Sqrt(variance) {
			distinct++
		}
	}
	return float64(distinct) / float64(l.o.Topics)
}

// estimated returns what the model is estimated from, and the variance of its noise.
func (l *Learner) estimated() (sum []float64, variance float64) {
	if l.averaged > 0 {
		return l.average, l.averageVariance
	}
	return l.sum, l.variance
}

// Model implements model.Learner: the parameters for estep, and λ, whose rows are the topics but for their sum.
func (l *Learner) Model() (*model.Snapshot, error) {
	if l.round == 0 {
		return nil, errors.New("no release to learn from")
	}
	sum, variance := l.estimated()
	estimate := l.o.estimate(sum, math.Sqrt(variance))
	s := new(model.Snapshot)
	s.Scalar("alpha", l.o.Alpha)
	s.Scalar("eta", l.o.Eta)
	s.Scalar("rounds", float64(l.round))
	model.Matrix(s, "weights", l.o.Topics, l.o.Words, estimate.weights())
	model.Matrix(s, "lambda", l.o.Topics, l.o.Words, estimate.lambda)
	return s, nil
}

// settings are what a checkpoint must share with the flags to be gone on from.
func (o *Options) settings() []*wire.Scalar {
	s := new(model.Snapshot)
	s.Scalar("alpha", o.Alpha)
	s.Scalar("eta", o.Eta)
	s.Scalar("tau0", o.Tau0)
	s.Scalar("kappa", o.Kappa)
	s.Scalar("average_from", o.AverageFrom)
	s.Scalar("zero_negatives", flag(o.ZeroNegatives))
	return s.Scalars
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot {
	s := &model.Snapshot{Scalars: l.o.settings()}
	s.Scalar("variance", l.variance)
	s.Scalar("average_variance", l.averageVariance)
	s.Scalar("averaged", l.averaged)
	model.Matrix(s, "sum", l.o.Topics, l.o.Words, l.sum)
	model.Matrix(s, "average", l.o.Topics, l.o.Words, l.average)
	return s
}

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	for _, want := range l.o.settings() {
		if got, ok := set.Scalar(want.Name); !ok || got != want.Value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", want.Name, got, want.Value)
		}
	}
	for name, field := range map[string]*float64{
		"variance": &l.variance, "average_variance": &l.averageVariance, "averaged": &l.averaged,
	} {
		var ok bool
		if *field, ok = set.Scalar(name); !ok {
			return fmt.Errorf("checkpoint has no %s", name)
		}
	}
	for name, field := range map[string]*[]float64{"sum": &l.sum, "average": &l.average} {
		cells, err := stream.Cells[float64](set, name)
		if err != nil {
			return err
		}
		if len(cells) != l.o.Topics*l.o.Words {
			return fmt.Errorf("checkpoint is of another size than %d topics of %d words", l.o.Topics, l.o.Words)
		}
		*field = cells
	}
	l.round = set.Round
	return nil
}
