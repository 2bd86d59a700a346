// Package lazy compiles regular expressions when they are first used. A run needs few of them, and all together they
// would take a tenth of the stage's start.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. The first call compiles it, and panics if it is
// wrong.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(expression)
	})
}
