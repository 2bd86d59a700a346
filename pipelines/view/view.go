// Package view shows a stream's records as JSON, one object for each record, for people and for tests. The shapes may
// change; programs should read the format in SPEC.md.
package view

import (
	"encoding/json"

	"google.golang.org/protobuf/reflect/protoreflect"

	"privpipe/pipelines/wire"
)

// A Viewer shows a stream's records.
type Viewer struct {
	header *wire.Header
	hidden bool
}

// New returns the Viewer for a stream with header h. In a private stream it shows only the kind and the round of each
// record, unless private is set.
func New(h *wire.Header, private bool) Viewer {
	return Viewer{h, h.Side != wire.Side_PUBLIC && !private}
}

// Header returns the line for the header, which holds public quantities only.
func (v Viewer) Header() ([]byte, error) {
	return line("header", v.message(v.header.ProtoReflect()))
}

// Record returns the line for a record after the header.
func (v Viewer) Record(r *wire.Record) ([]byte, error) {
	var o object
	// Parameters and their blocks show round 0, too: they may precede the first round.
	if r.Round != 0 || !v.hidden && (r.GetParameters() != nil || r.GetBlock() != nil) {
		o = append(o, member{"round", r.Round})
	}
	m := r.ProtoReflect()
	body := m.WhichOneof(m.Descriptor().Oneofs().ByName("body"))
	if v.hidden && r.GetRoundOpen() == nil { // a scheme is public
		o = append(o, redacted)
	} else {
		o = append(o, v.message(m.Get(body).Message())...)
	}
	return line(body.Name(), o)
}

// End returns the line for the end record, with the writer's tallies.
func (v Viewer) End(records uint64, tallies map[string]uint64) ([]byte, error) {
	if v.hidden {
		return line("end", object{redacted})
	}
	o := object{{"records", records}}
	if len(tallies) > 0 {
		o = append(o, member{"tallies", tallies})
	}
	return line("end", o)
}

var redacted = member{"redacted", true}

func line(name protoreflect.Name, o object) ([]byte, error) { return json.Marshal(object{{name, o}}) }
