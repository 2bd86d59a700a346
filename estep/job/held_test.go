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
	"privpipe/pipelines/model/words"
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

// TestReplacedDocuments replaces the file of documents between two rounds. The output states the side of the first file, so that no
// score of a file with another header may come out.
func TestReplacedDocuments(t *testing.T) {
	vocabulary := make([]byte, 32)
	documents := func(side wire.Side, settings byte) []byte {
		h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: side, Vocabulary: vocabulary, VocabularySize: 2}
		h.Settings = append([]byte{settings}, make([]byte, 31)...)
		content, _ := script.Stream(h, &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: side.String()}}})
		return content
	}
	public := documents(wire.Side_PUBLIC, 1)
	models := t.TempDir()
	for round := range uint32(2) {
		h := &wire.Header{
			Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: "words", Vocabulary: vocabulary, VocabularySize: 2,
			Matrices: []*wire.Matrix{{Name: "probabilities", Rows: 1, Columns: 2, Element: wire.Element_FLOAT64}},
		}
		content, _ := script.Stream(h, &wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{}}},
			&wire.Record{Round: round, Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, []float64{.5, .5})}}})
		write(t, filepath.Join(models, fmt.Sprintf("%d.pp", round)), content)
	}
	for name, c := range map[string]struct {
		second []byte
		code   int
	}{
		"the same":       {public, exit.OK},
		"private":        {documents(wire.Side_PRIVATE, 1), exit.Malformed},
		"other settings": {documents(wire.Side_PUBLIC, 2), exit.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			j := &Job{Input: filepath.Join(folder, "documents.pp"), Model: models, Output: filepath.Join(folder, "scores.pp"), Score: true}
			j.Compress.Compress, j.Workers.Workers = "none", 1
			write(t, j.Input, public)
			w := Work{Family: words.Family, New: func() model.EStep {
				return intruder{func(round uint32) {
					if round == 1 {
						write(t, j.Input, c.second)
					}
				}}
			}}
			in, err := j.openDocuments(w)
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
