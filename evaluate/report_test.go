package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/evaluate/internal/page"
	"privpipe/evaluate/internal/released"
	"privpipe/evaluate/report"
	"privpipe/pipelines/event"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// hostile are words that would be markup, script, style or template if a page did not escape them.
var hostile = vocabulary.Words{
	"<script>alert(1)</script>", "</script><img/src=x/onerror=alert(2)>", `"onmouseover="alert(3)`, "'-alert(4)-'",
	"{{.Secret}}",
	"</style><svg/onload=alert(5)>", "]]>--><!--", `\u003cscript\u003e`,
}

// A reported is a small ledger, its releases, and what belongs to them.
type reported struct {
	ledger event.Ledger
	bytes  []byte

	header *wire.Header // of its stream of releases
	heads  []*wire.Release
	cells  [][]byte // of each release
}

const reportRounds = 4

// newReported charges four rounds of one run for model name over words. The topics have rows × len(words) cells. Topic
// 0 has 900,000 steps of word 0 in each round, and no other cell has any. The noise in each cell has σ = 2,048 steps.
func newReported(name string, words vocabulary.Words, rows int, dataset string) *reported {
	statistic := map[string]string{"lda": lda.Topics, "words": "words"}[name]
	g := &event.Grant{
		Version: event.GrantVersion, ID: "night", Created: noon, Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document,
		Subject: event.Subject{
			Model: name, Vocabulary: hex.EncodeToString(words.Hash()), VocabularySize: len(words),
			Matrices: []event.Matrix{{Name: statistic, Rows: rows, Columns: len(words)}},
		},
		Clip: 1, NoiseMultiplier: 2, Releases: reportRounds,
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: reportRounds, Secret: true},
	}
	r := new(reported)
	r.add(func(line *event.Line) {
		line.Type = event.TypeHead
		line.Head = &event.Head{ID: "00112233445566778899aabbccddeeff", Budget: &event.Limit{Epsilon: 1, Delta: 1e-6}}
	})
	g.Ledger = r.ledger.Head().ID
	g.Budget = event.Budget{Epsilon: 1, Delta: 1e-6, Accountant: "pld", After: r.ledger.LastHash()}
	r.add(func(line *event.Line) { line.Type, line.Grant = event.TypeGrant, g })
	r.header = &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: "monday", Model: name,
		Unit:       wire.Unit_DOCUMENT,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
		Matrices: []*wire.Matrix{{Name: statistic, Rows: uint32(rows), Columns: uint32(len(words)),
			Element: wire.Element_INT64}},
	}
	for round := 1; round <= reportRounds; round++ {
		values := make([]int64, rows*len(words))
		for i := range values {
			values[i] = int64(2048 * ((i+round)%5 - 2)) // what noise might be
		}
		values[0] += 900_000_000_000
		cells := stream.AppendCells(nil, values)
		scheme := g.Scheme
		scheme.Coins = fmt.Sprintf("%032x", 1)
		c := g.Charge(round, scheme)
		sum := sha256.Sum256(cells)
		c.Dataset, c.Run, c.Release = dataset, "monday", hex.EncodeToString(sum[:])
		c.Settings = hex.EncodeToString(make([]byte, 32))
		r.add(func(line *event.Line) { line.Type, line.Charge = event.TypeCharge, c })
		r.cells = append(r.cells, cells)
		s := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: reportRounds, Secret: true,
			Coins: scheme.Coins}
		r.heads = append(r.heads, &wire.Release{
			Scheme: s, Grid: 1e-6, Mechanism: c.Mechanism, Clip: 1 << 20, Scale: c.Scale, Grant: g.ID,
		})
	}
	return r
}

