package testkit

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// Tests interrupt stages as a terminal does. A test command in the background of a script ignores SIGINT, and stages
// that it starts would also ignore it: a process inherits ignored signals, but no handlers. So the test handles SIGINT
// instead.
func init() {
	// and no stage that the test binary plays
	tests := slices.ContainsFunc(os.Args, func(a string) bool { return strings.HasPrefix(a, "-test.") })
	if tests && signal.Ignored(syscall.SIGINT) {
		handled := make(chan os.Signal, 1)
		signal.Notify(handled, syscall.SIGINT)
		go func() {
			<-handled
			os.Exit(130)
		}()
	}
}
