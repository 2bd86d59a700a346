package filter

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"
)

// A Mover is a command that lost flags to other commands of its program.
type Mover interface {
	// Moved returns a hint that says where a flag is now. It returns "" for a flag that the command never had.
	Moved(flag string) string
}

// hintOf returns the hint for an error in the command line.
func hintOf(stage Stage, err error) string {
	var wrong *kong.ParseError
	if flag, unknown := strings.CutPrefix(err.Error(), "unknown flag "); unknown && errors.As(err, &wrong) &&
		wrong.Context != nil {
		if chosen := wrong.Context.Selected(); chosen != nil && chosen.Target.CanAddr() {
			flag, _, _ = strings.Cut(flag, ",")
			if mover, ok := chosen.Target.Addr().Interface().(Mover); ok && mover.Moved(flag) != "" {
				return mover.Moved(flag)
			}
		}
	}
	return commandOf(stage, err) + " --help lists the flags"
}
