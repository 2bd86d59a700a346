package attack

import "math"

// A Score says how well an attack guesses.
type Score struct {
	// Probability is the true word's probability, averaged over tokens, in [0, 1].
	Probability float64 `json:"probability"`
	// MostProbable is the share of tokens with their true word as the most probable word, in [0, 1]. A tie of n words
	// counts 1/n.
	MostProbable float64 `json:"most_probable"`
}

// scoreOf returns the score of the attack, given each token's log scores of all words.
func scoreOf(tokens []*token, scores func(*token) []float64) Score {
	var s Score
	for _, t := range tokens {
		probability, most := judge(scores(t), t.word)
		s.Probability += probability
		s.MostProbable += most
	}
	n := float64(len(tokens))
	return Score{s.Probability / n, s.MostProbable / n}
}

// judge normalises log scores. It returns the word's probability. most is 1/n if the word is among n equally most
// probable words, else 0.
func judge(scores []float64, word int) (probability, most float64) {
	greatest, ties := math.Inf(-1), 0.
	for _, x := range scores {
		if x > greatest {
			greatest, ties = x, 0
		}
		if x == greatest {
			ties++
		}
	}
	sum := 0.
	for _, x := range scores {
		sum += math.Exp(x - greatest)
	}
	if scores[word] == greatest {
		most = 1 / ties
	}
	return math.Exp(scores[word]-greatest) / sum, most
}
