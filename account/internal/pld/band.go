package pld

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// A band works out the coefficients of a transform of n values at the frequencies 0 to last.
//
// After some releases the product of their coefficients is 0 except at low frequencies. At these, take one block of B
// neighbouring values at the places c + y·B/2 with y in [−1, 1]. Their sum is a Taylor series: with x = π·k·B/n
//
//	Σ p·e^(−2πik(c+y·B/2)/n) = e^(−2πikc/n)·Σ_m (−ix)^m/m!·Σ p·y^m,
//
// and the terms from the m-th on are together at most x^m/m!·Σ p (Taylor's remainder of e^(−ixy)). So a few transforms
// of n/B moments take the place of one transform of n values.
type band struct {
	n, last, block int
	phase          []complex128 // e^(−2πikc/n) of the first block
	angle          float64      // x/k
	error          float64      // error of each coefficient, over the sum of the values

	// Room.
	transform *fourier.FFT // of n/block values
	moments   [][]float64  // Σ p·y^m of each block; where block is 1 the values
	sums      []float64    // of one block
	spectrum  []complex128 // of one moment
	sum       []complex128 // of the series
	factor    []float64    // x^m/m!
}

// The least and the greatest useful length of one block.
const fewestInBlock, mostInBlock = 32, 256

// newBand is for the frequencies up to last; block is blockLength's result.
func newBand(n, last, block int) *band {
	blocks, terms := n/block, 1
	b := &band{n: n, last: last, block: block, angle: math.Pi / float64(blocks)}
	each := transformError * math.Log2(float64(blocks)) * (1 + 1e-6)
	if b.error = each; block > 1 {
		x := b.angle * float64(last)
		left := x // x^terms/terms!
		for left > 1e-15 {
			terms++
			left *= x / float64(terms)
		}
		// A moment has as many roundings as its order, and its sum has one for four values. Then come the series and
		// the phase.
		b.error = left + math.Exp(x)*(each+float64(block/4+4*terms+32)*unit)
		for k := range last + 1 {
			sin, cos := math.Sincos(-math.Pi * float64(k) * float64(block-1) / float64(n))
			b.phase = append(b.phase, complex(cos, sin))
		}
	}
	b.makeRoom(terms)
	return b
}

func (b *band) makeRoom(terms int) {
	blocks := b.n / b.block
	b.transform, b.spectrum = fourier.NewFFT(blocks), make([]complex128, blocks/2+1)
	b.sums, b.sum, b.factor = make([]float64, terms), make([]complex128, b.last+1), make([]float64, b.last+1)
	b.moments = make([][]float64, terms)
	for m := range b.moments {
		b.moments[m] = make([]float64, blocks)
	}
}

// another returns a band of the same frequencies with room of its own.
func (b *band) another() *band {
	other := *b
	other.makeRoom(len(b.sums))
	return &other
}

// blockLength is the length of the blocks for frequencies up to last; 1 is for no blocks. With x up to π/4 the series
// has few terms, and does not raise rounding errors by much.
func blockLength(n, last int) int {
	block := mostInBlock
	for ; block >= fewestInBlock; block /= 2 {
		if n%(2*block) == 0 && 4*last <= n/block {
			return block
		}
	}
	return 1
}

// narrowed returns a band of frequencies up to last. It is the same band if another one is not less work.
func (b *band) narrowed(last int) *band {
	if block := blockLength(b.n, last); block > b.block {
		return newBand(b.n, last, block)
	}
	b.last = min(b.last, last)
	return b
}

// coefficients returns the coefficients of values, which stand at the indices from first on, modulo n. They are valid
// until the next call.
func (b *band) coefficients(values []float64, first int) []complex128 {
	for _, m := range b.moments {
		clear(m)
	}
	if b.block == 1 {
		b.addValues(values, modulo(first, b.n))
		return b.transform.Coefficients(b.spectrum, b.moments[0])[:b.last+1]
	}
	b.addMoments(values, modulo(first, b.n))
	sum := b.sum[:b.last+1]
	clear(sum)
	for k := range sum {
		b.factor[k] = 1
	}
	for m, moments := range b.moments {
		b.transform.Coefficients(b.spectrum, moments)
		for k := range sum {
			c, x := b.spectrum[k], b.factor[k]
			switch m % 4 { // times (−i)^m
			case 0:
				sum[k] += complex(x*real(c), x*imag(c))
			case 1:
				sum[k] += complex(x*imag(c), -x*real(c))
			case 2:
				sum[k] -= complex(x*real(c), x*imag(c))
			case 3:
				sum[k] -= complex(x*imag(c), -x*real(c))
			}
			b.factor[k] = x * (b.angle * float64(k)) / float64(m+1)
		}
	}
	for k := range sum {
		sum[k] *= b.phase[k]
	}
	return sum
}

func (b *band) addValues(values []float64, cell int) {
	sum := b.moments[0]
	for _, p := range values {
		sum[cell] += p
		if cell++; cell == b.n {
			cell = 0
		}
	}
}

// addMoments adds the values' moments about the middle of their blocks.
func (b *band) addMoments(values []float64, cell int) {
	sums := b.sums
	for len(values) > 0 {
		number, offset := cell/b.block, cell%b.block
		inBlock := min(b.block-offset, len(values))
		clear(sums)
		y := func(i int) float64 { // exact, as block is a power of 2
			return float64(2*(offset+i)-b.block+1) / float64(b.block)
		}
		i := 0
		for ; i+4 <= inBlock; i += 4 { // four chains of products at a time
			p0, p1, p2, p3 := values[i], values[i+1], values[i+2], values[i+3]
			y0, y1, y2, y3 := y(i), y(i+1), y(i+2), y(i+3)
			for m := range sums {
				sums[m] += (p0 + p1) + (p2 + p3)
				p0, p1, p2, p3 = p0*y0, p1*y1, p2*y2, p3*y3
			}
		}
		for ; i < inBlock; i++ {
			p, y := values[i], y(i)
			for m := range sums {
				sums[m] += p
				p *= y
			}
		}
		for m, s := range sums {
			b.moments[m][number] += s
		}
		values = values[inBlock:]
		if cell += inBlock; cell == b.n {
			cell = 0
		}
	}
}
