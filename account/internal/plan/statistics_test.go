package plan

import (
	"fmt"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

func TestParseStatistics(t *testing.T) {
	matrices, bounds, err := parseStatistics(strings.NewReader("# statistics\n\n z=1x50  7.5 \r\ny=2xV,symmetric 1e-3"),
		"f")
	if got, want := fmt.Sprint(matrices, bounds, err),
		"[{z 1 50 false} {y 2 V true}] [{z 7.5} {y 0.001}] <nil>"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	for text, want := range map[string]string{
		"":                         "f: names no statistic",
		"# only this":              "f: names no statistic",
		"z=1x2 3\nz=1x2":           "f: line 2: \"z=1x2\" is not NAME=RxC BOUND, such as z=1x50 7.5",
		"z=1 3":                    "f: line 1: \"z=1 3\" is not",
		"z=1x2 3 4":                "f: line 1: \"z=1x2 3 4\" is not",
		"z=7.5":                    "f: line 1: \"z=7.5\" is not",
		strings.Repeat("x", 1<<17): "f: line 1 is too long",
		strings.Repeat("z=1x1 1\n", wire.MaxMatrices+1): "f: line 65: more than 64 matrices",
	} {
		if _, _, err := parseStatistics(strings.NewReader(text), "f"); err == nil ||
			!strings.HasPrefix(err.Error(), want) || exit.Code(err) != exit.Malformed {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseStatistics: a file that can be read gives as many matrices as bounds, of the same names. The matrices and
// bounds can be written and read again.
func FuzzParseStatistics(f *testing.F) {
	for _, seed := range []string{"z=1x50 7.5\ny=1xV 28\n", "s2=VxV,symmetric 0.25", "#\n", "a=b=1x1 1", "z=1x1 NaN",
		"z=1x1\t1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		matrices, bounds, err := parseStatistics(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		var again strings.Builder
		for i, m := range matrices {
			shape, _ := m.MarshalText()
			fmt.Fprintf(&again, "%s %v\n", shape, bounds[i].Bound)
			if m.name != bounds[i].Name {
				t.Fatalf("matrix %q has the bound of %q", m.name, bounds[i].Name)
			}
		}
		if m, b, err := parseStatistics(strings.NewReader(again.String()), "f"); err != nil ||
			fmt.Sprint(m, b) != fmt.Sprint(matrices, bounds) {
			t.Errorf("%q was read as %q, which is read as %v, %v, %v", text, again.String(), m, b, err)
		}
	})
}
