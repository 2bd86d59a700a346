package main

import (
	"encoding/hex"
	"strings"
	"testing"

	"privpipe/evaluate/internal/released"
	"privpipe/evaluate/report"
	"privpipe/pipelines/event"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestUnmarkable: each condition of the proof, alone, forbids marks.
func TestUnmarkable(t *testing.T) {
	signed := *lda.Family
	signed.NonNegative = false
	increments := &wire.Parameters{Scalars: []*wire.Scalar{{Name: lda.CountsVariance.Name}}}
	type c struct {
		lines []*event.Line // of charges
		grant *event.Grant
		file  *modelfile.File
	}
	copied := func(of *event.Line) *event.Charge {
		charge := *of.Charge
		return &charge
	}
	for name, x := range map[string]struct {
		change func(*c)
		want   string
	}{
		"nothing":  {func(*c) {}, ""},
		"no grant": {func(x *c) { x.grant.ID = "other" }, "without a grant"},
		"several grants": {func(x *c) {
			charge := copied(x.lines[0])
			charge.Grant = "evening"
			x.lines[0] = &event.Line{Charge: charge}
		}, "several grants"},
		"a second attempt": {func(x *c) {
			charge := copied(x.lines[1])
			charge.Attempt = 2
			x.lines = append(x.lines, &event.Line{Charge: charge})
		}, "more than once"},
		"a round of two data sets": {func(x *c) {
			charge := copied(x.lines[1])
			charge.Dataset = "another"
			x.lines = append(x.lines, &event.Line{Charge: charge})
		}, "more than once"},
		"words":         {func(x *c) { x.grant.Unit = event.Word }, "single words"},
		"no vocabulary": {func(x *c) { x.grant.Vocabulary = "" }, "vocabulary"},
		"another vocabulary": {func(x *c) { x.grant.Vocabulary = hex.EncodeToString(vocab.Hash()) },
			"vocabulary"},
		"no family":            {func(x *c) { x.grant.Model = "" }, "family"},
		"signed":               {func(x *c) { x.file.Family = &signed }, "may be negative"},
		"signed, and cut at 0": {func(x *c) { x.file.Family, x.grant.NonNegative = &signed, true }, ""},
		"increments": {func(x *c) { x.file.Set.Parameters = increments },
			"increments of counts, which may be negative"},
		"increments, and cut at 0": {func(x *c) { x.file.Set.Parameters, x.grant.NonNegative = increments, true }, ""},
		"an earlier model": {func(x *c) { x.file.Set.Round = 3 },
			"of round 3, and the last round that the ledger charges to its run is 4"},
		"a later model": {func(x *c) { x.lines = x.lines[:3] },
			"of round 4, and the last round that the ledger charges to its run is 3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReported("lda", hostile, 3, "d")
			at := &c{r.ledger.Lines[2:], r.ledger.Lines[1].Grant, &modelfile.File{
				Family: lda.Family, Words: hostile, Set: &stream.Set{Round: reportRounds},
			}}
			x.change(at)
			run, err := released.Of(&event.Ledger{Lines: append([]*event.Line{{Grant: at.grant}}, at.lines...)},
				"monday")
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Unmarkable(run, at.file); (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
}
