package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"privpipe/pipelines/event"
)

// statistic is NAME=BOUND as a flag.
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

// fraction is S/N as a flag.
type fraction struct{ size, of uint64 }

// MarshalText implements encoding.TextMarshaler, for --print-config.
func (f fraction) MarshalText() ([]byte, error) {
	if f.of == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d/%d", f.size, f.of), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *fraction) UnmarshalText(text []byte) error {
	a, b, ok := bytes.Cut(text, []byte{'/'})
	size, err1 := strconv.ParseUint(string(a), 10, 64)
	of, err2 := strconv.ParseUint(string(b), 10, 64)
	if !ok || err1 != nil || err2 != nil || of == 0 {
		return fmt.Errorf("%q is not S/N, such as 20000/400000", text)
	}
	*f = fraction{size, of}
	return nil
}
