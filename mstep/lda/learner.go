package lda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/mstep/internal/informed"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/publictext"
)

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Topics, Words int     // K and V
	Alpha         float64 // Dirichlet prior of each document's topics
	Eta           float64 // Dirichlet prior of each topic's words
	Tau0, Kappa   float64 // ρ_t = (τ0 + t)^−κ
	ZeroNegatives bool    // set negative cells in each release to 0, as the papers do; biased
	// The model is estimated from an average over the rounds after this share of all rounds; 1: from S.
	AverageFrom float64
	// Releases are increments: S ← S + R from S = 0 on. Tau0, Kappa and AverageFrom are not used.
	Accumulate  bool
	Online      Online
	Estimate    Estimate
	Marginal    *Marginal // frequencies of words, from a separate release; nil: estimated from S
	WeighWords  bool      // the E-step weighs words by the frequencies; needs Marginal
	Refine      bool      // the frequencies are refined each round; needs Marginal
	SingleNoise float64   // the single argument of unigramGain; 0: unknown
	Seed        uint64    // for the random first topics
	// The topics' prior, and the first topics; nil: none. It needs Marginal.
	Public *publictext.Text

	weights []float32 // of words; nil: 1
}

// Learner implements model.Learner.
type Learner struct {
	o     Options
	round uint32

	sum      []float64 // S, K×V row by row
	variance float64   // of the noise on each cell of S

	average         []float64 // of R_t/q over the rounds from AverageFrom on
	averageVariance float64
	averaged        float64 // number of rounds in the average

	lambda   []float64      // memory of the last topics; nil: none were made
	online   *online        // nil: not online
	informed *informed.Rows // nil: without public text

	// The frequencies of words in the last round; nil: estimated from S.
	marginal    []float64
	frequencies *frequencies // nil: they are not refined
}

// New returns a learner with random first topics: λ from a Gamma(100, 1/100), as in the authors' code. An accumulating
// or online learner begins with counts of 0 instead, because it would never forget random ones.
func New(o Options) *Learner {
	l := newLearner(o)
	if l.informed != nil {
		l.begin(l.informed.Start(o.Topics, o.Public.First, o.Seed))
		return l
	}
	if o.Accumulate || l.online != nil {
		return l
	}
	gamma := distuv.Gamma{Alpha: 100, Beta: 100, Src: rand.NewPCG(o.Seed, 0x6c616d626461)}
	// S must not be negative: a large prior would hide S, and all topics would be equal forever.
	width := max(1, 2*o.prior())
	for i := range l.sum {
		l.sum[i] = width * gamma.Rand()
	}
	l.begin(slices.Clone(l.sum))
	return l
}

// NewFrom returns a learner with the first topics λ, K×V row by row.
func NewFrom(o Options, lambda []float64) *Learner {
	l := newLearner(o)
	l.begin(lambda)
	return l
}

// begin sets the first λ.
func (l *Learner) begin(lambda []float64) {
	for i, v := range lambda {
		l.sum[i] = v - l.o.prior()
		if l.o.weights != nil {
			l.sum[i] *= float64(l.o.weights[i%l.o.Words])
		}
	}
}

// NewFromCounts returns a learner that adds increments to counts, K×V row by row. The noise on each cell has the given
// variance. An online learner takes the counts as N⁰, the counts of the batch before the first.
func NewFromCounts(o Options, counts []float32, variance float64) *Learner {
	l := newLearner(o)
	for i, c := range counts {
		l.sum[i] = float64(c)
	}
	l.variance = variance
	if l.online != nil {
		copy(l.online.last, l.sum)
		l.online.lastVariance = variance
	}
	return l
}

func newLearner(o Options) *Learner {
	cells := o.Topics * o.Words
	l := &Learner{o: o, sum: make([]float64, cells), average: make([]float64, cells)}
	if o.Online.Lambda > 0 {
		l.online = newOnline(o)
	}
	if o.Marginal == nil {
		return l
	}
	l.marginal = o.Marginal.Frequencies
	if o.WeighWords {
		l.o.weights = wordWeights(l.marginal)
	}
	if o.Refine {
		l.frequencies = newFrequencies(&l.o)
	}
	if o.Public != nil {
		l.informed = informed.New(o.Topics, l.marginal, o.Public, l.o.scales())
	}
	return l
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return lda.Family }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return l.o.size() }

