package plan

import (
	"fmt"
	"strconv"
	"strings"

	"privpipe/pipelines/event"
)

// statistic is a flag of the form NAME=BOUND.
type statistic event.Statistic

// MarshalText implements encoding.TextMarshaler, for --print-config.
func (s statistic) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s=%v", s.Name, s.Bound), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *statistic) UnmarshalText(text []byte) error {
	name, bound, ok := strings.Cut(string(text), "=")
	value, err := strconv.ParseFloat(bound, 64)
	if !ok || err != nil || name == "" {
		return fmt.Errorf("%q is not NAME=BOUND, such as counts=0.5", text)
	}
	*s = statistic{name, value}
	return nil
}
