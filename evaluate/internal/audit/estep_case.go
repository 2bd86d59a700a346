package audit

import "slices"

// A chainCase is a case of an E-step: parameters, perhaps hostile, and documents. Particular faults of samplers show
// there. A chain has as many rounds as there are weights.
type chainCase struct {
	name    string
	flags   []string // of estep, beside those that all cases have
	inPlace bool     // by estep collapsed, not by estep gibbs
	topics  int      // K
	alpha   float64
	weights [][]float32 // before each round: K × V, row by row
	others  []int       // for each of the V words, its count in a document without the exchanged token

	mild       bool // no weights are far apart
	increments bool // contributions are changes of the counts
	undrawn    bool // no loss is asked for
}

// The exchanged token has word 0 in one neighbour and the last word in the other. In the order of words, each other
// word stands between them.

func (c chainCase) words() int { return len(c.others) }

// document returns the counts of words in one of the neighbours.
func (c chainCase) document(with bool) []int {
	counts := slices.Clone(c.others)
	if with {
		counts[0]++
	} else {
		counts[len(counts)-1]++
	}
	return counts
}

// chainCases returns the cases of an E-step.
func chainCases() []chainCase {
	const large = 1e9
	mild := [][]float32{{.5, .3, .2, .2, .3, .5, .3, .4, .3}, {.4, .4, .2, .1, .3, .6, .4, .3, .3}}
	ratios := [][]float32{{large, 1, 1, large}, {1, large, large, 1}}
	// Two tokens of word 1 nearly always have topic 1, so topic 0 is rare. There a token's loss comes near to its
	// bound.
	rare := [][]float32{{large, 1, 1, 1, large, large}, {large, 1, 1, 1, large, large}}
	// One topic stands against seven. Near its bound, the loss shows in one draw of five or twelve.
	many := make([]float32, 16)
	for topic := range 8 {
		many[2*topic], many[2*topic+1] = 1, large
	}
	many[0], many[1] = large, 1
	return []chainCase{
		{name: "counts", topics: 3, alpha: 0.5, weights: mild, mild: true, others: []int{0, 2, 0}},
		{name: "increments", topics: 3, alpha: 0.5, weights: mild, mild: true, others: []int{0, 2, 0},
			increments: true},
		{name: "ratios", topics: 2, alpha: 1, weights: ratios, others: []int{0, 0}},
		{name: "ratios-unasked", topics: 2, alpha: 1, weights: ratios, others: []int{0, 0}, undrawn: true},
		{name: "zeros", topics: 2, alpha: 1, weights: [][]float32{{1, 0, 0, 1}, {0, 0, 1, 0}}, others: []int{0, 0}},
		{name: "certain", topics: 3, alpha: 0.1, others: []int{1, 0}, weights: [][]float32{
			{1 - 1e-7, 1e-7, 1e-7, 1 - 1e-7, 0.5, 0.5}, {1e-30, 1, 1, 1e-30, 1, 1},
		}},
		{name: "many-topics", topics: 8, alpha: 1, weights: [][]float32{many, many}, others: []int{0, 0}},
		{name: "rare-topic", topics: 2, alpha: 0.1, weights: rare, others: []int{0, 3, 0}},
		{name: "sweeps", flags: []string{"--sweeps", "3"}, topics: 2, alpha: 0.1, weights: rare,
			others: []int{0, 2, 0}},
		{name: "some-words", flags: []string{"--word-rate", "0.5"}, topics: 2, alpha: 1, weights: ratios,
			others: []int{0, 0}},
		{
			name: "adaptive", flags: []string{"--word-rate", "0.5", "--adaptive", "1.2", "--least-rate", "0.4"},
			topics: 2, alpha: 1, weights: [][]float32{ratios[0], ratios[0]}, others: []int{0, 0},
		},
		{name: "in-place", inPlace: true, topics: 3, alpha: 0.5, weights: mild, mild: true,
			others: []int{0, 2, 0}, undrawn: true},
	}
}

// EStepCases returns the names of the cases, in the order of an audit.
func EStepCases() (names []string) {
	for _, c := range chainCases() {
		names = append(names, c.name)
	}
	return names
}