func (o *Options) size() model.Size { return model.Size{Words: o.Words, Components: o.Topics} }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	switch {
	case l.online != nil:
		return l.batch(r)
	case l.o.Accumulate:
		return l.accumulate(r)
	}
	rho := model.Rate{Tau0: l.o.Tau0, Kappa: l.o.Kappa}.At(float64(r.Round))
	average := 0.0 // the weight of the release in the average
	if float64(r.Round) > l.o.AverageFrom*float64(r.Rounds) {
		// The weights rise about as the root of the round: the i-th weight is in proportion to Γ(i+½)/Γ(i). Later
		// rounds follow better topics. Equal weights would have the least noise.
		average = 1.5 / (l.averaged + 1.5)
	}
	variance, err := l.each(r, func(first int, values []float64) {
		model.Mix(l.sum[first:], values, rho, 0, 0)
		if average > 0 {
			model.Mix(l.average[first:], values, average, 0, 0)
		}
	})
	if err != nil {
		return err
	}
	l.variance = model.MixedVariance(rho, l.variance, variance)
	if average > 0 {
		l.averaged++
		l.averageVariance = model.MixedVariance(average, l.averageVariance, variance)
	}
	l.refine()
	if l.informed != nil && l.variance > 0 {
		l.informed.Follow(l.sum, math.Sqrt(l.variance))
	}
	l.round = r.Round
	return nil
}

// refine refines the frequencies of words by the statistic, and puts the public text on them.
func (l *Learner) refine() {
	if l.frequencies == nil || l.variance == 0 {
		return
	}
	refined, _ := l.frequencies.refine(l.sum, math.Sqrt(l.variance), false)
	l.marginal = l.o.Marginal.chosen(refined)
	if l.informed != nil {
		l.informed.Rebase(l.marginal)
	}
}

// each passes a release's values to take, in parts as model.Release.Each does. It returns the noise variance on each
// value.
func (l *Learner) each(r *model.Release, take func(first int, values []float64)) (variance float64, err error) {
	deviation, err := r.Each(lda.Topics, func(first int, values []float64) {
		if l.o.ZeroNegatives {
			for i, v := range values {
				values[i] = max(v, 0)
			}
		}
		take(first, values)
	})
	return deviation * deviation, err
}

// accumulate adds one round's increments. It refuses a sample of documents, because the changes in the other documents
// would be missing for good. A missing round would lose changes likewise.
func (l *Learner) accumulate(r *model.Release) error {
	if !r.All {
		return fmt.Errorf("release of round %d is of a sample of the documents: only the increments of all documents "+
			"add up to counts", r.Round)
	}
	if r.Round != l.round+1 {
		return fmt.Errorf("release of round %d comes after that of round %d: counts need the increments of each round",
			r.Round, l.round)
	}
	variance, err := l.each(r, func(first int, values []float64) {
		for i, x := range values {
			l.sum[first+i] += x
		}
	})
	if err != nil {
		return err
	}
	l.variance += variance
	l.round = r.Round
	return nil
}

// Parameters implements model.Learner.
func (l *Learner) Parameters() *model.Snapshot {
	estimate := l.estimate(l.informed, l.sum, math.Sqrt(l.variance))
	s := new(model.Snapshot)
	if l.o.weights != nil {
		lda.WordWeights.Put(s, l.Size(), l.o.weights)
	}
	lda.Alpha.Put(s, l.o.Alpha)
	lda.Eta.Put(s, l.o.Eta)
	lda.Weights.PutRows(s, l.Size(), estimate.weights())
	l.putOptional(s)
	return s
}

// putOptional writes the optional fields that the options ask for.
func (l *Learner) putOptional(s *model.Snapshot) {
	if c := l.o.Estimate.Ceiling; c > 0 {
		lda.Ceiling.Put(s, c)
	}
	if l.online != nil {
		lda.Correlation.Put(s, l.online.lambda)
		lda.Prior.Put(s, l.Size(), l.online.prior())
	}
	if !l.o.Accumulate {
		return
	}
	counts := make([]float32, len(l.sum))
	for i, x := range l.sum {
		counts[i] = float32(min(max(x, -math.MaxFloat32), math.MaxFloat32)) // the wire has finite numbers only
	}
	lda.CountsVariance.Put(s, l.variance)
	lda.Counts.Put(s, l.Size(), counts)
}