// stream is the stream of the releases.
func (r *reported) stream() []byte {
	var records []*wire.Record
	for i, head := range r.heads {
		round := uint32(i + 1)
		records = append(records, &wire.Record{Round: round, Body: &wire.Record_Release{Release: head}},
			&wire.Record{Round: round, Body: &wire.Record_Block{Block: &wire.Block{Values: r.cells[i]}}})
	}
	b, _ := script.Stream(r.header, records...)
	return b
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func (r *reported) add(fill func(*event.Line)) {
	line := r.ledger.Next(noon.Add(time.Duration(len(r.ledger.Lines)) * time.Minute))
	fill(line)
	b, err := line.Encode(r.ledger.LastHash())
	if err != nil {
		panic(err)
	}
	r.ledger.Lines, r.bytes = append(r.ledger.Lines, line), append(r.bytes, b...)
}

// account is what account report --json would say of the ledger, with numbers that are easy to find in a page.
func (r *reported) account(change func(map[string]any)) []byte {
	said := map[string]any{
		"ledger": "run.ledger", "last_hash": r.ledger.LastHash(), "accountant": "pld", "epsilon": 0.73361,
		"delta":     1e-6,
		"adjacency": "add-remove", "unit": "document", "releases": reportRounds,
		"overspent": false, "theorem": "composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10); moments " +
			"accountant (Abadi; lemma)",
		"budget": map[string]any{"epsilon": 1, "delta": 1e-6, "epsilon_left": 0.26639},
	}
	if change != nil {
		change(said)
	}
	b, err := json.Marshal(said)
	if err != nil {
		panic(err)
	}
	return b
}

// overspentBy makes a report say that the ledger's own budget is overspent.
func overspentBy(budget, delta, epsilon float64, overspent bool) func(map[string]any) {
	return func(m map[string]any) {
		m["epsilon"], m["overspent"] = epsilon, overspent
		m["overspent_budget"] = map[string]any{"budget": budget, "delta": delta, "epsilon": epsilon}
	}
}

func (r *reported) curve(change func(map[string]any)) []byte {
	said := map[string]any{
		"ledger": "run.ledger", "last_hash": r.ledger.LastHash(), "accountant": "pld", "delta": 1e-6,
		"adjacency": "add-remove", "unit": "document",
		"epsilon_over_releases": []any{
			map[string]any{"releases": 0, "epsilon": 0}, map[string]any{"releases": 1, "epsilon": 0.3},
			map[string]any{"releases": 4, "epsilon": 0.73361},
		},
		"delta_over_epsilon": []any{map[string]any{"epsilon": 0.73361, "delta": 1e-6}},
		"budget":             map[string]any{"epsilon": 1, "delta": 1e-6},
	}
	if change != nil {
		change(said)
	}
	return must(json.Marshal(said))
}

// reportModel is a model file of run monday.
func reportModel(name string, words vocabulary.Words, matrix string, rows int, cells []float64) []byte {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: "monday", Model: name,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
		Matrices: []*wire.Matrix{{Name: matrix, Rows: uint32(rows), Columns: uint32(len(words)),
			Element: wire.Element_FLOAT64}},
	}
	scalars := []*wire.Scalar{{Name: "alpha", Value: 0.25}, {Name: "rounds", Value: reportRounds}}
	b, _ := script.Stream(h, &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: words}}},
		&wire.Record{Round: reportRounds,
			Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: scalars}}},
		&wire.Record{Round: reportRounds,
			Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, cells)}}})
	return b
}

// reportScores are scores of two documents under the parameters after each of the rounds 1 to 4, the perplexity halving
// from round to round. change may change their header and each score.
func reportScores(side wire.Side, words vocabulary.Words, of []byte, change func(*wire.Header, *wire.Record)) []byte {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_SCORES, Side: side, Run: "monday", Model: "lda",
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)), Settings: digestOf(of),
	}
	var records []*wire.Record
	for round := uint32(1); round <= reportRounds; round++ {
		for _, tokens := range []uint64{10, 30} {
			record := &wire.Record{Round: round, Body: &wire.Record_Score{Score: &wire.Score{
				Id: "MARKER-1", Tokens: tokens, Bound: -float64(tokens) * (2.5 - 0.6931471805599453*float64(round-1)),
				Unigram: -float64(tokens) * 1.9,
			}}}
			if change != nil {
				change(h, record)
			}
			records = append(records, record)
		}
	}
	b, _ := script.Stream(h, records...)
	return b
}

// digestOf is the digest of the parameters of a model file.
func digestOf(model []byte) []byte {
	r := must(stream.NewReader(bytes.NewReader(model), "model"))
	must(r.Header())
	digest := must(stream.ReadSet(r, nil)).Digest()
	return digest[:]
}

