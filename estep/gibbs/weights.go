package gibbs

import "math"

// weightBits is the binary logarithm of the largest weight, 2^weightBits.
const weightBits = 24

// weights are the released weights of words in topics, as whole numbers in [1, 2^weightBits]. Draws from whole numbers
// are exact: on every machine each topic has exactly the probability that the whole numbers give.
type weights struct {
	k      int
	stride int // K, padded for the kernels
	alpha  float64
	cells  []uint32 // word v in topic k is at v·stride+k; 0 in the padding. 4 bytes a cell
	sums   []uint64 // each word's sum of weights over the topics. 8 bytes a word
}

// newWeights takes K×V weights, row by row. If draws is positive, it bounds the pure loss of one draw. The weights of
// two words in one topic then differ by a factor of at most e^(draws/2), whatever was released. If draws is 0, each
// word is scaled by itself, which changes no probability.
func newWeights(k, v int, alpha float64, released []float32, draws float64) *weights {
	stride := padded(k)
	w := &weights{k: k, stride: stride, alpha: alpha, cells: make([]uint32, stride*v), sums: make([]uint64, v)}
	if draws > 0 {
		w.bound(v, released, draws)
	} else {
		w.scale(v, released)
	}
	for word := range w.sums {
		for _, x := range w.row(uint32(word)) {
			w.sums[word] += uint64(x)
		}
	}
	return w
}

// scale takes the weights of each word as shares of its largest.
func (w *weights) scale(v int, released []float32) {
	for word := range v {
		largest := float32(0)
		for topic := range w.k {
			largest = max(largest, released[topic*v+word])
		}
		row := w.row(uint32(word))
		for topic := range w.k {
			row[topic] = whole(released[topic*v+word], largest)
		}
	}
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
		// Rounded up, so that the factor between whole numbers is at most e^(draws/2). The product is off by a few
		// units in the last place of 53 bits. The added 2^-40 of the product outweighs them.
		least := uint32(min(math.Ceil(float64(most)*math.Exp(-draws/2)*(1+0x1p-40)), float64(most)))
		for word, x := range row {
			w.cells[word*w.stride+topic] = max(whole(x, largest), least)
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

// row returns one word's weights, padded.
func (w *weights) row(word uint32) []uint32 { return w.cells[int(word)*w.stride:][:w.stride] }
