package filter

import (
	"os"
	"runtime"
	"runtime/debug"
)

// lateGrowth is by how many percent the heap may grow before the first collection, which is then at 16 MB instead of Go's 4 MB.
const lateGrowth = 400

// collectLater makes the first collection of garbage wait: a command that is done before needs none, and a collection costs as much
// as the rest of a short command. After the first collection Go's own rule holds. What the environment sets is left as it is.
func collectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual := debug.SetGCPercent(lateGrowth)
	runtime.AddCleanup(new(collected), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// collected is what the first collection frees. It holds a pointer, so that no other object shares its memory.
type collected struct{ _ *collected }
