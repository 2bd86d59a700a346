package release

import (
	"runtime"
	"sync"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/noise"
)

// noises are the samplers for one run.
type noises struct {
	cell noise.Sampler
	// pair is for a cell that stands for two cells in a symmetric matrix. With scale ⌈σ/√2⌉ its loss for a difference
	// of d is at most d²/σ² = 2d²/(2σ²), which is the loss of both cells together. So the loss of all cells is the loss
	// for an L2 norm that counts the cell twice.
	pair noise.Sampler
}

// newNoises returns the samplers for a grant that NewCollector took.
func newNoises(g *event.Grant, symmetric bool) (noises, error) {
	_, scale := g.Steps()
	if scale < 1 || scale > noise.MaxScale {
		return noises{}, book.Refuse("noise multiplier %v is outside the range of this mechanism", g.NoiseMultiplier)
	}
	switch g.Mechanism {
	case event.Laplace:
		return noises{cell: noise.NewLaplace(scale)}, nil
	case event.Gaussian:
		n := noises{cell: noise.NewGaussian(scale)}
		if symmetric {
			n.pair = noise.NewGaussian(event.OffDiagonalScale(scale))
		}
		return n, nil
	}
	return noises{}, book.Refuse("no noise for sums by %s", g.Mechanism)
}

// add adds independent noise to every cell, including cells that no unit touched. twice marks the cells that take pair.
func (n noises) add(cells []int64, twice []bool) error {
	workers := runtime.GOMAXPROCS(0)
	share := (len(cells) + workers - 1) / workers
	errs, panics := make([]error, workers), make([]any, workers)
	var group sync.WaitGroup
	for w := range workers {
		from, to := min(w*share, len(cells)), min((w+1)*share, len(cells))
		group.Go(func() {
			// The panic is passed on to the caller's goroutine, and ends the process there.
			defer func() { panics[w] = recover() }()
			errs[w] = n.addTo(cells, twice, from, to)
		})
	}
	group.Wait()
	for w, err := range errs {
		if panics[w] != nil {
			panic(panics[w])
		}
		if err != nil {
			return mismatch(err)
		}
	}
	return nil
}

// addTo adds noise to the cells in [from, to).
func (n noises) addTo(cells []int64, twice []bool, from, to int) error {
	sum, cell := fixed.Sum{Cells: cells}, n.cell.Twin()
	var pair noise.Sampler
	if twice != nil {
		pair = n.pair.Twin()
	}
	for i := from; i < to; i++ {
		sampler := cell
		if twice != nil && twice[i] {
			sampler = pair
		}
		if err := sum.Add(i, sampler.Next()); err != nil {
			return err
		}
	}
	return nil
}