// AboveNoise implements model.Judge. For each topic it returns the number of cells in the statistic that are more than
// four standard deviations of the noise above 0. Pure noise has V/30000 such cells.
func (l *Learner) AboveNoise() []int {
	sum, variance := l.estimated()
	above := make([]int, l.o.Topics)
	for i, s := range sum {
		if s > 4*math.Sqrt(variance) {
			above[i/l.o.Words]++
		}
	}
	return above
}

// estimated returns the statistic that the model is estimated from, and the variance of its noise.
func (l *Learner) estimated() (sum []float64, variance float64) {
	if l.averaged > 0 {
		return l.average, l.averageVariance
	}
	return l.sum, l.variance
}

// Model implements model.Learner. It returns the parameters for estep, and λ with rows that are proportional to the
// topics. Counts are the counts in the last round.
func (l *Learner) Model() (*model.Snapshot, error) {
	sum, variance := l.estimated()
	tau := math.Sqrt(variance)
	if l.frequencies == nil || tau == 0 {
		return l.modelOf(sum, l.marginal, tau), nil
	}
	refined, deviations := l.frequencies.refine(sum, tau, true)
	s := l.modelOf(sum, l.o.Marginal.chosen(refined), tau)
	if l.o.SingleNoise > 0 {
		lda.UnigramGain.Put(s, l.frequencies.unigramGain(refined, deviations, l.o.SingleNoise))
	}
	return s, nil
}

// modelOf returns the model for the statistic and the word frequencies.
func (l *Learner) modelOf(sum, marginal []float64, tau float64) *model.Snapshot {
	if l.informed == nil || tau == 0 {
		return l.snapshot(l.topics(sum, marginal, tau))
	}
	traced := l.informed.Last(marginal, sum, tau).Trace(sum, tau)
	estimate := l.toTopics(traced.Cells, sum, marginal)
	s := l.snapshot(estimate)
	expected := l.toTopics(traced.Expected, sum, marginal)
	lda.PutOrigins(s, l.Size(), origins(traced.Own, expected.lambda, estimate.lambda, marginal))
	return s
}

// Start is Model before the first release. It has the topics that make the first parameters.
func (l *Learner) Start() *model.Snapshot {
	return l.snapshot(l.topics(l.sum, l.marginal, math.Sqrt(l.variance)))
}

// topics makes topics without public text. They last until topics are made again. No snapshot is used longer.
func (l *Learner) topics(sum, marginal []float64, tau float64) *topics {
	if l.lambda == nil {
		l.lambda = make([]float64, len(sum))
	}
	return l.o.estimate(l.lambda, sum, marginal, tau)
}

// snapshot makes a model file from topics.
func (l *Learner) snapshot(estimate *topics) *model.Snapshot {
	s := new(model.Snapshot)
	lda.Alpha.Put(s, l.o.Alpha)
	lda.Eta.Put(s, l.o.Eta)
	lda.Rounds.Put(s, float64(l.round))
	lda.Weights.PutRows(s, l.Size(), estimate.weights())
	lda.Lambda.Put(s, l.Size(), estimate.lambda)
	if l.o.Public != nil {
		l.o.Public.PutDigest(s)
		l.o.Public.PutNames(s, l.o.Topics)
	}
	l.putOptional(s)
	return s
}

// estimate makes topics from the statistic. It uses public text if there are rows and the statistic was released.
func (l *Learner) estimate(rows *informed.Rows, sum []float64, tau float64) *topics {
	if rows == nil || l.round == 0 || tau == 0 {
		return l.topics(sum, l.marginal, tau)
	}
	return l.toTopics(rows.Estimate(sum, tau), sum, l.marginal)
}

// toTopics makes topics from cells that public text has informed. They get the frequencies of words and the statistic's
// size.
func (l *Learner) toTopics(cells, sum, marginal []float64) *topics {
	t := &topics{k: l.o.Topics, v: l.o.Words, lambda: cells, expectedLog: l.o.Estimate.ExpectedLog}
	total := 0.0
	for i, x := range sum {
		total += l.o.count(i, x)
	}
	toFrequencies(t.lambda, marginal, max(total, math.SmallestNonzeroFloat32))
	for i, x := range t.lambda {
		t.lambda[i] = max(x, math.SmallestNonzeroFloat32)
	}
	return t
}
