package parallel

import (
	"runtime"
	"testing"
)

// TestEach: each number once, on any number of processors.
func TestEach(t *testing.T) {
	for _, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		for _, n := range []int{0, 1, 3, 1000} {
			calls := make([]int, n)
			Each(n, func(i int) { calls[i]++ })
			for i, c := range calls {
				if c != 1 {
					t.Errorf("%d processors: %d of %d is called %d times", processors, i, n, c)
				}
			}
		}
		runtime.GOMAXPROCS(before)
	}
}
