package exit

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	onPanic  atomic.Pointer[func(error)]
	panicked sync.Mutex // held for good by the first goroutine that panicked
)

// OnPanic sets the function that ends the process when a goroutine panics that has Guard. It gets an error of code Internal,
// which says where the panic was and of which type its value is: the value itself may hold private data.
func OnPanic(end func(err error)) { onPanic.Store(&end) }

// Guard is deferred by the function that a goroutine begins with, behind its other defers, so that it comes before them: what
// they close would tell others that the work is done. It hands a panic to the function of OnPanic, and never returns then.
// Without such a function, as in tests of packages, the panic goes on. Panics on goroutines of libraries, and what Go's runtime
// cannot recover from (concurrent writes to a map, no memory), end with Go's own exit code 2.
func Guard() {
	value := recover()
	if value == nil {
		return
	}
	end := onPanic.Load()
	if end == nil {
		panic(value)
	}
	panicked.Lock()
	(*end)(Errorf(Internal, "a bug: panic of type %T in %s", value, callers()).
		WithHint("report these lines: they name places in the program, and hold nothing of its data"))
	select {}
}

// maxCallers bounds what a report of a panic tells.
const maxCallers = 32

// callers are the functions that a deferred function's panic came through, the innermost first.
func callers() string {
	pcs := make([]uintptr, maxCallers)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // without this one and Guard
	var places []string
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			places = append(places, fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line))
		}
	}
	return strings.Join(places, ", called by ")
}
