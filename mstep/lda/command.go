package lda

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"privpipe/mstep/learn"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/model/words"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Command is mstep lda.
type Command struct {
	learn.Job
	Topics       int      `required:"" short:"K" help:"Learn this many topics."`
	Alpha        float64  `placeholder:"X" help:"Set the Dirichlet prior of a document's topics (default 1/K)."`
	Eta          float64  `placeholder:"X" help:"Set the Dirichlet prior of a topic's words (default 1/K)."`
	Tau0         *float64 `zero:"" name:"tau0" placeholder:"X" group:"Learning rate" help:"Set τ0 in ρ_t = (τ0+t)^−κ, t from 1 (default 0)."`
	Kappa        *float64 `zero:"" placeholder:"X" group:"Learning rate" help:"Set κ in ρ_t = (τ0+t)^−κ (default 0.5)."`
	Accumulate   bool     `group:"Learning rate" help:"Add up the releases, from 0 on: S ← S + R, for rounds of increments that all documents answer, as those of estep gibbs --statistic increments. The parameters and the model then hold S as counts."`
	Online       string   `placeholder:"λ" group:"Learning rate" help:"Take each round for a batch of its own documents: send estep gibbs --update in-place the prior β + λN of the batch, where β was the prior of the batch before and N its counts. λ is in (0, 1], or auto: it is drawn after each batch."`
	AverageFrom  *float64 `zero:"" placeholder:"X" group:"Estimate" help:"Average the model over the rounds after this share of all rounds; 1: take the last state (default 0.3, or 1 with --accumulate or --online)."`
	Mode         string   `name:"estimate" enum:"bayes,map" default:"bayes" group:"Estimate" help:"Estimate topics by ${enum}. bayes: their Dirichlet posterior, by variational Bayes; map: its mode alone, which is expectation maximisation at the same privacy. map needs --eta above 1 and --denoise floor."`
	Denoise      string   `enum:"shrink,floor" default:"shrink" group:"Estimate" help:"Estimate topics from the noisy sum by ${enum}. shrink: empirical Bayes; floor: negative cells count as 0."`
	Ceiling      float64  `placeholder:"C" group:"Estimate" help:"Count each cell as at most C, and send C to the E-step. With --beta mean it bounds the ratio of the weights of two words in a topic by C/η + 1. Needs --denoise floor; by default there is no ceiling."`
	Beta         string   `enum:"mean,expected-log" default:"mean" group:"Estimate" help:"Send this estimate of β under λ to the E-step: ${enum}."`
	Negatives    string   `enum:"keep,zero" default:"keep" group:"Estimate" help:"Keep negative cells of a release or set them to zero: ${enum}. The papers do zero; it biases all cells upwards."`
	WordMarginal string   `placeholder:"FILE" group:"Estimate" help:"Read separately released word frequencies from FILE, a model of mstep words, whose vocabulary may have more words; by default estimate them from the topics."`
	WeighWords   bool     `group:"Contribution" help:"Let the E-step weigh words by --word-marginal: in a contribution, rare words then weigh more than frequent ones."`
	RefineWords  bool     `group:"Estimate" help:"Refine the --word-marginal frequencies in each round, by the topics."`
	SingleNoise  float64  `placeholder:"X" group:"Estimate" help:"With --refine-words: one release of word frequencies with the whole budget would have X times the noise of --word-marginal. The model then says how well it would predict, and estep --score compares with that."`
	Public       string   `placeholder:"FILE" group:"Estimate" help:"Take what public text says of words and topics as a prior, from FILE of mstep public, and start from its topics."`
	Initial      string   `placeholder:"FILE.npy" help:"Read the first λ from FILE.npy, an array of K × V float64; by default it is random."`
	Counts       string   `name:"initial-counts" placeholder:"FILE" help:"With --accumulate or --online: begin with the counts of FILE instead of 0, a model of a run with --accumulate; with --online of any run, whose λ − η then count."`
	StartOut     string   `name:"start-out" output:"" placeholder:"FILE" help:"Write the topics before the first release to FILE, a model file of round 0; evaluate report --start shows topics before and after."`
	MaxCells     uint64   `zero:"" default:"268435456" placeholder:"N" help:"Refuse more than N cells of topics, K·V, before they take memory (default 268435456; 0: no limit). A cell takes at least 16 bytes."`
	Seed         uint64   `zero:"" default:"1" help:"Seed the random first topics. The seed is public: privacy does not depend on it."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if c.Topics < 1 || c.Topics > 1<<20 {
		return fmt.Errorf("--topics must be in [1, %d], is %d", 1<<20, c.Topics)
	}
	tau0, kappa, averageFrom := c.schedule()
	for name, v := range map[string]float64{
		"--alpha": c.Alpha, "--eta": c.Eta, "--tau0": tau0, "--kappa": kappa,
		"--ceiling": c.Ceiling, "--single-noise": c.SingleNoise,
	} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s must not be negative, is %v", name, v)
		}
	}
	if !(averageFrom >= 0 && averageFrom <= 1) {
		return fmt.Errorf("--average-from must be in [0, 1], is %v", averageFrom)
	}
	switch {
	case c.Mode == "map" && !(c.Eta > 1):
		return errors.New("--estimate map needs --eta above 1: with a smaller prior a topic's mode has no weight at " +
			"words without counts")
	case c.Mode == "map" && c.Denoise != "floor":
		return errors.New("--estimate map needs --denoise floor: empirical Bayes has no mode")
	case c.Mode == "map" && (c.Beta != "mean" || c.Ceiling > 0 || c.Accumulate):
		return errors.New("--estimate map does not go with --beta, --ceiling and --accumulate: a point mass has one β")
	case c.Ceiling > 0 && c.Denoise != "floor":
		return errors.New("--ceiling needs --denoise floor: empirical Bayes has no ceiling")
	case c.Accumulate && (c.Tau0 != nil || c.Kappa != nil || averageFrom != 1):
		return errors.New("--accumulate adds releases up: --tau0, --kappa and --average-from do not go with it")
	case c.Accumulate && c.Initial != "":
		return errors.New("--accumulate begins with counts: --initial does not go with it, --initial-counts does")
	case c.Accumulate && c.Negatives == "zero":
		return errors.New("--accumulate does not go with --negatives zero: increments are negative where counts fall")
	case c.Accumulate && c.Online != "":
		return errors.New("--accumulate and --online exclude each other")
	case c.Public != "" && c.WordMarginal == "":
		return errors.New("--public needs --word-marginal: public topics are put on the private frequencies of words")
	case (c.WeighWords || c.RefineWords) && c.WordMarginal == "":
		return errors.New("--weigh-words and --refine-words need --word-marginal")
	case (c.WeighWords || c.RefineWords) && (c.Accumulate || c.Online != "" || c.Mode == "map" || c.Ceiling > 0):
		return errors.New("--weigh-words and --refine-words do not go with " +
			"--accumulate, --online, --estimate map and --ceiling")
	case c.SingleNoise > 0 && !c.RefineWords:
		return errors.New("--single-noise needs --refine-words")
	case c.Public != "" && (c.Denoise != "shrink" || c.Accumulate || c.Online != "" || c.Initial != ""):
		return errors.New("--public does not go with --denoise floor, --accumulate, --online and --initial")
	case c.Counts != "" && !c.Accumulate && c.Online == "":
		return errors.New("--initial-counts belongs to --accumulate and --online")
	}
	return c.validateOnline()
}

func (c *Command) validateOnline() error {
	if c.Online == "" {
		return nil
	}
	_, _, averageFrom := c.schedule()
	switch l := c.online().Lambda; {
	case !(l > 0 && l <= 1):
		return fmt.Errorf("--online must be a number in (0, 1] or auto, is %s", c.Online)
	case c.Tau0 != nil || c.Kappa != nil || averageFrom != 1:
		return errors.New("--online has its own rule for earlier batches: --tau0, --kappa and --average-from do not " +
			"go with it")
	case c.Mode == "map":
		return errors.New("--online does not go with --estimate map: a batch has topics that are sampled")
	case c.Initial != "":
		return errors.New("--online begins with counts: --initial does not go with it, --initial-counts does")
	case c.Ceiling > 0:
		return errors.New("--online does not go with --ceiling, which would bound the prior of earlier batches, too")
	}
	return nil
}

// usualCorrelation is λ in the paper's experiments, and the first λ where λ is learned.
const usualCorrelation = 0.5

// online returns the settings of --online. A wrong number gives 0.
func (c *Command) online() Online {
	if c.Online == "auto" {
		return Online{usualCorrelation, true}
	}
	lambda, _ := strconv.ParseFloat(c.Online, 64)
	return Online{Lambda: lambda}
}

// schedule returns τ0, κ and averageFrom. The model is averaged over the rounds after the share averageFrom of all
// rounds.
func (c *Command) schedule() (tau0, kappa, averageFrom float64) {
	or := func(given *float64, standard float64) float64 {
		if given == nil {
			return standard
		}
		return *given
	}
	average := 0.3
	if c.Accumulate || c.Online != "" {
		average = 1
	}
	return or(c.Tau0, 0), or(c.Kappa, 0.5), or(c.AverageFrom, average)
}

// checkCells refuses topics that do not fit into memory, before they take any.
func (c *Command) checkCells(cells uint64) error {
	switch {
	case cells > wire.MaxCells:
		return exit.Errorf(exit.Usage, "%d topics of this vocabulary have %d cells, must have at most %d",
			c.Topics, cells, uint64(wire.MaxCells))
	case c.MaxCells > 0 && cells > c.MaxCells:
		return exit.Errorf(exit.Usage, "%d topics of this vocabulary have %d cells, must have at most %d",
			c.Topics, cells, c.MaxCells).
			WithHint("fewer --topics, fewer words, or --max-cells %d if memory is so large: "+
				"a cell takes at least 16 bytes", cells)
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := r.Check(c.Input, c.Vocab, c.WordMarginal, c.Public, c.Initial, c.Counts); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrDefault(c.Vocab)
	if err != nil {
		return err
	}
	o := Options{
		WeighWords: c.WeighWords, Refine: c.RefineWords, SingleNoise: c.SingleNoise,
		Topics: c.Topics, Words: len(vocab), Alpha: c.Alpha, Eta: c.Eta, ZeroNegatives: c.Negatives == "zero",
		Accumulate: c.Accumulate, Online: c.online(), Seed: c.Seed,
		Estimate: Estimate{Shrink: c.Denoise == "shrink", ExpectedLog: c.Beta == "expected-log", Ceiling: c.Ceiling,
			Point: c.Mode == "map"},
	}
	o.Tau0, o.Kappa, o.AverageFrom = c.schedule()
	if err := c.checkCells(uint64(o.Topics) * uint64(o.Words)); err != nil {
		return err
	}
	if o.Alpha == 0 {
		o.Alpha = 1 / float64(o.Topics)
	}
	if o.Eta == 0 {
		o.Eta = 1 / float64(o.Topics)
	}
	if err := c.readPrior(&o, vocab); err != nil {
		return err
	}
	learner, err := c.learner(o, vocab)
	if err != nil {
		return err
	}
	if c.StartOut == "" {
		return c.Learn(r, learner, vocab)
	}
	return c.LearnFrom(learn.First{Name: c.StartOut, Model: learner.Start()}, r, learner, vocab)
}

// learner returns a learner with the first topics that the flags name.
func (c *Command) learner(o Options, vocab vocabulary.Words) (*Learner, error) {
	switch {
	case c.Initial != "":
		lambda, err := readInitial(c.Initial, o.Topics, o.Words)
		if err != nil {
			return nil, err
		}
		return NewFrom(o, lambda), nil
	case c.Counts != "":
		counts, variance, err := readCounts(c.Counts, o.size(), vocab, c.Online != "")
		if err != nil {
			return nil, err
		}
		return NewFromCounts(o, counts, variance), nil
	}
	return New(o), nil
}

// readCounts reads the counts from the model of an accumulating run, and the variance of their noise. For batches
// counts are only a prior, so any model will do. Its counts are λ − η, taken as counts without noise.
func readCounts(name string, want model.Size, vocab vocabulary.Words, online bool) ([]float32, float64, error) {
	set, size, err := readModel(name, lda.Family, vocab)
	if err != nil {
		return nil, 0, err
	}
	if size != want {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: counts of %d topics, --topics is %d", name, size.Components,
			want.Components)
	}
	if !lda.Counts.In(set) && !online {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: has no counts: not a model of mstep lda --accumulate", name)
	}
	if !lda.Counts.In(set) {
		counts, err := exactCounts(set, size)
		if err != nil {
			err = exit.Errorf(exit.Malformed, "%s: %w", name, err)
		}
		return counts, 0, err
	}
	counts, err := lda.Counts.Of(set, size)
	if err != nil {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	variance, err := lda.CountsVariance.Of(set)
	if err != nil {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return counts, variance, nil
}

// exactCounts returns λ − η.
func exactCounts(set *stream.Set, size model.Size) ([]float32, error) {
	lambda, err := lda.Lambda.Of(set, size)
	if err != nil {
		return nil, err
	}
	eta, err := lda.Eta.Of(set)
	counts := make([]float32, len(lambda))
	for i, l := range lambda {
		counts[i] = float32(max(l-eta, 0))
	}
	return counts, err
}

// readPrior reads the frequencies of words and the public text.
func (c *Command) readPrior(o *Options, vocab vocabulary.Words) (err error) {
	var text *publictext.Text
	if c.Public != "" {
		if text, err = publictext.Read(c.Public); err != nil {
			return err
		}
		if o.Public, err = text.Over(vocab); err != nil {
			return exit.Errorf(exit.Malformed, "%s: %w", c.Public, err)
		}
	}
	if c.WordMarginal != "" {
		o.Marginal, err = readMarginal(c.WordMarginal, text, vocab)
	}
	return err
}

// readMarginal reads a model of words. The model must have all words of vocab. A model from an older program has no
// sums. text may be nil.
func readMarginal(name string, text *publictext.Text, vocab vocabulary.Words) (*Marginal, error) {
	file, err := modelfile.Read(name, wire.MaxCells)
	if err != nil {
		return nil, err
	}
	if file.Family != words.Family {
		return nil, exit.Errorf(exit.Malformed, "%s: a model of %s, must be of words", name, file.Family.Name)
	}
	places := make(map[string]int, len(file.Words))
	for at, word := range file.Words {
		places[word] = at
	}
	m := new(Marginal)
	for _, word := range vocab {
		at, ok := places[word]
		if !ok {
			return nil, exit.Errorf(exit.Malformed, "%s: over another vocabulary than --vocab", name)
		}
		m.Places = append(m.Places, at)
	}
	frequencies, err := words.Probabilities.Of(file.Set, file.Size)
	if err == nil && words.Sums.In(file.Set) {
		m.Sums, err = words.Sums.Of(file.Set, file.Size)
	}
	if err == nil && m.Sums != nil {
		m.Deviations, err = words.Deviations.Of(file.Set, file.Size)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	if m.Frequencies = frequencies; len(file.Words) != len(vocab) {
		m.Frequencies = m.chosen(frequencies)
	}
	if slices.Contains(m.Deviations, 0) {
		m.Sums, m.Deviations = nil, nil // exact frequencies need no refinement
	}
	if text != nil && m.Sums != nil {
		if m.Public, err = text.Over(file.Words); err != nil {
			err = exit.Errorf(exit.Malformed, "%s: of other words than the public text: %w", name, err)
		}
	}
	return m, err
}

// readModel reads a model in this family over this vocabulary.
func readModel(name string, family *model.Family, vocab vocabulary.Words) (*stream.Set, model.Size, error) {
	in, h, err := endpoint.OpenStream(name,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, model.Size{}, err
	}
	defer in.Close()
	if string(h.Vocabulary) != string(vocab.Hash()) {
		return nil, model.Size{}, exit.Errorf(exit.Malformed, "%s: over another vocabulary than --vocab", name)
	}
	size, err := family.Size(h)
	if err != nil {
		return nil, model.Size{}, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	set, err := in.ReadOne(nil)
	return set, size, err
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
