package calculator

import (
	"bytes"
	"fmt"
	"strconv"
)

// Fraction is S/N as a flag.
type Fraction struct{ Size, Of uint64 }

// MarshalText implements encoding.TextMarshaler, for --print-config.
func (f Fraction) MarshalText() ([]byte, error) {
	if f.Of == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d/%d", f.Size, f.Of), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Fraction) UnmarshalText(text []byte) error {
	a, b, ok := bytes.Cut(text, []byte{'/'})
	size, err1 := strconv.ParseUint(string(a), 10, 64)
	of, err2 := strconv.ParseUint(string(b), 10, 64)
	if !ok || err1 != nil || err2 != nil || of == 0 {
		return fmt.Errorf("%q is not S/N, such as 20000/400000", text)
	}
	*f = Fraction{size, of}
	return nil
}
