package public

import (
	"math"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
)

// seedShare is the share of its own words in a seeded topic. The other half are words that public text has beside them.
const seedShare = 0.5

// seeded returns a distribution over words for each seed. Half of it are the seed's words, by the root of their
// frequencies, so that a rare one counts. The other half is a mixture of all public topics by the probability that the
// words came from each: words that public text has in the same topics then count, too, if less.
func seeded(text *publictext.Text, seeds []modelfile.Seed, file string) ([][]float64, error) {
	places := make(map[string]int)
	for v, word := range text.Vocabulary {
		places[word] = v
	}
	var rows [][]float64
	for _, seed := range seeds {
		var own []int
		for _, word := range seed.Words {
			if v, ok := places[word]; ok {
				own = append(own, v)
			}
		}
		if len(own) == 0 {
			return nil, exit.Errorf(exit.Malformed, "%s: the vocabulary has no word of %q", file, seed.Name).
				WithHint("--vocab names the vocabulary of the documents, to which the words can be added")
		}
		rows = append(rows, seededRow(text, own))
	}
	return rows, nil
}

// seededRow returns the distribution for the words of one seed.
func seededRow(text *publictext.Text, own []int) []float64 {
	weights, largest := make([]float64, len(text.Topics)), math.Inf(-1)
	for j, lifts := range text.Topics {
		for _, v := range own {
			weights[j] += math.Log(math.Exp(float64(lifts[v])) + floorLift)
		}
		largest = max(largest, weights[j])
	}
	total := 0.0
	for j := range weights {
		weights[j] = math.Exp(weights[j] - largest)
		total += weights[j]
	}
	row, sum := make([]float64, len(text.Frequencies)), 0.0
	for v, p := range text.Frequencies {
		lift := 0.0
		for j, w := range weights {
			if w > 1e-6*total {
				lift += w / total * math.Exp(float64(text.Topics[j][v]))
			}
		}
		row[v] = p * (lift + floorLift)
		sum += row[v]
	}
	roots := 0.0
	for _, v := range own {
		roots += math.Sqrt(text.Frequencies[v])
	}
	for v := range row {
		row[v] *= (1 - seedShare) / sum
	}
	for _, v := range own {
		row[v] += seedShare * math.Sqrt(text.Frequencies[v]) / roots
	}
	return row
}
