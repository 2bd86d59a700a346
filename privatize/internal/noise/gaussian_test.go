package noise

import "testing"

// Each branch of Next. At σ = 128 the width is 2; x = 3 is j = 1 and u = 1, with the exponent 1·(2·2·1 + 1)/(2·128²) =
// 5/32768, of which the first digit in base 2^16 is 10 and the others 0. The largest exponent of j = 1 is below
// 12/32768, with the digit 24.
func TestGaussianTakesEachBranch(t *testing.T) {
	g := NewGaussian(128)
	checkScripted(t, g, []scripted{
		{"digit not asked about", [][]byte{g.word(1, 1, 25, false)}, 3},
		{"digit fails the first trial", [][]byte{g.word(1, 1, 24, false)}, 3},
		{"negative", [][]byte{g.word(1, 1, 25, true)}, -3},
		{"u = 0 has exponent 0", [][]byte{g.word(1, 0, 0, false), digits(1)}, 2},
		{"zero", [][]byte{g.word(0, 0, 0xffff, false)}, 0},
		{"−0 is drawn again", [][]byte{g.word(0, 0, 0xffff, true), g.word(2, 0, 0xffff, true)}, -4},
		{"second trial fails at 1/2: rejected", [][]byte{
			g.word(1, 1, 3, true), digits(0xffff),
			g.word(2, 1, 0xffff, false),
		}, 5},
		{"second trial fails at 5/32768: rejected", [][]byte{
			g.word(1, 1, 3, true), digits(0, 11),
			g.word(0, 1, 0xffff, false),
		}, 1},
		{"third trial fails: accepted", [][]byte{g.word(1, 1, 3, true), digits(0, 0, 0xffff)}, -3},
		{"fourth trial fails: rejected", [][]byte{
			g.word(1, 1, 3, true), digits(0, 0, 0, 0, 0xffff),
			g.word(3, 0, 0xffff, false),
		}, 6},
		{"first digits equal: the second fails", [][]byte{g.word(1, 1, 10, false), digits(1)}, 3},
		{"two digits equal: the third fails", [][]byte{g.word(1, 1, 10, false), digits(0, 1)}, 3},
	})
}

// Beyond the table the acceptance is j + 1 trials: j of exp(−2uw/d) and one of exp(−u²/d), d = 2σ². A trial with a
// large digit fails its first comparison, and so is accepted. At σ = 512 and u = 3, w is 8. The exponents are then
// 48/2^19 and 9/2^19, and their first digits are 6 and 1.
func TestGaussianBeyondTheTable(t *testing.T) {
	g := NewGaussian(512)
	j := uint64(len(g.reject))
	large := make([]byte, 2*j)
	for i := range large {
		large[i] = 0xff
	}
	for _, c := range []struct {
		name   string
		script [][]byte
		digit  uint64
		want   bool
	}{
		{"all accept", [][]byte{large}, 0xffff, true},
		{"the first rejects", [][]byte{digits(5, 0xffff)}, 0xffff, false},
		{"the last of the j rejects", [][]byte{large[2:], digits(5, 0xffff)}, 0xffff, false},
		{"the square rejects", [][]byte{large, digits(0xffff)}, 0, false},
		{"the square accepts", [][]byte{large}, 2, true},
	} {
		var b []byte
		for _, part := range c.script {
			b = append(b, part...)
		}
		g.random = script(b)
		if got := g.accept(j, 3, c.digit); got != c.want || g.random.rest != 0 {
			t.Errorf("%s: %v, %d bytes not asked for", c.name, got, g.random.rest)
		}
	}
}

// As many are accepted by the j + 1 trials as by one: an exponent that the table has, made as if it had not.
func TestGaussianBeyondTheTableAgrees(t *testing.T) {
	const draws = 10_000
	g := kinds[0].onFixedStream(1 << 20).(*Gaussian)
	j, u := uint64(600), uint64(1)<<g.shift-1
	count := [2]float64{}
	for i := range count {
		for range draws {
			if g.accept(j, u, g.random.uint16()) {
				count[i]++
			}
		}
		g.reject = g.reject[:j] // now j is beyond
	}
	difference, p := count[0]-count[1], (count[0]+count[1])/(2*draws)
	if z := difference * difference / (2 * draws * p * (1 - p)); z > normalQuantile*normalQuantile || p > 0.95 {
		t.Errorf("%v of %d", count, draws)
	}
}
