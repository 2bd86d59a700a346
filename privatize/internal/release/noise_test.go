package release

import (
	"math"
	"math/big"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/cryptotest"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/noise"
)

// TestScaleOfNoise: each sampler has the charged scale, to the last entry of its table. So have the twins that draw.
// Off the diagonal, a cell's sampler has the least whole scale with a square of at least half the charged scale's
// square. Package noise tests the draws that a sampler makes at one scale. Nothing is drawn here, so a scale that is
// off by one is seen.
func TestScaleOfNoise(t *testing.T) {
	for _, mechanism := range []string{event.Gaussian, event.Laplace} {
		for _, multiplier := range []float64{0x1p-20, 1e-4, 0.3, 1, 1.24, 3, 777.7} {
			for _, clip := range []float64{1, 0.25, 3, 100} {
				for _, symmetric := range []bool{false, true} {
					terms := newTerms(newGrant(func(g *event.Grant) {
						g.Mechanism, g.NoiseMultiplier, g.Clip = mechanism, multiplier, clip
					}))
					if symmetric {
						terms = shaped(terms, symmetrics(1, 3)...)
					}
					p := open(t, newLedger(t), terms)
					if _, err := p.Begin(1, poisson); err != nil {
						t.Fatal(err)
					}
					charged := p.charge.Scale
					p.Close()
					if float64(charged) < multiplier*float64(p.limit.bound) {
						t.Errorf("%s × %v: charged a scale of %d", mechanism, multiplier, charged)
					}
					want := noises{cell: newSampler(mechanism, charged)}
					if symmetric && mechanism == event.Gaussian {
						want.pair = noise.NewGaussian(halved(charged))
					}
					if !reflect.DeepEqual(p.noise, want) {
						t.Errorf("%s × %v, clip %v, symmetric %v: the samplers are not those of the scale that is "+
							"charged",
							mechanism, multiplier, clip, symmetric)
					}
					if !reflect.DeepEqual(p.noise.cell.Twin(), want.cell) {
						t.Errorf("%s × %v: the twin is not of the scale that is charged", mechanism, multiplier)
					}
					if want.pair != nil && !reflect.DeepEqual(p.noise.pair.Twin(), want.pair) {
						t.Errorf("%s × %v: the twin off the diagonal is not of its scale", mechanism, multiplier)
					}
				}
			}
		}
	}
}

func newSampler(mechanism string, scale uint64) noise.Sampler {
	if mechanism == event.Laplace {
		return noise.NewLaplace(scale)
	}
	return noise.NewGaussian(scale)
}

// halved returns the least s with 2s² ≥ scale², by whole numbers.
func halved(scale uint64) uint64 {
	x := new(big.Int).SetUint64(scale)
	x.Mul(x, x).Add(x, big.NewInt(1)).Rsh(x, 1) // ⌈scale²/2⌉
	s := new(big.Int).Sqrt(x)
	if new(big.Int).Mul(s, s).Cmp(x) < 0 {
		s.Add(s, big.NewInt(1))
	}
	return s.Uint64()
}

// numbers is noise with the draws 1, 2, 3, …, counted over all of its twins. So a sum tells which draws are in it.
type numbers struct{ drawn, twins *atomic.Int64 }

func newNumbers() *numbers { return &numbers{new(atomic.Int64), new(atomic.Int64)} }

func (n *numbers) Next() int64 { return n.drawn.Add(1) }

func (n *numbers) Twin() noise.Sampler {
	n.twins.Add(1)
	return &numbers{n.drawn, n.twins}
}

// mostWorkers is up to how many workers the tests below share the cells out to.
const mostWorkers = 9

