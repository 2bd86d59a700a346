package exit

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// Garbage is collected seldom in a small heap, and often in a heap with large matrices. If the environment sets GOGC or
// GOMEMLIMIT, that setting holds.

// The heap growth, in percent, that starts a garbage collection. lateGrowth holds before the first collection, which
// then comes at 16 MB instead of Go's 4 MB. matrixGrowth holds if the heap is mostly large matrices.
const (
	lateGrowth   = 400
	matrixGrowth = 25
)

// largeMatrices is the number of cells from where on matrices are most of the heap: 32 MB of sums.
const largeMatrices = 4 << 20

// growth is the growth that holds after the first collection.
var growth atomic.Int64

// DelayCollection delays the first garbage collection. A command that is done before it needs none, and a collection
// costs as much as the rest of a short command. After the first collection Go's own rule holds.
func DelayCollection() {
	if given() {
		return
	}
	growth.Store(int64(debug.SetGCPercent(lateGrowth)))
	runtime.AddCleanup(new(collected), func(*atomic.Int64) { debug.SetGCPercent(int(growth.Load())) }, &growth)
}

// CollectOften makes collections more frequent if a run's matrices have many cells. Garbage is then matrices, too, as
// large as the ones in use. A collection does not look into matrices, so it costs little.
func CollectOften(cells uint64) {
	if cells >= largeMatrices && !given() {
		growth.Store(matrixGrowth)
		debug.SetGCPercent(matrixGrowth)
	}
}

// given says whether the environment rules collections.
func given() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// collected is the object that the first collection frees. It holds a pointer, so that no other object shares its
// memory.
type collected struct{ _ *collected }
