package lda

import (
	"fmt"
	"math"

	"privpipe/mstep/learn"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/words"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is mstep lda.
type Command struct {
	learn.Job
	Topics       int     `required:"" short:"K" help:"Learn this many topics."`
	Alpha        float64 `placeholder:"X" help:"Set the Dirichlet prior of a document's topics (default 1/K)."`
	Eta          float64 `placeholder:"X" help:"Set the Dirichlet prior of a topic's words (default 1/K)."`
	Tau0         float64 `name:"tau0" default:"0" group:"Learning rate" help:"Set τ0 in ρ_t = (τ0+t)^−κ, t from 1."`
	Kappa        float64 `default:"0.5" group:"Learning rate" help:"Set κ in ρ_t = (τ0+t)^−κ."`
	AverageFrom  float64 `default:"0.3" group:"Estimate" help:"Average the model over the rounds after this share of all rounds; 1: take the last state."`
	Denoise      string  `enum:"shrink,floor" default:"shrink" group:"Estimate" help:"Estimate topics from the noisy sum by ${enum}. shrink: empirical Bayes; floor: negative cells count as 0."`
	Beta         string  `enum:"mean,expected-log" default:"mean" group:"Estimate" help:"Send this estimate of β under λ to the E-step: ${enum}."`
	Negatives    string  `enum:"keep,zero" default:"keep" group:"Estimate" help:"Keep negative cells of a release or set them to zero: ${enum}. The papers do zero; it biases all cells upwards."`
	WordMarginal string  `placeholder:"FILE" group:"Estimate" help:"Read separately released word frequencies from FILE, a model of mstep words; by default estimate them from the topics."`
	Initial      string  `placeholder:"FILE.npy" help:"Read the first λ from FILE.npy, an array of K × V float64; by default it is random."`
	Seed         uint64  `default:"1" help:"Seed the random first topics. The seed is public: privacy does not depend on it."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if c.Topics < 1 || c.Topics > 1<<20 {
		return fmt.Errorf("--topics must be in [1, %d], is %d", 1<<20, c.Topics)
	}
	for name, v := range map[string]float64{"--alpha": c.Alpha, "--eta": c.Eta, "--tau0": c.Tau0, "--kappa": c.Kappa} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s must not be negative, is %v", name, v)
		}
	}
	if !(c.AverageFrom >= 0 && c.AverageFrom <= 1) {
		return fmt.Errorf("--average-from must be in [0, 1], is %v", c.AverageFrom)
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := r.Check(c.Input, c.Vocab, c.WordMarginal, c.Initial); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrEnglish(c.Vocab)
	if err != nil {
		return err
	}
	o := Options{
		Topics: c.Topics, Words: len(vocab), Alpha: c.Alpha, Eta: c.Eta, Tau0: c.Tau0, Kappa: c.Kappa,
		ZeroNegatives: c.Negatives == "zero", AverageFrom: c.AverageFrom, Seed: c.Seed,
		Estimate: Estimate{Shrink: c.Denoise == "shrink", ExpectedLog: c.Beta == "expected-log"},
	}
	if uint64(o.Topics)*uint64(o.Words) > wire.MaxCells {
		return exit.Errorf(exit.Usage, "%d topics of %d words are more than %d cells", o.Topics, o.Words, wire.MaxCells)
	}
	if o.Alpha == 0 {
		o.Alpha = 1 / float64(o.Topics)
	}
	if o.Eta == 0 {
		o.Eta = 1 / float64(o.Topics)
	}
	if c.WordMarginal != "" {
		if o.Marginal, err = readMarginal(c.WordMarginal, vocab); err != nil {
			return err
		}
	}
	if c.Initial == "" {
		return c.Learn(r, New(o), vocab)
	}
	lambda, err := readInitial(c.Initial, o.Topics, o.Words)
	if err != nil {
		return err
	}
	return c.Learn(r, NewFrom(o, lambda), vocab)
}

// readMarginal reads the frequencies of a model of words.
func readMarginal(name string, vocab vocabulary.Words) ([]float64, error) {
	in, h, err := endpoint.OpenStream(name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if string(h.Vocabulary) != string(vocab.Hash()) {
		return nil, exit.Errorf(exit.Malformed, "%s: word frequencies over another vocabulary than --vocab", name)
	}
	size, err := words.Family.Size(h)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return nil, err
	}
	p, err := words.Probabilities.Of(set, size)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return p, nil
}

func readInitial(name string, topics, words int) ([]float64, error) {
	in, err := endpoint.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lambda, err := npy.Read(in, topics, words)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	for _, l := range lambda {
		if !(l > 0 && l <= math.MaxFloat32) {
			return nil, exit.Errorf(exit.Malformed, "%s: λ must be positive and finite", name)
		}
	}
	return lambda, nil
}