// eachShare calls test for each number of workers, and of cells to be shared out to them: primes too, and fewer than
// workers.
func eachShare(test func(workers, cells int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for workers := 1; workers <= mostWorkers; workers++ {
		runtime.GOMAXPROCS(workers)
		for cells := range 54 {
			test(workers, cells)
		}
	}
}

// TestEachCellIsDrawnForOnce: however many workers share the cells, every cell gets one draw, of its own kind of noise,
// and no draw goes to two cells or to none.
func TestEachCellIsDrawnForOnce(t *testing.T) {
	eachShare(func(workers, cells int) {
		for _, symmetric := range []bool{false, true} {
			n, twice := noises{cell: newNumbers()}, []bool(nil)
			if symmetric {
				n.pair, twice = newNumbers(), make([]bool, cells)
				for i := range twice {
					twice[i] = i%3 != 0
				}
			}
			sum := make([]int64, cells)
			if err := n.add(sum, twice); err != nil {
				t.Fatal(err)
			}
			for kind, sampler := range []noise.Sampler{n.cell, n.pair} {
				var got []int64
				for i, v := range sum {
					if (twice != nil && twice[i]) == (kind == 1) {
						got = append(got, v)
					}
				}
				slices.Sort(got)
				for i, v := range got {
					if v != int64(i+1) {
						t.Fatalf("%d workers, %d cells, kind %d: the draws in the cells are %v", workers, cells, kind,
							got)
					}
				}
				if s, ok := sampler.(*numbers); ok {
					if drawn := int(s.drawn.Load()); drawn != len(got) {
						t.Errorf("%d workers, %d cells, kind %d: %d draws", workers, cells, kind, drawn)
					}
					if twins := int(s.twins.Load()); twins != workers {
						t.Errorf("%d workers draw from %d twins: a sampler is not for several goroutines", workers,
							twins)
					}
				}
			}
		}
	})
}

// TestEveryCellGetsNoise is the same with the noise itself. In two rounds of nothing but noise, each cell has some, and
// no two cells have the same noise. A draw of scale 2^30 is a given number with a probability below 2^-31, for Laplace
// noise as well. So both draws for one cell are 0 with a probability below 2^-62. The draws for two cells are equal in
// both rounds with a probability below 2^-62. There are 25,758 cells in all and fewer than 447,000 pairs: a sound
// program fails with a probability below 2^-43.
func TestEveryCellGetsNoise(t *testing.T) {
	const scale = 1 << 30
	for name, sampler := range map[string]noise.Sampler{"gaussian": noise.NewGaussian(scale),
		"laplace": noise.NewLaplace(scale)} {
		n := noises{cell: sampler, pair: noise.NewGaussian(scale)}
		eachShare(func(workers, cells int) {
			first, second := make([]int64, cells), make([]int64, cells)
			twice := make([]bool, cells)
			for i := range twice {
				twice[i] = i%2 == 0
			}
			for _, sum := range [][]int64{first, second} {
				if err := n.add(sum, twice); err != nil {
					t.Fatal(err)
				}
			}
			seen := make(map[[2]int64]int)
			for i := range cells {
				draws := [2]int64{first[i], second[i]}
				if draws == [2]int64{} {
					t.Errorf("%s, %d workers: cell %d of %d gets no noise", name, workers, i, cells)
				}
				if other, known := seen[draws]; known {
					t.Errorf("%s, %d workers: cells %d and %d of %d get the same noise", name, workers, other, i, cells)
				}
				seen[draws] = i
			}
		})
	}
}

// TestOverflowOfNoise: noise that takes a sum beyond 64 bits ends the round, whichever worker sees it.
func TestOverflowOfNoise(t *testing.T) {
	eachShare(func(_, cells int) {
		if cells == 0 {
			return
		}
		sum := make([]int64, cells)
		sum[cells-1] = math.MaxInt64
		wantCode(t, noises{cell: newNumbers()}.add(sum, nil), 90)
	})
}

// fixedStream has noise drawn from a fixed stream, in the order of the cells, until the test ends.
func fixedStream(t *testing.T) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 1)
	processors := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(processors) })
}

// TestNoiseOfNoOther: sums get noise by a mechanism that has a case of its own, and by no other: not by one that a
// grant may name for something else, nor by a name that is not in the table.
func TestNoiseOfNoOther(t *testing.T) {
	for _, name := range append(event.Mechanisms(), "skellam", "") {
		g := &event.Grant{Mechanism: name, NoiseMultiplier: 2, Flip: 0.25}
		_, err := newNoises(g, false)
		if known := name == event.Gaussian || name == event.Laplace; known != (err == nil) {
			t.Errorf("noise of %q: %v", name, err)
		}
	}
}
