package lda

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/mstep/internal/denoise"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

// TestWordWeights by numpy: b = [.7, .2, .1, 1e-9]; w = (4*b + .3)**-.25; w/w.max()
func TestWordWeights(t *testing.T) {
	got := wordWeights([]float64{.7, .2, .1, 1e-9})
	for v, want := range []float64{0.55775040, 0.72265688, 0.80910671, 1} {
		near(t, "weight", float64(got[v]), want, 1e-6)
	}
}

// everywhere says that the words of the topics are all words.
func everywhere(m *Marginal) *Marginal {
	m.Places = nil
	for v := range m.Sums {
		m.Places = append(m.Places, v)
	}
	return m
}

// released returns log-normal frequencies, and a release of their counts, total words, with noise of deviation byWords.
func released(r *rand.Rand, words int, spread, total, byWords float64) (truth []float64, m *Marginal) {
	truth, size := make([]float64, words), 0.0
	for w := range truth {
		truth[w] = math.Exp(spread * r.NormFloat64())
		size += truth[w]
	}
	m = &Marginal{Sums: make([]float64, words), Deviations: slices.Repeat([]float64{byWords}, words)}
	for w := range truth {
		truth[w] /= size
		m.Sums[w] = total*truth[w] + byWords*r.NormFloat64()
	}
	return truth, m
}

// refining returns frequencies to refine, without public text, of words that weigh differently.
func refining(topics int, m *Marginal) *frequencies {
	everywhere(m)
	o := &Options{Topics: topics, Words: len(m.Frequencies), Marginal: m, weights: wordWeights(m.Frequencies)}
	return newFrequencies(o)
}

// TestUnit: topics that count words in another unit, without noise, are brought to the unit of the words' release.
func TestUnit(t *testing.T) {
	m := &Marginal{Frequencies: []float64{.5, .3, .2}, Sums: []float64{50, 30, 20}, Deviations: []float64{1, 2, 1}}
	near(t, "unit", refining(2, m).unit([]float64{25, 15, 10}), 2, 1e-12)
	if got := refining(2, m).unit([]float64{-25, 15, -10}); got != 0 {
		t.Errorf("topics that noise hides have unit %v", got)
	}
}

// TestRefineRecovers: on a made corpus, the refined frequencies are nearer to the truth than those of either release,
// and a statistic that is nearly all noise leaves them about where they were.
func TestRefineRecovers(t *testing.T) {
	const k, v, total, byWords = 5, 800, 40000, 60
	r := rand.New(rand.NewPCG(5, 6))
	truth, m := released(r, v, 2, total, byWords)
	everywhere(m)
	m.Frequencies, _ = newFrequencies(&Options{Topics: k, Words: v, Marginal: m}).estimate(m.Sums, m.Deviations, true)
	f := refining(k, m)
	divergence := func(estimate []float64) (sum float64) {
		for w, p := range truth {
			sum += p * math.Log(p/estimate[w])
		}
		return sum
	}
	before := divergence(m.Frequencies)
	for _, c := range []struct{ tau, least, most float64 }{{10, 0.1, 0.7}, {2000, 0.8, 1.2}} {
		statistic := make([]float64, k*v)
		for i := range statistic {
			w := i % v
			share := truth[w] * math.Exp(0.05*math.Sin(float64(w))) / k
			statistic[i] = 0.5*total*share*float64(f.o.weights[w]) + c.tau*r.NormFloat64()
		}
		refined, _ := f.refine(statistic, c.tau, true)
		if got := divergence(refined) / before; got < c.least || got > c.most {
			t.Errorf("noise %v: the divergence is %.2f of that before, want %v to %v", c.tau, got, c.least, c.most)
		}
	}
}

