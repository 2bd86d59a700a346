// Package parallel runs work on several goroutines, with the same result on any number of processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"

	"privpipe/pipelines/exit"
)

// Each calls f for the numbers below n, and returns when all calls have returned. A call must write only to memory of
// its own, so that results do not depend on the number of processors.
func Each(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			defer exit.Guard()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wait.Wait()
}
