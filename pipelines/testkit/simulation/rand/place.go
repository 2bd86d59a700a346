package rand

import (
	"runtime"
	"strings"
)

// place returns the function outside of this package that wants random bytes. Its draws do not depend on those of other
// places.
func place() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "simulation/rand.") && !strings.HasPrefix(f.Function, "io.") || !more {
			return f.Function
		}
	}
}