// TestRefineByHand: two words, of which the topics know the second better. x = (60, 40) ± 10, y = (33, 17) ± τ√2/ω.
func TestRefineByHand(t *testing.T) {
	m := &Marginal{Frequencies: []float64{.6, .4}, Sums: []float64{60, 40}, Deviations: []float64{10, 10}}
	f := refining(2, m)
	wantZ, wantDeviations := make([]float64, 2), make([]float64, 2)
	y := []float64{33, 17}
	const tau = 3.
	weights := []float64{math.Pow(1.5, -.25) / math.Pow(1.1, -.25), 1}
	// (.6·60/136 + .4·40/116) / (.6·33/136 + .4·17/116), as the weights are b over 10² + (.1·100b)²
	unit := (.6*60/136 + .4*40/116) / (.6*33/136 + .4*17/116)
	for w := range y {
		noise := unit * tau * math.Sqrt2 / weights[w]
		g := (m.Sums[w]/100 + unit*y[w]/noise/noise) / (1./100 + 1/noise/noise)
		variance := noise*noise + .01*g*g
		wantDeviations[w] = math.Sqrt(1 / (1./100 + 1/variance))
		wantZ[w] = (m.Sums[w]/100 + unit*y[w]/variance) / (1./100 + 1/variance)
	}
	statistic := []float64{13 * weights[0], 7, 20 * weights[0], 10}
	z, deviations := f.combine(statistic, tau)
	for w := range y {
		near(t, "combined count", z[w], wantZ[w], 1e-6)
		near(t, "deviation", deviations[w], wantDeviations[w], 1e-6)
	}
}

// weighing are options with all of it.
func weighing() Options {
	o := informedOptions()
	o.WeighWords, o.Refine = true, true
	o.Marginal.Frequencies = slices.Clone(o.Marginal.Frequencies)
	o.Marginal.Sums, o.Marginal.Deviations = make([]float64, 40), slices.Repeat([]float64{2}, 40)
	for v := range o.Marginal.Frequencies {
		o.Marginal.Frequencies[v] = float64(v+1) / 820
		o.Marginal.Sums[v] = float64(v + 1)
	}
	everywhere(o.Marginal)
	o.Marginal.Public = o.Public
	return o
}

// TestWeighedLearner: state, restoring and the shapes of a learner that weighs and refines, with public text and
// without.
func TestWeighedLearner(t *testing.T) {
	plain := weighing()
	plain.Public, plain.Marginal.Public = nil, nil
	for _, o := range []Options{weighing(), plain} {
		modeltest.Learner(t, func() model.Learner { return New(o) })
		l := New(o)
		got := cells[float32](t, l, l.Parameters(), lda.WordWeights.Name)
		if !slices.Equal(got, wordWeights(o.Marginal.Frequencies)) {
			t.Errorf("the E-step is sent the weights %v", got)
		}
		for _, change := range []func(*Options){
			func(o *Options) { o.WeighWords = false },
			func(o *Options) { o.Refine = false },
		} {
			other := o
			change(&other)
			if New(other).Restore(modeltest.Set(l, l.State())) == nil {
				t.Error("restored a checkpoint of another statistic")
			}
		}
	}
}

// TestWeighedStatistic: a statistic whose cells are words times their weights has the topics of one without weights,
// where there is no noise.
func TestWeighedStatistic(t *testing.T) {
	o := weighing()
	o.Public, o.Refine = nil, false
	weighed := New(o)
	o.WeighWords = false
	plain := New(o)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range plain.sum {
		plain.sum[i] = 100 * r.Float64()
		weighed.sum[i] = plain.sum[i] * float64(weighed.o.weights[i%40])
	}
	want := slices.Clone(plain.topics(plain.sum, plain.marginal, 0).lambda)
	for i, got := range weighed.topics(weighed.sum, weighed.marginal, 0).lambda {
		near(t, "λ", got, want[i], 1e-6)
	}
	const tau = 1e-4 // so little noise that each cell is known
	want = plain.topics(plain.sum, plain.marginal, tau).lambda
	for i, got := range weighed.topics(weighed.sum, weighed.marginal, tau).lambda {
		near(t, "λ", got, want[i], 1e-4)
	}
}

