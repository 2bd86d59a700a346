package job

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An intruder scores documents, and calls intrude before each round.
type intruder struct{ intrude func(round uint32) }

func (i intruder) Settings() any           { return nil }
func (i intruder) NewWorker() model.Worker { return i }

func (i intruder) SetParameters(set *stream.Set, _ model.Size) error {
	i.intrude(set.Round)
	return nil
}

func (i intruder) Score(d *wire.Document) (*wire.Score, error) {
	return &wire.Score{Id: d.Id, Tokens: 1}, nil
}

func (i intruder) Contribute(*wire.Document, *model.Coins) ([]*wire.Part, error) { return nil, nil }

// TestReplaced replaces the file of documents between two rounds, or a model before it is read. The output states the
// side of the first documents and the digest of the last model. So no score may come from a file with another header or
// from another model.
func TestReplaced(t *testing.T) {
	vocabulary := make([]byte, 32)
	documents := func(side wire.Side, settings byte) []byte {
		h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: side, Vocabulary: vocabulary,
			VocabularySize: 2}
		h.Settings = append([]byte{settings}, make([]byte, 31)...)
		content, _ := script.Stream(h,
			&wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: side.String()}}})
		return content
	}
	public := documents(wire.Side_PUBLIC, 1)
	parameters := func(round uint32, cells ...float64) []byte {
		h := &wire.Header{
			Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: "words",
			Vocabulary: vocabulary, VocabularySize: 2,
			Matrices: []*wire.Matrix{{Name: "probabilities", Rows: 1, Columns: 2, Element: wire.Element_FLOAT64}},
		}
		content, _ := script.Stream(h,
			&wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{}}},
			&wire.Record{Round: round,
				Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, cells)}}})
		return content
	}
	for name, c := range map[string]struct {
		at      uint32 // the round in which the file is replaced
		file    string
		content []byte
		code    int
	}{
		"the same":             {1, "documents.pp", public, exit.OK},
		"private":              {1, "documents.pp", documents(wire.Side_PRIVATE, 1), exit.Malformed},
		"other settings":       {1, "documents.pp", documents(wire.Side_PUBLIC, 2), exit.Malformed},
		"the same model":       {0, "models/1.pp", parameters(1, .5, .5), exit.OK},
		"another model":        {0, "models/1.pp", parameters(1, .25, .75), exit.Malformed},
		"a model that is read": {1, "models/0.pp", parameters(0, .25, .75), exit.OK},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			j := &Job{
				Model: filepath.Join(folder, "models"), Score: true,
				Rounds: Rounds{
					Input: filepath.Join(folder, "documents.pp"), Output: filepath.Join(folder, "scores.pp"),
				},
			}
			j.Compress.Compress, j.Workers.Workers = "none", 1
			write(t, j.Input, public)
			if err := os.Mkdir(j.Model, 0o700); err != nil {
				t.Fatal(err)
			}
			for round := range uint32(2) {
				write(t, filepath.Join(j.Model, fmt.Sprintf("%d.pp", round)), parameters(round, .5, .5))
			}
			w := Work{Family: families.Words, New: func() model.EStep {
				return intruder{func(round uint32) {
					if round == c.at {
						write(t, filepath.Join(folder, c.file), c.content)
					}
				}}
			}}
			in, err := j.openDocuments(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			err = j.score(&filter.Run{Context: t.Context()}, w, in, &progress.Meter{})
			if exit.Code(err) != c.code {
				t.Errorf("error %v, of code %d, must be %d", err, exit.Code(err), c.code)
			}
			scores, err := os.ReadFile(j.Output)
			if written := err == nil; written != (c.code == exit.OK) || bytes.Contains(scores, []byte("PRIVATE")) {
				t.Errorf("output was written: %v", written)
			}
		})
	}
}

// write replaces a file by another, as an Output does: a reader keeps the old one.
func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}