func reportFiles() map[string][]byte {
	lambda := []float64{
		300, 40, 1, 1, 1, 1, 1, 30,
		1, 60, 3, 5, 9, 8, 7, 1,
		2, 9, 8, 7, 6, 5, 4, 1,
	}
	model := reportModel("lda", hostile, "lambda", 3, lambda)
	later := slices.Clone(lambda)
	later[0]++
	// of the same run and round, as another mstep makes it of the same releases
	latest := reportModel("lda", hostile, "lambda", 3, later)
	r := newReported("lda", hostile, 3, `</td><script>alert("data set")</script>`)
	w := newReported("words", vocab, 1, "d")
	mislabelled := newReported("lda", vocab, 1, "d")
	other := newReported("lda", hostile, 3, "d")
	other.cells[3][0]++    // other cells than its charge says
	exact := new(reported) // released without noise
	exact.add(func(line *event.Line) {
		line.Type, line.Head = event.TypeHead, &event.Head{ID: "00112233445566778899aabbccddeeff"}
	})
	exact.add(func(line *event.Line) {
		c := event.NoCharge(1, event.Document, event.Scheme{Method: event.All, Rate: 1, Rounds: 1})
		c.Dataset, c.Run, c.Release, c.Settings = "d", "monday", event.Genesis, event.Genesis
		line.Type, line.Charge = event.TypeCharge, c
	})
	files := map[string][]byte{
		"exact.ledger": exact.bytes,
		"exact.json": exact.account(func(m map[string]any) {
			m["epsilon"], m["releases"], m["adjacency"], m["unit"] = "∞", 1, "", ""
			delete(m, "budget")
		}),
		"report.pp":           model,
		"report.ledger":       r.bytes,
		"report.json":         r.account(nil),
		"curve.json":          r.curve(nil),
		"report-rel.pp":       r.stream(),
		"other-rel.pp":        other.stream(),
		"cut-ledger":          r.bytes[:len(r.bytes)/2],
		"older.ledger":        r.bytes[:lastLine(r.bytes)],
		"no-bound.json":       r.account(func(m map[string]any) { m["epsilon"] = "∞" }),
		"overspent.json":      r.account(func(m map[string]any) { m["epsilon"], m["overspent"] = 1.2, true }),
		"excess.json":         r.account(overspentBy(1, 1e-6, 1.2, true)),
		"other-excess.json":   r.account(overspentBy(1, 1e-5, 1.2, true)),
		"no-excess.json":      r.account(overspentBy(1, 1e-6, 0.9, true)),
		"kept-excess.json":    r.account(overspentBy(1, 1e-6, 1.2, false)),
		"unsaid.json":         r.account(func(m map[string]any) { delete(m, "overspent") }),
		"stale.json":          r.account(func(m map[string]any) { m["last_hash"] = event.Genesis }),
		"unknown.json":        r.account(func(m map[string]any) { m["caveat"] = "but" }),
		"other-unit.json":     r.account(func(m map[string]any) { m["unit"] = "user" }),
		"other-relation.json": r.account(func(m map[string]any) { m["adjacency"] = "replace-one" }),
		"more-budget.json": r.account(func(m map[string]any) {
			m["budget"] = map[string]any{"epsilon": 9,
				"delta": 1e-6, "epsilon_left": 8}
		}),
		"no-budget.json": r.account(func(m map[string]any) { delete(m, "budget") }),
		"grant-budget.json": r.account(func(m map[string]any) {
			m["budget"] = map[string]any{"epsilon": 1,
				"delta": 1e-6, "grant": "night"}
		}),
		"filtered.json": r.account(func(m map[string]any) {
			m["filter"] = map[string]any{"measure": "zcdp",
				"epsilon": 0.1, "delta": 1e-6}
		}),
		"twice.json": append(r.account(nil), r.account(nil)...),
		"bounded.json": exact.account(func(m map[string]any) {
			m["releases"], m["adjacency"], m["unit"] = 1, "", ""
			delete(m, "budget")
		}),
		"exact-budget.json": exact.account(func(m map[string]any) {
			m["epsilon"], m["releases"], m["adjacency"],
				m["unit"] = "∞", 1, "", ""
		}),
		"three.json":         r.account(func(m map[string]any) { m["releases"] = 3 }),
		"old.json":           r.account(func(m map[string]any) { delete(m, "last_hash") }),
		"negative.json":      r.account(func(m map[string]any) { m["epsilon"] = -1 }),
		"other-delta.json":   r.curve(func(m map[string]any) { m["delta"] = 1e-9 }),
		"unknown-curve.json": r.curve(func(m map[string]any) { m["caveat"] = "but" }),
		"user-curve.json":    r.curve(func(m map[string]any) { m["unit"] = "user" }),
		"twice-curve.json":   append(r.curve(nil), r.curve(nil)...),
		"double-curve.json":  bytes.Replace(r.curve(nil), []byte(`"delta":`), []byte(`"delta":1e-9,"delta":`), 1),
		"double.json": bytes.Replace(r.account(nil), []byte(`"epsilon":`), []byte(`"epsilon":0.1,"epsilon":`),
			1),
		"large.json":       bytes.Replace(r.account(nil), []byte(`"epsilon":`), []byte(`"Epsilon":`), 1),
		"stale-curve.json": r.curve(func(m map[string]any) { m["last_hash"] = event.Genesis }),
		"short-curve.json": r.curve(func(m map[string]any) {
			m["epsilon_over_releases"] = []any{map[string]any{"releases": 1, "epsilon": 0.3}}
		}),
		"fair-scores.pp":    reportScores(wire.Side_PUBLIC, hostile, model, nil),
		"private-scores.pp": reportScores(wire.Side_PRIVATE, hostile, model, nil),
		"other-scores.pp":   reportScores(wire.Side_PUBLIC, vocab, model, nil),
		"latest-scores.pp":  reportScores(wire.Side_PUBLIC, hostile, latest, nil),
		"sunday-scores.pp": reportScores(wire.Side_PUBLIC, hostile, latest,
			func(h *wire.Header, _ *wire.Record) { h.Run = "sunday" }),
		"old-scores.pp": reportScores(wire.Side_PUBLIC, hostile, model,
			func(h *wire.Header, _ *wire.Record) { h.Run, h.Model, h.Settings = "", "", nil }),
		"early-scores.pp": reportScores(wire.Side_PUBLIC, hostile, model,
			func(_ *wire.Header, r *wire.Record) { r.Round-- }),
		"halves-scores.pp": reportScores(wire.Side_PUBLIC, hostile, model, func(_ *wire.Header, r *wire.Record) {
			s := r.GetScore()
			s.Bound, s.CompletionTokens, s.Completion, s.CompletionUnigram = 0, 10, -10*math.Log(5), -10*math.Log(8)
		}),
		"sampled-scores.pp": reportScores(wire.Side_PUBLIC, hostile, model,
			func(_ *wire.Header, r *wire.Record) { r.GetScore().Bound = 0 }),
		"uneven-scores.pp": reportScores(wire.Side_PUBLIC, hostile, model, func(_ *wire.Header, r *wire.Record) {
			if r.Round == 2 {
				r.GetScore().Tokens++
			}
		}),
		"other-words.pp":    reportModel("lda", vocab, "lambda", 1, []float64{5, 3, 2, 1}),
		"frequencies.pp":    reportModel("words", vocab, "probabilities", 1, []float64{.5, .3, .15, .05}),
		"frequencies.led":   w.bytes,
		"words-of-lda.led":  mislabelled.bytes,
		"words-of-lda.json": mislabelled.account(nil),
		"frequencies.json":  w.account(nil),
		"frequencies-rel":   w.stream(),
		"fair-docs.pp": documents(wire.Side_PUBLIC, func(h *wire.Header) {
			h.Vocabulary, h.VocabularySize = hostile.Hash(), uint32(len(hostile))
		}, []uint32{0, 1, 2, 3}, []uint32{2, 5, 7}),
		"private-docs.pp": documents(wire.Side_PRIVATE, func(h *wire.Header) {
			h.Vocabulary, h.VocabularySize = hostile.Hash(), uint32(len(hostile))
		}, []uint32{0, 1, 2, 3}),
		"not-utf8": []byte("caf\xe9"),
	}
	for i, cells := range r.cells {
		files[fmt.Sprintf("cells-%d", i+1)] = cells
	}
	return files
}

