package filter

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// A Mover is a command that lost flags, or their values, to other commands in its program.
type Mover interface {
	// Moved returns a hint that says where a flag is now, or its value, as "--flag=value". It returns "" for what the
	// command never had.
	Moved(flag string) string
}

// notOneOf is the error of kong for a value that an enumerated flag does not have.
var notOneOf = regexp.MustCompile(`^(--\S+) must be one of .* but got "(.*)"$`)

// hintOf returns the hint for an error in the command line.
func hintOf(stage Stage, err error) string {
	var wrong *kong.ParseError
	flag, unknown := strings.CutPrefix(err.Error(), "unknown flag ")
	flag, _, _ = strings.Cut(flag, ",")
	if value := notOneOf.FindStringSubmatch(err.Error()); value != nil {
		flag, unknown = value[1]+"="+value[2], true
	}
	if unknown && errors.As(err, &wrong) && wrong.Context != nil {
		if chosen := wrong.Context.Selected(); chosen != nil && chosen.Target.CanAddr() {
			if mover, ok := chosen.Target.Addr().Interface().(Mover); ok && mover.Moved(flag) != "" {
				return mover.Moved(flag)
			}
		}
	}
	return commandOf(stage, err) + " --help lists the flags"
}
