// Package heap says when garbage is collected: seldom in a small heap, and often in one of large matrices. What the environment sets by GOGC or
// GOMEMLIMIT is left as it is.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// The growth of the heap, in percent, at which garbage is collected: before the first collection, so that this is at 16 MB instead of Go's
// 4 MB, and where the heap is large matrices.
const (
	lateGrowth   = 400
	matrixGrowth = 25
)

// largeMatrices is from how many cells on matrices are most of a heap: 32 MB of sums.
const largeMatrices = 4 << 20

// growth is that after the first collection.
var growth atomic.Int64

// Wait makes the first collection of garbage wait: a command that is done before needs none, and a collection costs as much as the rest of a
// short command. After the first collection Go's own rule holds.
func Wait() {
	if given() {
		return
	}
	growth.Store(int64(debug.SetGCPercent(lateGrowth)))
	runtime.AddCleanup(new(collected), func(*atomic.Int64) { debug.SetGCPercent(int(growth.Load())) }, &growth)
}

// Hold makes collections more frequent if the matrices of a run have many cells: then garbage is matrices, too, as large as what is
// in use. A collection does not look into matrices, so it costs little.
func Hold(cells uint64) {
	if cells >= largeMatrices && !given() {
		growth.Store(matrixGrowth)
		debug.SetGCPercent(matrixGrowth)
	}
}

// given says whether the environment rules collections.
func given() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// collected is what the first collection frees. It holds a pointer, so that no other object shares its memory.
type collected struct{ _ *collected }
