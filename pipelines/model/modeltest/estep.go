package modeltest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Case is an E-step with its parameters set.
type Case struct {
	Family *model.Family
	Step   model.EStep
	Size   model.Size
	Norm   float64 // L2 norm that no contribution exceeds; 0: none is promised
	Tokens uint32  // number in the longest document; 0: the most that a document may have
}

// EStep checks an E-step.
func EStep(t *testing.T, c Case) {
	t.Run("contributions fit their shapes", c.fit)
	t.Run("one document at a time", c.independent)
	t.Run("names do not matter", c.nameless)
	t.Run("workers run in parallel", c.parallel)
	t.Run("settings have a hash", c.settings)
	t.Run("empty document", c.empty)
	t.Run("scores", c.scores)
	t.Run("inference", c.infers)
}

// checkParts refuses a contribution that breaks a rule of the wire format, by itself or in the order of its parts.
func checkParts(words int, matrices []*wire.Matrix, parts []*wire.Part) error {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT,
		VocabularySize: uint32(words), Matrices: matrices,
	}
	compressor, err := stream.NewCompressor(stream.None)
	if err != nil {
		return err
	}
	w, err := stream.NewWriter(io.Discard, h, compressor)
	if err != nil {
		return err
	}
	open := &wire.RoundOpen{Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1}}
	if err := w.Write(&wire.Record{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: open}}); err != nil {
		return err
	}
	c := &wire.Contribution{Unit: "document/d", Parts: parts}
	return w.Write(&wire.Record{Round: 1, Body: &wire.Record_Contribution{Contribution: c}})
}

// documents returns documents with many sizes: empty, one word, one word very often, all words, and sizes in between.
func (c Case) documents() []*wire.Document {
	documents := []*wire.Document{
		{Id: "empty"},
		{Id: "one", WordGaps: []uint32{uint32(c.Size.Words - 1)}, Counts: []uint32{1}},
		{Id: "often", WordGaps: []uint32{0}, Counts: []uint32{cmp.Or(c.Tokens, wire.MaxTokens)}},
	}
	for step := 1; step <= 7; step += 2 {
		d := &wire.Document{Id: fmt.Sprint("every ", step)}
		for w := 0; w < c.Size.Words; w += step {
			d.WordGaps = append(d.WordGaps, uint32(min(w, step)))
			d.Counts = append(d.Counts, uint32(1+(w*7919)%5))
		}
		documents = append(documents, d)
	}
	for i, d := range documents {
		documents[i] = valued(c.Family, d)
	}
	return documents
}

func (c Case) contribute(t *testing.T, w model.Worker, d *wire.Document) *wire.Contribution {
	t.Helper()
	return contributeWith(t, w, d, coins(d))
}

func contributeWith(t *testing.T, w model.Worker, d *wire.Document, coins *model.Coins) *wire.Contribution {
	t.Helper()
	parts, err := w.Contribute(d, coins)
	if err != nil {
		t.Fatalf("document %q: %v", d.Id, err)
	}
	return &wire.Contribution{Unit: d.Id, Parts: parts}
}

// coins returns the coins for a document in some round. The key is not secret.
func coins(d *wire.Document) *model.Coins {
	return &model.Coins{Document: d, Key: []byte("modeltest"), Scope: model.Scope("run", 1)}
}

// settings checks that the settings can be encoded, and are the same each time.
func (c Case) settings(t *testing.T) {
	first, err := json.Marshal(c.Step.Settings())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(c.Step.Settings()); err != nil || !bytes.Equal(first, again) {
		t.Errorf("settings %s, and the second time %s, %v", first, again, err)
	}
}

// fit checks the rules of the wire format, the size of parts, and the promised norm.
func (c Case) fit(t *testing.T) {
	w := c.Step.NewWorker()
	for _, d := range c.documents() {
		contribution := c.contribute(t, w, d)
		matrices := c.matrices()
		if err := checkParts(c.Size.Words, matrices, contribution.Parts); err != nil {
			t.Errorf("document %q: %v", d.Id, err)
			continue
		}
		for _, p := range contribution.Parts {
			if len(p.Values) > model.MaxPart {
				t.Errorf("document %q: part of %d bytes", d.Id, len(p.Values))
			}
		}
		if norm := distance(Dense(matrices, contribution.Parts), nil); c.Norm > 0 && norm > c.Norm*(1+1e-6) {
			t.Errorf("document %q: norm %v, promised %v", d.Id, norm, c.Norm)
		}
	}
}

// independent checks that a contribution does not depend on the documents before.
func (c Case) independent(t *testing.T) {
	shared := c.Step.NewWorker()
	for _, d := range c.documents() {
		first := c.contribute(t, shared, d)
		unshared := c.contribute(t, c.Step.NewWorker(), d)
		again := c.contribute(t, shared, d)
		if !proto.Equal(first, unshared) || !proto.Equal(first, again) {
			t.Errorf("document %q contributes something else after others, or the second time", d.Id)
		}
	}
}

// nameless checks that a contribution depends on the document's id and user only through the numbers from Coins.Secret.
// An id may depend on the number or order of other documents, and then the contribution would, too. Each document is
// tried under other names with the coins of its first name: package model checks that public coins depend on no name.
func (c Case) nameless(t *testing.T) {
	w := c.Step.NewWorker()
	for i, d := range c.documents() {
		first := c.contribute(t, w, d)
		for _, other := range []*wire.Document{
			{Id: fmt.Sprint(i)}, {Id: fmt.Sprint(i + 1), User: "user"}, {},
		} {
			other.WordGaps, other.Counts, other.Values, other.Label = d.WordGaps, d.Counts, d.Values, d.Label
			again := contributeWith(t, w, other, coins(d))
			again.Unit = first.Unit
			if !proto.Equal(first, again) {
				t.Errorf("document %q contributes something else as %q of user %q", d.Id, other.Id, other.User)
			}
		}
	}
}

// parallel runs several workers at once for the race detector.
func (c Case) parallel(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			w := c.Step.NewWorker()
			for _, d := range c.documents() {
				if _, err := w.Contribute(d, coins(d)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func (c Case) empty(t *testing.T) {
	if got := c.contribute(t, c.Step.NewWorker(), &wire.Document{Id: "e"}); len(got.Parts) != 0 {
		t.Errorf("an empty document contributes %d parts", len(got.Parts))
	}
}

func (c Case) scores(t *testing.T) {
	scorer, ok := c.Step.NewWorker().(model.Scorer)
	if !ok {
		t.Skip("the model does not score")
	}
	for _, d := range c.documents() {
		s, err := scorer.Score(d)
		if err != nil {
			t.Skip("the model has nothing to score with: ", err)
		}
		r := &wire.Record{Body: &wire.Record_Score{Score: s}}
		if err := wire.Check(&wire.Header{Version: wire.Version}, r); err != nil {
			t.Errorf("document %q: %v", d.Id, err)
		}
		if s.Bound > 0 || s.PlugIn > 0 || s.Completion > 0 || s.Unigram > 0 {
			t.Errorf("document %q: a log probability is positive: %v", d.Id, strings.TrimSpace(s.String()))
		}
	}
}

func (c Case) infers(t *testing.T) {
	inferrer, ok := c.Step.NewWorker().(model.Inferrer)
	if !ok {
		t.Skip("the model does not infer")
	}
	for _, d := range c.documents() {
		shares, err := inferrer.Infer(d)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, s := range shares {
			if !(s >= 0) {
				t.Errorf("document %q: share %v", d.Id, s)
			}
			sum += s
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("document %q: shares sum to %v", d.Id, sum)
		}
	}
}
