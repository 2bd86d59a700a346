package calculate

import (
	"math"
	"strings"
	"testing"
)

// TestSizeFaults: a text is refused only where the release leaves no doubt, which is two standard deviations beyond a
// limit.
func TestSizeFaults(t *testing.T) {
	flags := sizeFlags{MinDocuments: 1000, MinCoverage: 0.4, MaxEmpty: 0.5}
	good := textSize{
		Documents: noisy{5000, 100}, Empty: noisy{0.1, 0.02}, Words: noisy{40, 1}, Coverage: noisy{0.5, 0.02},
	}
	for name, c := range map[string]struct {
		change func(*textSize)
		want   string // "": none
	}{
		"good": {func(*textSize) {}, ""},
		"few": {func(s *textSize) { s.Documents.Value = 799 },
			"799 ± 100 documents or users, fewer than 1000 (account advise --min-documents)"},
		"perhaps few": {func(s *textSize) { s.Documents.Value = 801 }, ""},
		"none":        {func(s *textSize) { s.Documents.Value = -150 }, "-150 ± 100 documents"},
		"another language": {func(s *textSize) { s.Coverage.Value = 0.35 },
			"a share of 0.350 ± 0.020 of the words of a document, less than --min-coverage 0.4"},
		"perhaps another": {func(s *textSize) { s.Coverage.Value = 0.37 }, ""},
		"empty": {func(s *textSize) { s.Empty.Value = 0.55 },
			"a share of 0.550 ± 0.020 of the documents has no word of the vocabulary"},
		"perhaps empty": {func(s *textSize) { s.Empty.Value = 0.53 }, ""},
		"exact":         {func(s *textSize) { s.Documents = noisy{999, 0} }, "999.00 ± 0.00 documents"},
		"unknown shares": {func(s *textSize) {
			s.Coverage, s.Empty = noisy{0, math.MaxFloat64}, noisy{1, math.MaxFloat64}
		}, ""},
	} {
		s := good
		c.change(&s)
		faults, hints := flags.faults(&s)
		if got := strings.Join(faults, "; "); len(faults) != len(hints) || (c.want == "") != (got == "") ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
