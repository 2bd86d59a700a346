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
	panicked sync.Mutex // locked by the first goroutine that panicked, and never unlocked
)

// OnPanic sets the function that ends the process when a goroutine with Guard panics. The function gets an error with
// code Internal. The error names the place of the panic and the type of its value, but not the value, which may hold
// private data.
func OnPanic(end func(err error)) { onPanic.Store(&end) }

// Guard handles a goroutine's panics. The goroutine's first function must defer Guard after its other defers, so that
// Guard runs before them. A channel that they close would tell other goroutines that the work is done. Guard passes a
// panic to the function that OnPanic set, and then never returns. Without such a function, as in tests of packages, the
// panic continues. Panics on goroutines of libraries, and fatal errors of Go's runtime (concurrent writes to a map, no
// memory), end with Go's own exit code 2.
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

// maxCallers bounds the number of functions in the report on a panic.
const maxCallers = 32

// callers returns the functions on the stack of the panic, the innermost first. Guard must call it.
func callers() string {
	pcs := make([]uintptr, maxCallers)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)]) // without callers and Guard
	var places []string
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			places = append(places, fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line))
		}
	}
	return strings.Join(places, ", called by ")
}