// lastLine is where the last line of a ledger begins.
func lastLine(b []byte) int {
	for i := len(b) - 2; ; i-- {
		if b[i] == '\n' {
			return i + 1
		}
	}
}

// TestStoppedEarly: a run that was stopped after three of four rounds has the threshold of all four, because when it
// stopped may depend on what was released.
func TestStoppedEarly(t *testing.T) {
	r := newReported("lda", hostile, 3, "d")
	folder := t.TempDir()
	for round, cells := range r.cells {
		path := filepath.Join(folder, (&event.Charge{Run: "monday", Round: round + 1}).StoredName())
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, cells, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var thresholds, first []float64
	for _, lines := range [][]*event.Line{r.ledger.Lines, r.ledger.Lines[:len(r.ledger.Lines)-1]} {
		run, err := released.Of(&event.Ledger{Lines: lines}, "monday")
		if err != nil {
			t.Fatal(err)
		}
		mean, err := run.Mean(t.Context(), folder, lda.Topics, 3*len(hostile))
		if err != nil {
			t.Fatal(err)
		}
		thresholds, first = append(thresholds, mean.Threshold(0.01)), append(first, mean.Sum[0])
	}
	// Rounds 2, 3 and 4 have the weights 1, 2 and 3; of the variances they are 1, 4 and 9.
	sigma := float64(r.ledger.Lines[2].Charge.Scale)
	if want := sigma * math.Sqrt(2*14*math.Log(24/0.01)); math.Abs(thresholds[0]/want-1) > 1e-12 ||
		thresholds[1] != thresholds[0] {
		t.Errorf("thresholds %v, want %v", thresholds, want)
	}
	if !(first[0]/first[1] > 1.99 && first[0]/first[1] < 2.01) {
		t.Errorf("the first cell has %v, want a half of it without the last round", first)
	}
}

// TestManyPlannedRounds: a grant of two billion rounds with few charged rounds costs no time. Its threshold is the
// threshold for all planned rounds.
func TestManyPlannedRounds(t *testing.T) {
	for _, mechanism := range []string{event.Gaussian, event.Laplace} {
		for planned, charged := range map[int][]int{9: {1, 4, 5, 8}, 7: {7}, 10: {1, 2},
			2_000_000_000: {1, 1_000_000_000}} {
			r := newReported("lda", hostile, 3, "d")
			folder := t.TempDir()
			run := &released.Run{Name: "monday", Charges: make(map[int]*event.Charge), Grant: r.ledger.Lines[1].Grant}
			run.Grant.Scheme.Rounds = planned
			path := filepath.Join(folder, (&event.Charge{Run: "monday", Round: 1}).StoredName())
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, round := range charged {
				c := *r.ledger.Lines[2].Charge
				c.Round, c.Mechanism = round, mechanism
				run.Charges[round] = &c
				if err := os.WriteFile(filepath.Join(folder, c.StoredName()), r.cells[0], 0o600); err != nil {
					t.Fatal(err)
				}
			}
			mean, err := run.Mean(t.Context(), folder, lda.Topics, 3*len(hostile))
			if err != nil {
				t.Fatal(err)
			}
			first := int(0.3*float64(planned)) + 1
			n := float64(planned - first + 1)
			squares, largest, scale := n*n*n/3, n, float64(r.ledger.Lines[2].Charge.Scale)
			if planned < 100 {
				squares = 0
				for w := 1.; w <= n; w++ {
					squares += w * w
				}
			}
			log := math.Log(24 / 0.01)
			want := scale * math.Sqrt(2*squares*log)
			if mechanism == event.Laplace {
				want = scale*math.Sqrt(4*squares*log) + scale*largest*log
			}
			if got := mean.Threshold(0.01); math.Abs(got/want-1) > 1e-8 {
				t.Errorf("%s, %d rounds planned, %v charged: threshold %v, want %v", mechanism, planned, charged, got,
					want)
			}
			if got := len(mean.Marked(0.01)); got != 3*len(hostile) {
				t.Errorf("%d rounds planned, %v charged: %d cells", planned, charged, got)
			}
		}
	}
}

// pageOf makes the page of a command in a folder with the files of the scripts.
func pageOf(t *testing.T, command report.Report) (*page.Page, error) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files() {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []*string{
		&command.Model, &command.Ledger, &command.Account, &command.Curve, &command.Releases, &command.Start,
		&command.Words, &command.Clusters, &command.Scores, &command.Predictions, &command.Reference,
	} {
		if *name != "" {
			*name = filepath.Join(folder, *name)
		}
	}
	return command.Page(t.Context(), func(message string) { t.Error(message) })
}

// TestPageRefuses what the page must not say, and accepts the same without the fault.
func TestPageRefuses(t *testing.T) {
	for _, c := range []struct {
		command report.Report
		want    string // of the error; empty for none
	}{
		{report.Report{Ledger: "report.ledger", Account: "report.json", Releases: "report-rel.pp",
			Scores: "fair-scores.pp", Reference: "fair-docs.pp"}, ""},
		{report.Report{Ledger: "report.ledger", Account: "stale.json"}, "not of this ledger as it is now"},
		{report.Report{Ledger: "report.ledger", Account: "report.json", Releases: "other-rel.pp"},
			"not a release that the ledger charges"},
		{report.Report{Scores: "private-scores.pp"}, "a private stream"},
		{report.Report{Reference: "private-docs.pp"}, "a private stream"},
		{report.Report{Scores: "latest-scores.pp"}, "scores under other parameters than those of"},
		{report.Report{Model: "rows.pp", Predictions: "rows-predictions.pp"}, ""},
		{report.Report{Model: "rows.pp", Predictions: "other-rows-predictions.pp"},
			"predictions under other parameters than those of"},
		{report.Report{Model: "rows.pp", Predictions: "private-rows-predictions.pp"}, "a private stream"},
		{report.Report{Model: "rows.pp", Predictions: "private-rows-predictions.pp", Internal: true}, ""},
		{report.Report{Scores: "private-scores.pp", Reference: "private-docs.pp", Internal: true}, ""},
	} {
		c.command.Model, c.command.Top = cmp.Or(c.command.Model, "report.pp"), 5
		_, err := pageOf(t, c.command)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.command, err, c.want)
		}
	}
}
