package gibbs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// A corpus is some tokens: the document and the word of each.
type corpus struct {
	k, v       int
	alpha, eta float64
	document   []int
	word       []int
	prior      []float64 // K × V; nil: 0
}

// followed returns a token's exact topic distribution in place, given the topics of all others (Griffiths and Steyvers
// 2004, equation 5). It shares no code with the sampler.
func (c corpus) followed(z state, token int) []float64 {
	p, sum := make([]float64, c.k), 0.0
	for k := range p {
		words, all, members := 0., 0., 0.
		if c.prior != nil {
			words = c.prior[k*c.v+c.word[token]]
			for _, x := range c.prior[k*c.v:][:c.v] {
				all += x
			}
		}
		for i, topic := range z {
			if i == token || topic != k {
				continue
			}
			all++
			if c.word[i] == c.word[token] {
				words++
			}
			if c.document[i] == c.document[token] {
				members++
			}
		}
		// The program counts at least one token in the denominator; with η > 0 it only matters where a topic is empty.
		p[k] = (words + c.eta) / (max(all, 1) + float64(c.v)*c.eta) * (members + c.alpha)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// swept returns the distribution of all states after a sweep in place from a state.
func (c corpus) swept(from state) []float64 {
	all := states(c.k, len(from))
	p := make([]float64, len(all))
	for i, to := range all {
		z := slices.Clone(from)
		p[i] = 1
		for token := range z {
			p[i] *= c.followed(z, token)[to[token]]
			z[token] = to[token]
		}
	}
	return p
}

// documents are the documents of the corpus, whose tokens must come by document and word.
func (c corpus) documents() (documents []*wire.Document) {
	for m := range slices.Max(c.document) + 1 {
		var ids, counts []uint32
		for i, d := range c.document {
			switch {
			case d != m:
			case len(ids) > 0 && int(ids[len(ids)-1]) == c.word[i]:
				counts[len(counts)-1]++
			default:
				ids, counts = append(ids, uint32(c.word[i])), append(counts, 1)
			}
		}
		documents = append(documents,
			&wire.Document{Id: string(rune('a' + m)), WordGaps: wire.AppendGaps(nil, ids), Counts: counts})
	}
	return documents
}

// sixTokens have documents that share words.
var sixTokens = corpus{k: 2, v: 3, alpha: 0.7, eta: 0.4, document: []int{0, 0, 0, 1, 1, 1},
	word: []int{0, 0, 1, 0, 2, 2}}

// inPlaceOf returns a model in place with parameters.
func inPlaceOf(o Options, k, v int, alpha, eta float64) inPlace {
	o.InPlace, o.Keep = true, true
	if o.Statistic == "" {
		o.Statistic = Counts
	}
	return inPlace{&Model{options: o, size: model.Size{Components: k, Words: v}, alpha: alpha, eta: eta,
		ceiling: math.Inf(1)}}
}

// alike returns a state with the same counts: within a document, the topics of equal words rise. The program takes a
// state back in this form.
func (c corpus) alike(z state) state {
	z = slices.Clone(z)
	for i := range z {
		for j := range i {
			if c.document[i] == c.document[j] && c.word[i] == c.word[j] && z[j] > z[i] {
				z[i], z[j] = z[j], z[i]
			}
		}
	}
	return z
}

// TestInPlaceKernel: the topics after a start and two sweeps in place have the distribution of the enumerated kernel,
// and the state is taken back between the two. A right sampler fails once in a million times.
func TestInPlaceKernel(t *testing.T) {
	const draws = 60_000
	c := sixTokens
	all := states(c.k, len(c.word))
	p := slices.Repeat([]float64{1 / float64(len(all))}, len(all))
	for sweep := range 2 {
		next := make([]float64, len(all))
		for i, from := range all {
			if sweep > 0 {
				from = c.alike(from)
			}
			for j, q := range c.swept(from) {
				next[j] += p[i] * q
			}
		}
		p = next
	}
	// Equal tokens of a document are alike: what is seen is their counts.
	documents := c.documents()
	key := func(z state) (key int) {
		counts := make([]int, 12)
		for i, topic := range z {
			counts[c.document[i]*6+c.word[i]*2+topic]++
		}
		for _, n := range counts {
			key = key*4 + n
		}
		return key
	}
	want, seen := make(map[int]float64), make(map[int]float64)
	for i, z := range all {
		want[key(z)] += p[i] * draws
	}
	m := inPlaceOf(Options{Sweeps: 1}, c.k, c.v, c.alpha, c.eta)
	statistics := lda.Family.Statistics(m.size)
	for round := range uint32(draws) {
		var last [][]*wire.Part
		for sweep := range uint32(2) {
			both := []*model.Coins{coins(documents[0], 2*round+sweep), coins(documents[1], 2*round+sweep)}
			if sweep == 0 {
				last = make([][]*wire.Part, len(documents))
			}
			var err error
			if last, err = m.ContributeAll(documents, last, both); err != nil {
				t.Fatal(err)
			}
		}
		at := 0
		for _, parts := range last {
			dense := modeltest.Dense(statistics, parts)
			for word := range c.v {
				for topic := range c.k {
					at = at*4 + int(dense[topic*c.v+word])
				}
			}
		}
		seen[at]++
	}
	square := 0.0
	for at, w := range want {
		square += (seen[at] - w) * (seen[at] - w) / w
	}
	if limit := (distuv.ChiSquared{K: float64(len(want) - 1)}).Quantile(1 - 1e-6); square > limit {
		t.Errorf("χ² is %v, above %v", square, limit)
	}
	for at := range seen {
		if want[at] == 0 {
			t.Errorf("topics that cannot be: %d", at)
		}
	}
}

// TestBatch: with a prior, a document's topics begin by the prior and the documents before. A sweep weighs the prior
// like counts. The test enumerates the distribution. A right sampler fails once in a million times.
func TestBatch(t *testing.T) {
	const draws = 60_000
	c := corpus{k: 2, v: 3, alpha: 0.7, eta: 0.4, document: []int{0, 0, 1, 1}, word: []int{0, 1, 0, 2},
		prior: []float64{5, 0.5, 0, 0, 2, 1}}
	all := states(c.k, len(c.word))
	begun := func(z state) float64 { // the probability of a start
		p := 1.
		for token := range z {
			odds := [2]float64{}
			for k := range odds {
				words, total := c.prior[k*c.v+c.word[token]], 0.
				for _, x := range c.prior[k*c.v:][:c.v] {
					total += x
				}
				for i, topic := range z {
					if topic == k && c.document[i] < c.document[token] {
						total++
						if c.word[i] == c.word[token] {
							words++
						}
					}
				}
				odds[k] = (words + c.eta) / (total + float64(c.v)*c.eta)
			}
			p *= odds[z[token]] / (odds[0] + odds[1])
		}
		return p
	}
	documents := c.documents()
	for sweeps := range 2 {
		want := make([]float64, len(all))
		for i, from := range all {
			if sweeps == 0 {
				want[i] = begun(from) * draws
				continue
			}
			for j, q := range c.swept(from) {
				want[j] += begun(from) * q * draws
			}
		}
		m := inPlaceOf(Options{Sweeps: sweeps}, c.k, c.v, c.alpha, c.eta)
		for _, x := range c.prior {
			m.prior = append(m.prior, float32(x))
		}
		seen := make([]float64, len(all))
		for round := range uint32(draws) {
			answers, err := m.ContributeAll(documents, make([][]*wire.Part, 2),
				[]*model.Coins{coins(documents[0], round), coins(documents[1], round)})
			if err != nil {
				t.Fatal(err)
			}
			z := make(state, len(c.word))
			for token := range z {
				// Each word is once in its document, so a count tells the topic. A contribution has no prior in it.
				dense := modeltest.Dense(lda.Family.Statistics(m.size), answers[c.document[token]])
				z[token] = int(dense[c.v+c.word[token]])
				if dense[c.word[token]]+dense[c.v+c.word[token]] != 1 {
					t.Fatalf("counts %v", dense)
				}
			}
			for i := range all {
				if slices.Equal(all[i], z) {
					seen[i]++
				}
			}
		}
		square := 0.
		for i, w := range want {
			square += (seen[i] - w) * (seen[i] - w) / w
		}
		if limit := (distuv.ChiSquared{K: float64(len(want) - 1)}).Quantile(1 - 1e-6); square > limit {
			t.Errorf("after %d sweeps: χ² is %v, above %v", sweeps, square, limit)
		}
	}
}

// TestPosterior: the kernel of TestInPlaceKernel keeps the posterior of the topics given the words, which is enumerated
// from the integrated joint distribution (Griffiths and Steyvers 2004, equations 2 and 3). Topics are never empty here,
// since an empty one counts as one token.
func TestPosterior(t *testing.T) {
	c := sixTokens
	// Each topic has two tokens of a third document that stay where they are.
	c.document = append(slices.Clone(c.document), 2, 2, 2, 2)
	c.word = append(slices.Clone(c.word), 0, 2, 1, 2)
	fixed := state{0, 0, 1, 1}
	lgamma := func(x float64) float64 {
		y, _ := math.Lgamma(x)
		return y
	}
	joint := func(z state) (log float64) {
		for k := range c.k {
			total := 0.
			for v := range c.v {
				n := 0.
				for i, topic := range z {
					if topic == k && c.word[i] == v {
						n++
					}
				}
				total += n
				log += lgamma(n + c.eta)
			}
			log -= lgamma(total + float64(c.v)*c.eta)
			for m := range 3 {
				n := 0.
				for i, topic := range z {
					if topic == k && c.document[i] == m {
						n++
					}
				}
				log += lgamma(n + c.alpha)
			}
		}
		return log
	}
	all := states(c.k, 6)
	posterior, sum := make([]float64, len(all)), 0.0
	for i, z := range all {
		posterior[i] = math.Exp(joint(append(slices.Clone(z), fixed...)))
		sum += posterior[i]
	}
	after := make([]float64, len(all))
	for i, from := range all {
		posterior[i] /= sum
		for j, to := range all {
			p, z := posterior[i], append(slices.Clone(from), fixed...)
			for token := range to {
				p *= c.followed(z, token)[to[token]]
				z[token] = to[token]
			}
			after[j] += p
		}
	}
	for i := range all {
		if !near(after[i], posterior[i]) {
			t.Errorf("state %v has the probability %v after a sweep, %v before", all[i], after[i], posterior[i])
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// TestInPlaceLosesMore enumerates a sweep in place over all topics, from the same released counts. Theorem 3 of HDP-LDA
// counts only the draw of the exchanged token: 2·ln(C/β + 1). The exchange loses more.
func TestInPlaceLosesMore(t *testing.T) {
	const eta, ceiling, related = 0.01, 1, 3
	most := 0.0
	for others := range 1 << related { // the word of each other token
		word := make([]uint32, 1+related)
		for i := range related {
			word[1+i] = uint32(others >> i & 1)
		}
		exchanged := slices.Clone(word)
		exchanged[0] = 1
		for counts := range 1 << 4 { // released counts of words 0 and 1 in both topics
			released := []float32{float32(counts & 1), float32(counts >> 1 & 1), 1, float32(counts >> 2 & 1),
				float32(counts >> 3 & 1), 1}
			for before := range 1 << len(word) {
				for after := range 1 << len(word) {
					p := inPlaceLikelihood(released, word, before, after, eta, ceiling)
					q := inPlaceLikelihood(released, exchanged, before, after, eta, ceiling)
					most = max(most, math.Abs(math.Log(p/q)))
				}
			}
		}
	}
	claimed := 2 * math.Log(ceiling/eta+1) // 9.23
	// An independent enumeration found 14.3 (the design's review.md, 4.2).
	if most < 1.5*claimed || most < 14.25 {
		t.Errorf("the largest loss is %v, and the theorem says %v: this test looks at too little", most, claimed)
	}
	t.Logf("the largest loss is %.2f, and the theorem says %.2f", most, claimed)
}

// inPlaceLikelihood returns the probability that a sweep in place takes a document's tokens from one list of topics to
// another. The bits of before and after hold the topics.
func inPlaceLikelihood(released []float32, word []uint32, before, after int, eta, ceiling float64) float64 {
	m := &Model{size: model.Size{Components: 2, Words: 3}, alpha: 1, eta: eta, ceiling: ceiling, counts: released}
	table := newTable(m)
	members := make([]float64, 2)
	for token := range word {
		members[before>>token&1]++
	}
	table.enter(members)
	p := 1.0
	for token, w := range word {
		table.move(w, uint32(before>>token&1), -1)
		weight := func(topic uint32) float64 { return table.factors[int(w)*2+int(topic)] * table.topic[topic] }
		to := uint32(after >> token & 1)
		p *= weight(to) / (weight(0) + weight(1))
		table.move(w, to, 1)
	}
	return p
}

// TestTable: probabilities with noise are those of the formula, with its limits, by hand.
func TestTable(t *testing.T) {
	m := &Model{size: model.Size{Components: 3, Words: 2}, alpha: 0.5, eta: 1, ceiling: 4, counts: []float32{
		-3, 1, // topic 0: numerator of word 0 is 0+1, sum −2 counts as 1
		9, 2, // topic 1: numerator 4+1, sum 11
		2, 0, // topic 2: numerator 2+1, sum 2
	}}
	table := newTable(m)
	table.enter([]float64{2, -7, 0}) // n_mk + α: 2.5, at least 1e-9, 0.5
	want := []float64{1. / 3 * 2.5, 5. / 13 * 1e-9, 3. / 4 * 0.5}
	for topic, p := range want {
		if got := table.factors[topic] * table.topic[topic]; !near(got, p) {
			t.Errorf("topic %d: %v, want %v", topic, got, p)
		}
	}
	table.move(0, 1, -1) // −8 members, 8 counts of word 0, 10 in all
	if got := table.factors[1] * table.topic[1]; !near(got, 5./12*1e-9) {
		t.Errorf("after a move %v", got)
	}
	seen := make([]float64, 3)
	random := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		seen[table.draw(0, random)]++
	}
	p := 2.5 / 3 / (2.5/3 + 0.375)
	// Hoeffding: a right sampler fails once in a million times.
	if limit := math.Sqrt(math.Log(2e6) / (2 * 30_000)); math.Abs(seen[0]/30_000-p) > limit || seen[1] > 3 {
		t.Errorf("drawn %v times, want a share %v of topic 0 and next to none of topic 1", seen, p)
	}
}

// TestIncrements: the sum of all increments is the counts, frozen and in place, and the state has the counts.
func TestIncrements(t *testing.T) {
	c := sixTokens
	documents := c.documents()
	size := model.Size{Components: c.k, Words: c.v}
	o := Options{Sweeps: 1, Statistic: Increments, Keep: true, Subsampling: Subsampling{Rate: 1}}
	frozen := modelOf(o, c.k, c.v, c.alpha, []float32{.2, .3, .5, .6, .3, .1})
	moving := inPlaceOf(o, c.k, c.v, c.alpha, c.eta)
	hidden, _ := moving.Hidden(size)
	matrices := append(lda.Family.Statistics(size), hidden...)
	sums := map[string][][]float64{"frozen": {make([]float64, 6), make([]float64, 6)},
		"in place": {make([]float64, 6), make([]float64, 6)}}
	last := map[string][][]*wire.Part{"frozen": make([][]*wire.Part, 2), "in place": make([][]*wire.Part, 2)}
	changed := false
	for round := range uint32(8) {
		both := []*model.Coins{coins(documents[0], round), coins(documents[1], round)}
		for i, d := range documents {
			w := frozen.NewWorker().(keeper)
			var err error
			if round == 0 {
				last["frozen"][i], err = w.Contribute(d, both[i])
			} else {
				last["frozen"][i], err = w.ContributeAfter(d, last["frozen"][i], both[i])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if last["in place"], err = moving.ContributeAll(documents, last["in place"], both); err != nil {
			t.Fatal(err)
		}
		for how, parts := range last {
			for i := range documents {
				dense := modeltest.Dense(matrices, parts[i])
				for cell, x := range dense[:6] {
					sums[how][i][cell] += x
					changed = changed || round > 0 && x < 0
				}
				if !slices.Equal(sums[how][i], dense[6:12]) {
					t.Fatalf("%s, round %d: the increments add up to %v, the state has %v", how, round, sums[how][i],
						dense[6:12])
				}
			}
		}
	}
	if !changed {
		t.Error("no count ever fell")
	}
}

// TestDocumentNoise: a document's noise stays in its state. A round adds to it only if the round has noise of its own.
func TestDocumentNoise(t *testing.T) {
	c := sixTokens
	documents := c.documents()[:1]
	size := model.Size{Components: c.k, Words: c.v}
	once := inPlaceOf(Options{Sweeps: 1, DocumentNoise: 2}, c.k, c.v, c.alpha, c.eta)
	noisy := inPlaceOf(Options{Sweeps: 1, DocumentNoise: 2, NoiseEachRound: true}, c.k, c.v, c.alpha, c.eta)
	quiet := inPlaceOf(Options{Sweeps: 1}, c.k, c.v, c.alpha, c.eta)
	hidden, _ := noisy.Hidden(size)
	matrices := append(lda.Family.Statistics(size), hidden...)
	noise := func(parts [][]*wire.Part) []float64 { return modeltest.Dense(matrices, parts[0])[6:] }
	all := func(m inPlace, last [][]*wire.Part, round uint32) [][]*wire.Part {
		parts, err := m.ContributeAll(documents, last, []*model.Coins{coins(documents[0], round)})
		if err != nil {
			t.Fatal(err)
		}
		return parts
	}
	first := all(noisy, make([][]*wire.Part, 1), 1)
	if x := noise(first); x[0] == 0 || x[1] == 0 || x[0] == x[1] {
		t.Errorf("the noise is %v", x)
	}
	if kept := all(quiet, first, 2); !slices.Equal(noise(kept), noise(first)) {
		t.Errorf("the noise %v became %v", noise(first), noise(kept))
	}
	if kept := all(once, all(once, make([][]*wire.Part, 1), 1), 2); !slices.Equal(noise(kept), noise(first)) {
		t.Errorf("noise that is added once is %v, and was %v", noise(kept), noise(first))
	}
	if more := all(noisy, first, 3); noise(more)[0] == noise(first)[0] {
		t.Error("a round with noise of its own added none")
	}
	if x := noise(all(quiet, make([][]*wire.Part, 1), 1)); x[0] != 0 {
		t.Errorf("noise %v without a scale", x)
	}
	// Laplace noise of scale 2 has a mean square of 8. The mean square of 4,000 values has a deviation of 8·√5/√4000 =
	// .28. A right program fails once in 10⁶ times (4.9 deviations).
	square := 0.0
	for round := range uint32(2000) {
		for _, x := range noise(all(noisy, make([][]*wire.Part, 1), round+10)) {
			square += x * x / 4000
		}
	}
	if math.Abs(square-8) > 4.9*8*math.Sqrt(5)/math.Sqrt(4000) {
		t.Errorf("the variance of the noise is %v, want 8", square)
	}
}

// TestDrawNoise: each draw adds noise to the counts of its word in all topics, the draws after it read the noise, and
// the contribution has it, but not the counts in the state.
func TestDrawNoise(t *testing.T) {
	const rounds, noise = 2000, 3.
	// Word 0 has two draws a round, word 1 has one, and word 2 is in the other document.
	documents := sixTokens.documents()[:1]
	m := inPlaceOf(Options{Sweeps: 1, DrawNoise: noise, Statistic: Increments}, sixTokens.k, sixTokens.v, .7, .4)
	hidden, _ := m.Hidden(m.size)
	squares := make([]float64, sixTokens.v)
	for round := range uint32(rounds) {
		parts, err := m.ContributeAll(documents, make([][]*wire.Part, 1), []*model.Coins{coins(documents[0], round)})
		if err != nil {
			t.Fatal(err)
		}
		dense := modeltest.Dense(append(lda.Family.Statistics(m.size), hidden...), parts[0])
		for cell := range 6 {
			added := dense[cell] - dense[6+cell]
			squares[cell%3] += added * added / (2 * rounds)
		}
	}
	// The mean square of 4,000 normal values has a deviation of √(2/4000) of it. A right program fails once in 10⁶
	// times (4.9 deviations).
	for word, draws := range []float64{2, 1, 0} {
		want := draws * noise * noise
		if math.Abs(squares[word]-want) > 4.9*want*math.Sqrt(2./4000) {
			t.Errorf("the variance of the noise of word %d is %v, want %v", word, squares[word], want)
		}
	}
	table := newTable(m.Model)
	r, err := m.resident(table, documents[0], nil, coins(documents[0], rounds))
	if err != nil {
		t.Fatal(err)
	}
	r.sweep(table, nil)
	for topic := range m.size.Components {
		total, of := 0., 0.
		for word := range r.ids {
			of += float64(r.added[word*table.k+topic])
			total += table.counts[word*table.k+topic]
		}
		want := (r.members[topic] + .7) / (max(r.members[topic]+of, 1) + 3*.4)
		// The contribution has 24 bits, the table 53.
		if math.Abs(table.topic[topic]-want) > 1e-4 || math.Abs(total-r.members[topic]-of) > 1e-4 {
			t.Errorf("topic %d: the counts sum to %v, want %v and the noise %v", topic, total, r.members[topic], of)
		}
	}
}