// TestUnigramGain: on a made corpus, the gain is about that of real frequencies of one release of the whole budget over
// the refined ones, in the mean of ten corpora, which are the same in each run. It is above 0 where that release has
// less noise than the refined frequencies, else below.
func TestUnigramGain(t *testing.T) {
	const v, total, byWords = 600, 40000, 60
	for _, single := range []float64{0.25, 1.5} {
		wanted, got := 0.0, 0.0
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 6))
			truth, size := make([]float64, v), 0.0
			for w := range truth {
				truth[w] = math.Exp(2 * r.NormFloat64())
				size += truth[w]
			}
			draw := func(deviation float64) []float64 {
				counts := make([]float64, v)
				for w := range counts {
					counts[w] = total*truth[w] + deviation*r.NormFloat64()
				}
				return counts
			}
			for w := range truth {
				truth[w] /= size
			}
			m := everywhere(&Marginal{Sums: draw(byWords), Deviations: slices.Repeat([]float64{byWords}, v)})
			f := newFrequencies(&Options{Topics: 1, Words: v, Marginal: m, Seed: seed})
			var errors []float64
			m.Frequencies, errors = f.estimate(m.Sums, m.Deviations, true)
			got += f.unigramGain(m.Frequencies, errors, single) / 10
			whole, _ := f.estimate(draw(single*byWords), slices.Repeat([]float64{single * byWords}, v), true)
			for w, p := range truth {
				wanted += p * math.Log(whole[w]/m.Frequencies[w]) / 10
			}
		}
		if math.Abs(got-wanted) > 0.3*math.Abs(wanted) || (got > 0) != (single < 1) {
			t.Errorf("a release of %v times the noise gains %.4f nats a word, want %.4f", single, got, wanted)
		}
		t.Logf("noise %v: %.4f, in truth %.4f", single, got, wanted)
	}
}

// TestRefineChosen: of a dictionary where most words are nearly absent, words are chosen by a noisy release. Their
// refined frequencies are nearer to the truth than before. A prior that is fitted to the sums of chosen words alone
// takes noise for frequency, and is further away.
func TestRefineChosen(t *testing.T) {
	const k, dictionary, v, total, byWords, tau = 4, 4000, 800, 30000, 20, 12
	r := rand.New(rand.NewPCG(15, 16))
	truth, all := released(r, dictionary, 2.5, total, byWords)
	estimate, _ := denoise.FrequenciesOf(all.Sums, all.Deviations)
	order := make([]int, dictionary)
	for w := range order {
		order[w] = w
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(estimate[b], estimate[a]) })
	all.Places = order[:v]
	all.Frequencies = all.chosen(estimate)
	alone := &Marginal{Frequencies: all.Frequencies}
	for _, w := range all.Places {
		alone.Sums, alone.Deviations = append(alone.Sums, all.Sums[w]), append(alone.Deviations, byWords)
	}
	everywhere(alone)
	wanted := all.chosen(truth)
	statistic := make([]float64, k*v)
	for i := range statistic {
		statistic[i] = 0.5*total*truth[all.Places[i%v]]/k + tau*r.NormFloat64()
	}
	refined := func(m *Marginal) (divergence float64) {
		frequencies := m.Frequencies
		if m.Sums != nil {
			all, _ := newFrequencies(&Options{Topics: k, Words: v, Marginal: m}).refine(statistic, tau, true)
			frequencies = m.chosen(all)
		}
		for w, p := range wanted {
			divergence += p * math.Log(p/frequencies[w])
		}
		return divergence
	}
	before, among, apart := refined(&Marginal{Frequencies: all.Frequencies}), refined(all), refined(alone)
	t.Logf("divergence %.4f before, %.4f among all words, %.4f among chosen ones", before, among, apart)
	if among > 0.95*before || apart < 1.1*among {
		t.Errorf("divergence %.4f before, %.4f among all words, %.4f among chosen ones", before, among, apart)
	}
}
