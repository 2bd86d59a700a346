package calculator

import (
	"testing"
)

func TestFraction(t *testing.T) {
	var f Fraction
	if err := f.UnmarshalText([]byte("20/400")); err != nil || f != (Fraction{20, 400}) {
		t.Errorf("20/400 is %v, %v", f, err)
	}
	for _, text := range []string{
		"", "/", "20", "20/", "/400", "20/0", "-1/4", "1/4/5", "0.5/4", "1 /4", "1/18446744073709551616",
	} {
		if err := f.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
