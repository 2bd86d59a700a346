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
		{released: &released{step: still{}}},
		{released: &released{digest: [32]byte{1}, step: still{}}},
		{released: &released{step: still{1}}},
		{released: &released{step: still{}}, groups: modelfile.Groups{"a", "other"}},
		{released: &released{step: still{}}, groups: modelfile.Groups{"b", "other"}},
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
