package gibbs

import "math"

// weightBits is the size of a weight: the largest is 2^weightBits.
const weightBits = 24

// weights are the released weights of words in topics as whole numbers in [1, 2^weightBits]. Draws from whole numbers are exact: a
// topic has the very probability that its numbers say, on every machine.
type weights struct {
	k     int
	alpha float64
	cells []uint32 // of word v in topic k at v·K+k
}

// newWeights takes K×V weights, row by row. If draws is positive, it is a bound on the pure loss of a draw: the weights of two words
// in one topic then differ by a factor of at most e^(draws/2), whatever was released. If it is 0, each word is scaled by itself,
// which changes no probability.
func newWeights(k, v int, alpha float64, released []float32, draws float64) *weights {
	w := &weights{k: k, alpha: alpha, cells: make([]uint32, k*v)}
	if draws > 0 {
		w.bound(v, released, draws)
		return w
	}
	for word := range v {
		largest := float32(0)
		for topic := range k {
			largest = max(largest, released[topic*v+word])
		}
		for topic, row := 0, w.row(uint32(word)); topic < k; topic++ {
			row[topic] = whole(released[topic*v+word], largest)
		}
	}
	return w
}

// bound raises the weights of each topic to at least e^(−draws/2) of its largest.
func (w *weights) bound(v int, released []float32, draws float64) {
	largest := float32(0)
	for _, x := range released {
		largest = max(largest, x)
	}
	for topic := range w.k {
		row := released[topic*v : (topic+1)*v]
		most := uint32(1)
		for _, x := range row {
			most = max(most, whole(x, largest))
		}
		// Rounded up, so that the factor between whole numbers is at most e^(draws/2). The product is off by a few units in the last place
		// of 53 bits; the added 2^-40 of it outweighs them.
		least := uint32(min(math.Ceil(float64(most)*math.Exp(-draws/2)*(1+0x1p-40)), float64(most)))
		for word, x := range row {
			w.cells[word*w.k+topic] = max(whole(x, largest), least)
		}
	}
}

// whole returns x as a share of largest in whole numbers, at least 1.
func whole(x, largest float32) uint32 {
	if largest == 0 {
		return 1
	}
	return uint32(max(1, math.Round(float64(x)/float64(largest)*(1<<weightBits))))
}

// row returns the weights of a word.
func (w *weights) row(word uint32) []uint32 { return w.cells[int(word)*w.k:][:w.k] }
