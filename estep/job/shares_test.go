package job

import (
	"encoding/json"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire/stream"
)

// still is an E-step without parameters.
type still struct{ settings int }

func (s still) Settings() any                             { return s.settings }
func (still) SetParameters(*stream.Set, model.Size) error { return nil }
func (still) NewWorker() model.Worker                     { return nil }

// TestSharingSettings: workers with other models, inferences or groups do not share a run.
func TestSharingSettings(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range []*sharing{
		{Released: &Released{Step: still{}}},
		{Released: &Released{digest: [32]byte{1}, Step: still{}}},
		{Released: &Released{Step: still{1}}},
		{Released: &Released{Step: still{}}, groups: modelfile.Groups{"a", "other"}},
		{Released: &Released{Step: still{}}, groups: modelfile.Groups{"b", "other"}},
	} {
		b, err := json.Marshal(s.Settings())
		if err != nil {
			t.Fatal(err)
		}
		if seen[string(b)] {
			t.Errorf("settings of another: %s", b)
		}
		seen[string(b)] = true
	}
}
