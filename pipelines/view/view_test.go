package view_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/view"
	"privpipe/pipelines/wire"
)

func TestMain(m *testing.M) { script.Main(m, nil) }

// TestScripts runs the scripts with the vectors of package testkit beside them.
func TestScripts(t *testing.T) {
	files := make(map[string][]byte)
	for _, v := range testkit.Vectors() {
		files[v.Name] = v.Stream
	}
	script.Run(t, files)
}

// TestPublicFields: of a private stream, only these fields are shown. Who adds a field to one of these messages must
// see that it is public.
func TestPublicFields(t *testing.T) {
	want := map[proto.Message]string{
		&wire.Header{}:    "version kind side run model unit vocabulary vocabulary_size matrices settings values",
		&wire.Matrix{}:    "name rows columns element symmetric",
		&wire.RoundOpen{}: "scheme draws coupled",
		&wire.Scheme{}:    "method rate size population rounds epochs secret coins",
	}
	for message, names := range want {
		var fields []string
		for i := range message.ProtoReflect().Descriptor().Fields().Len() {
			fields = append(fields, string(message.ProtoReflect().Descriptor().Fields().Get(i).Name()))
		}
		if strings.Join(fields, " ") != names {
			t.Errorf("%T has the fields %q, shown of a private stream are %q", message, fields, names)
		}
	}
}

// TestRedacted: of a private stream, all other records are their kind and their round.
func TestRedacted(t *testing.T) {
	v := view.New(&wire.Header{Side: wire.Side_PRIVATE}, false)
	bodies := (&wire.Record{}).ProtoReflect().Descriptor().Oneofs().ByName("body").Fields()
	for i := range bodies.Len() {
		body := bodies.Get(i)
		r := &wire.Record{Round: 7}
		r.ProtoReflect().Mutable(body)
		want := fmt.Sprintf(`{"%s":{"round":7,"redacted":true}}`, body.Name())
		line, err := v.Record(r)
		if public := body.Name() == "round_open"; err != nil || (string(line) == want) == public {
			t.Errorf("%s, %v", line, err)
		}
	}
}
