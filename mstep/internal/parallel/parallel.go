// Package parallel does parts of one computation on all cores, with the same result on any number of cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"

	"privpipe/pipelines/exit"
)

// Pieces is the largest number of parts. It is the same on every machine, because a sum over the parts must not depend
// on the number of cores.
const Pieces = 64

// Each splits [0, n) into at most Pieces parts with about equal lengths. It calls work for each part that is not empty:
// from ≤ i < to, and piece in [0, Pieces). It returns after all calls have returned.
func Each(n int, work func(piece, from, to int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(Pieces, n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer exit.Guard()
			for piece := int(next.Add(1)) - 1; piece < Pieces; piece = int(next.Add(1)) - 1 {
				if from, to := n*piece/Pieces, n*(piece+1)/Pieces; from < to {
					work(piece, from, to)
				}
			}
		})
	}
	group.Wait()
}
