package ledger

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"privpipe/account/internal/print"
)

// lineage returns a run event of OpenLineage 2.0.2 (openlineage.io/spec). It names inputs and outputs. It has no counts
// of rows or bytes: they depend on private data.
func (f *facts) lineage() ([]byte, error) {
	const schema = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
	const producer = "urn:privpipe:account-evidence"
	type named struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	}
	inputs := []named{}
	for _, name := range f.DataSets() {
		inputs = append(inputs, named{f.Namespace, name})
	}
	epsilon, delta := f.stated()
	privacy := map[string]any{
		"_producer": producer, "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet",
		"epsilonCharged": f.Epsilon, "deltaCharged": f.Delta, "unit": f.Unit, "neighbours": f.Adjacency,
		"accountant": f.Accountant, "releases": f.Releases, "ledger": f.id, "lastHash": f.LastHash,
		"overspent": f.Overspent,
	}
	if !f.open() {
		privacy["epsilonPlanned"], privacy["deltaPlanned"] = print.Number(epsilon), print.Number(delta)
	}
	event := struct {
		Type      string    `json:"eventType"`
		Time      time.Time `json:"eventTime"`
		Run       any       `json:"run"`
		Job       named     `json:"job"`
		Inputs    []named   `json:"inputs"`
		Outputs   []named   `json:"outputs"`
		Producer  string    `json:"producer"`
		SchemaURL string    `json:"schemaURL"`
	}{
		Type: "COMPLETE", Time: f.last.UTC(),
		Run: map[string]any{"runId": uuid(f.LastHash),
			"facets": map[string]any{"privpipe_differentialPrivacy": privacy}},
		Job:    named{f.Namespace, f.Name},
		Inputs: inputs, Outputs: []named{{f.Namespace, f.Name + ".releases"}},
		Producer: producer, SchemaURL: schema,
	}
	if f.Overspent {
		event.Type = "FAIL"
	}
	b, err := json.MarshalIndent(event, "", "  ")
	return append(b, '\n'), err
}

// uuid is a UUID of version 8 (RFC 9562, §5.8) that follows from the ledger: the same ledger is the same run.
func uuid(hash string) string {
	b := sha256.Sum256([]byte("privpipe run " + hash))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
