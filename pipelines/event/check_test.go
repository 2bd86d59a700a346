package event

import (
	"math"
	"strings"
	"testing"
)

// expect checks that err names the rule; "" expects none.
func expect(t *testing.T, err error, rule string) {
	t.Helper()
	if (err == nil) != (rule == "") || err != nil && !strings.Contains(err.Error(), rule) {
		t.Errorf("got error %v, want one about %q", err, rule)
	}
}

func TestChecksOfNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		check     func(float64) error
		good, bad []float64
	}{
		{CheckEpsilon, []float64{5e-324, 1, math.MaxFloat64}, []float64{nan, inf, -inf, 0, -1}},
		{CheckClip, []float64{5e-324, 1, math.MaxFloat64}, []float64{nan, inf, -inf, 0, -1}},
		{CheckNoiseMultiplier, []float64{5e-324, 1, math.MaxFloat64}, []float64{nan, inf, -inf, 0, -1}},
		{CheckDelta, []float64{5e-324, 0.5, math.Nextafter(1, 0)}, []float64{nan, inf, -inf, 0, -1, 1}},
		{CheckRate, []float64{5e-324, 0.5, 1}, []float64{nan, inf, -inf, 0, -1, math.Nextafter(1, 2)}},
	} {
		for _, v := range c.good {
			expect(t, c.check(v), "")
		}
		for _, v := range c.bad {
			expect(t, c.check(v), "must be ")
		}
	}
	for rounds, ok := range map[int]bool{1: true, MaxRounds: true, 0: false, -1: false, MaxRounds + 1: false} {
		if err := CheckRounds(rounds); (err == nil) != ok {
			t.Errorf("%d rounds: %v", rounds, err)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, rule := range map[string]string{
		"a": "", "Run-2026.11_21": "", strings.Repeat("x", 64): "",
		"": "1 to 64", strings.Repeat("x", 65): "1 to 64",
		".": "point", "..": "point", ".hidden": "point",
		"a/b": "letters", `a\b`: "letters", "a b": "letters", "é": "letters", "a\x00": "letters", "a\n": "letters",
	} {
		expect(t, CheckName(name), rule)
	}
}
