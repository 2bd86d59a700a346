package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/registry"
	"privpipe/tokenize/internal/schema"
	_ "privpipe/tokenize/internal/schema/protobuf"
)

// kept are values of serializers that are not ours, with their schemas: see testdata/make.py.
type kept struct {
	Schemas map[int32]struct {
		Schema, SchemaType string
		References         []registry.Reference
	}
	Subjects map[string]struct{ Schema string }
	Values   map[string][]byte
	asked    map[string]int
}

func open(t testing.TB) *kept {
	t.Helper()
	b, err := os.ReadFile("testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{asked: make(map[string]int)}
	if err := json.Unmarshal(b, k); err != nil {
		t.Fatal(err)
	}
	return k
}

var errUnknown = exit.Errorf(exit.Malformed, "unknown")

func (k *kept) ByID(_ context.Context, id int32) (registry.Schema, error) {
	k.asked[fmt.Sprint(id)]++
	s, is := k.Schemas[id]
	if !is {
		return registry.Schema{}, errUnknown
	}
	return registry.Schema{Type: s.SchemaType, Text: s.Schema, References: s.References}, nil
}

func (k *kept) ByVersion(_ context.Context, r registry.Reference) (registry.Schema, error) {
	name := fmt.Sprintf("%s/%d", r.Subject, r.Version)
	k.asked[name]++
	s, is := k.Subjects[name]
	if !is {
		return registry.Schema{}, errUnknown
	}
	return registry.Schema{Text: s.Schema}, nil
}

// add keeps a schema under an id.
func (k *kept) add(id int32, of, text string, references ...registry.Reference) {
	s := k.Schemas[id]
	s.Schema, s.SchemaType, s.References = text, of, references
	k.Schemas[id] = s
}

const (
	post = `{"answer":%s,"author":{"id":"00000000-0000-0000-0000-000000000001","team":"red"},"clock":"08:30:01",` +
		`"day":"2026-03-02","four":"61626364","id":7,"kind":"REPLY","local":"2026-03-02T08:30:00.000005",` +
		`"made":"2026-03-02T08:30:00.25Z","marks":{"a":1,"b":2},"odd":"NaN","price":-12.5,"raw":"00ff",` +
		`"tags":["Can't","e_mail"],"text":%s,"vector":[3,-4]}`
	aPost = `{"text":"Apple pie","id":-7,"author":{"name":"ann"},"kind":"REPLY","made":"2026-03-02T08:30:00.250Z",` +
		`"title":"A title","raw":"00ff","tags":["Can't","e_mail"],"marks":{"a":1,"b":2},"vector":[3,-4],` +
		`"large":18446744073709551615,"good":false,"odd":"Infinity","answer":{"text":"Fig","id":0,"kind":7,"raw":"",` +
		`"tags":[],"marks":{},"vector":[],"large":0,"good":false,"odd":0},"right":""}`
)

// TestValues: what serializers in wide use wrote is read as their schemas say, and each schema is asked for once.
func TestValues(t *testing.T) {
	k := open(t)
	for _, of := range []string{schema.Avro, schema.Protobuf} {
		d := &schema.Decoder{Source: k, Type: of, Limit: 1 << 20}
		for name, want := range map[string]string{
			"avro post":       fmt.Sprintf(post, fmt.Sprintf(post, "null", `"Fig"`), `"Apple pie"`),
			"avro null text":  fmt.Sprintf(post, "null", "null"),
			"avro key":        `"ann"`,
			"avro key record": `{"user":-3}`,
			"protobuf post":   aPost,
			"protobuf nested": `{"text":"inner"}`,
			"protobuf key":    `{"number":9}`,
			"protobuf first":  `{"name":"bob","team":""}`,
		} {
			if !strings.HasPrefix(name, strings.ToLower(of)) {
				continue
			}
			for range 2 {
				got, err := d.JSON(t.Context(), k.Values[name])
				if err != nil || string(got) != want {
					t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, want)
				}
			}
		}
	}
	for name, n := range k.asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", name, n)
		}
	}
}

// TestProtoText: a registry has the text of a .proto file, or its descriptor. Imports have imports.
func TestProtoText(t *testing.T) {
	k := open(t)
	k.add(20, schema.Protobuf, `syntax = "proto3"; import "a/b.proto"; import "google/protobuf/struct.proto";
		message M { b.B b = 1; google.protobuf.Struct s = 2; }`, registry.Reference{Name: "a/b.proto", Subject: "b", Version: 2})
	k.Subjects["b/2"] = struct{ Schema string }{`syntax = "proto3"; package b; message B { repeated B more = 1; string text = 2; }`}
	d := &schema.Decoder{Source: k, Type: schema.Protobuf, Limit: 1 << 20, Columns: []string{"b.text", "s.anything"}}
	got, err := d.JSON(t.Context(),
		[]byte("\x00\x00\x00\x00\x14\x00\x0a\x05\x0a\x03\x12\x01x\x12\x09\x0a\x07\x0a\x01k\x12\x02\x08\x00"))
	if want := `{"b":{"more":[{"more":[],"text":"x"}]},"s":{"k":null}}`; err != nil || string(got) != want {
		t.Errorf("%v, got %s, want %s", err, got, want)
	}
}

// TestRefused: the message for what cannot be read, which quotes nothing of it.
func TestRefused(t *testing.T) {
	k := open(t)
	avro, proto := k.Values["avro post"], k.Values["protobuf post"]
	k.add(30, schema.Avro,
		`{"type":"record","name":"A","fields":[{"name":"text","type":"string"},{"name":"more","type":["null","A"]}]}`)
	k.add(31, schema.Avro, `{"type":"record"`)
	k.add(32, schema.Protobuf, `syntax = "proto3"; import "none.proto";`)
	k.add(33, schema.Avro, `"Unknown"`, registry.Reference{Name: "Unknown", Subject: "unknown", Version: 1})
	k.add(34, schema.Avro, `"a"`, registry.Reference{Name: "a", Subject: "a", Version: 1}, registry.Reference{Name: "a",
		Subject: "a", Version: 2})
	k.Subjects["a/1"] = struct{ Schema string }{`{"type":"fixed","name":"a","size":1}`}
	k.add(35, "JSON", `{}`)
	k.add(36, schema.Avro, `{"type":"array","items":"null"}`)
	for name, c := range map[string]struct {
		of, value, want string
		columns, texts  []string
	}{
		"empty":         {schema.Avro, "", "wire format", nil, nil},
		"short":         {schema.Avro, string(avro[:4]), "wire format", nil, nil},
		"JSON":          {schema.Avro, `{"text":"MARKER"}`, "wire format", nil, nil},
		"unknown id":    {schema.Avro, "\x00\x7f\x00\x00\x01\x00", "schema 2130706433: unknown", nil, nil},
		"little-endian": {schema.Avro, "\x00\x02\x00\x00\x00" + string(avro[5:]), "schema 33554432: unknown", nil, nil},
		"other type":    {schema.Protobuf, string(avro), "of the type AVRO, must be PROTOBUF", nil, nil},
		"type of none":  {schema.Avro, "\x00\x00\x00\x00\x23", "of the type JSON, must be AVRO", nil, nil},
		"bad Avro":      {schema.Avro, "\x00\x00\x00\x00\x1f", "schema 31: not a schema in Avro", nil, nil},
		"bad proto": {schema.Protobuf, "\x00\x00\x00\x00\x20\x00", "schema 32: not a schema in Protocol Buffers",
			nil, nil},
		"unknown import": {schema.Avro, "\x00\x00\x00\x00\x21", `schema 33: the import "Unknown": unknown`, nil, nil},
		"two versions":   {schema.Avro, "\x00\x00\x00\x00\x22\x00", `imports two versions of "a"`, nil, nil},
		"cut":            {schema.Avro, string(avro[:len(avro)-1]), "not one of the schema", nil, nil},
		"more":           {schema.Avro, string(avro) + "\x00", "not one of the schema", nil, nil},
		"cut proto":      {schema.Protobuf, string(proto[:len(proto)-1]), "not one of the schema", nil, nil},
		"two keys": {schema.Protobuf, string(proto[:5]) + "\x02\x02J\x05\n\x010\b0", "not one of the schema", nil,
			nil},
		"no indexes":     {schema.Protobuf, string(proto[:5]), "indexes of the message are cut short", nil, nil},
		"wrong index":    {schema.Protobuf, string(proto[:5]) + "\x02\x06", "no message of these indexes", nil, nil},
		"negative index": {schema.Protobuf, string(proto[:5]) + "\x02\x01", "no message of these indexes", nil, nil},
		"negative count": {schema.Protobuf, string(proto[:5]) + "\x01\x02", "no message of these indexes", nil, nil},
		"many indexes": {schema.Protobuf, string(proto[:5]) + "\xfe\xff\xff\xff\x0f\x02\x06", "no message of these",
			nil, nil},
		"Avro not UTF-8": {schema.Avro, "\x00\x00\x00\x00\x1e\x02\xff\x00", "", nil, nil},
		"absurd length": {schema.Avro, "\x00\x00\x00\x00\x1e\xfe\xff\xff\xff\xff\xff\xff\xff\x7f",
			"not one of the schema", nil, nil},
		"absurd count": {schema.Avro, "\x00\x00\x00\x00\x24\xfe\xff\xff\xff\xff\xff\xff\xff\x7f",
			"not one of the schema", nil, nil},
		"deep": {schema.Avro, "\x00\x00\x00\x00\x1e" + strings.Repeat("\x00\x02", 5000),
			"not one of the schema", nil, nil},
		"no user": {schema.Avro, string(avro), `no column "author.name"`, []string{"text", "author.id",
			"author.name"}, nil},
		"no path":          {schema.Avro, string(avro), `no column "text.a"`, []string{"text.a"}, nil},
		"no user in proto": {schema.Protobuf, string(proto), `no column "author.id"`, []string{"text", "author.id"}, nil},
		"no path in proto": {schema.Protobuf, string(proto), `no column "answer.text.a"`, []string{"answer.text.a"}, nil},
		"bytes":            {schema.Avro, string(avro), `column "raw" has bytes`, nil, []string{"raw"}},
		"bytes of proto":   {schema.Protobuf, string(proto), `column "answer.raw" has bytes`, nil, []string{"answer.raw"}},
	} {
		d := &schema.Decoder{Source: k, Type: c.of, Limit: 1 << 20, Columns: c.columns, Texts: c.texts}
		_, err := d.JSON(t.Context(), []byte(c.value))
		if exit.Code(err) != exit.Malformed || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "MARKER") || strings.Contains(err.Error(), "Apple") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	d := &schema.Decoder{Source: k, Type: schema.Avro, Limit: 100}
	if _, err := d.JSON(t.Context(), avro); err != schema.ErrTooLong {
		t.Errorf("a value over the limit: %v", err)
	}
	d = &schema.Decoder{Source: k, Type: schema.Avro, Limit: 1 << 20,
		Columns: []string{"text", "author.team", "answer.answer.author.id", "marks.anything", "vector"}}
	if _, err := d.JSON(t.Context(), avro); err != nil {
		t.Errorf("columns that are there: %v", err)
	}
}

// TestUnanswered: a registry that does not answer is asked again, and its fault is not the value's.
func TestUnanswered(t *testing.T) {
	k := open(t)
	s := &silent{kept: k, silent: 1}
	d := &schema.Decoder{Source: s, Type: schema.Avro, Limit: 1 << 20}
	if _, err := d.JSON(t.Context(), k.Values["avro key"]); exit.Code(err) != exit.Unavailable {
		t.Errorf("without an answer: %v", err)
	}
	if _, err := d.JSON(t.Context(), k.Values["avro key"]); err != nil {
		t.Errorf("with an answer: %v", err)
	}
}

type silent struct {
	*kept
	silent int
}

func (s *silent) ByID(ctx context.Context, id int32) (registry.Schema, error) {
	if s.silent--; s.silent >= 0 {
		return registry.Schema{}, exit.Errorf(exit.Unavailable, "silent")
	}
	return s.kept.ByID(ctx, id)
}

// TestMemory: the worst values take at most some hundred times their size while they are decoded.
func TestMemory(t *testing.T) {
	const size, most = 1 << 20, 600
	k := open(t)
	k.add(40, schema.Avro, `{"type":"array","items":{"type":"record","name":"R","fields":[{"name":"a","type":"boolean"}]}}`)
	k.add(41, schema.Avro, `{"type":"array","items":{"type":"bytes","logicalType":"big-decimal"}}`)
	k.add(42, schema.Avro, `{"type":"array","items":{"type":"map","values":"null"}}`)
	k.add(43, schema.Protobuf, `syntax = "proto3"; message M { repeated M m = 1; repeated bool b = 2; map<int32, M> k = 3; }`)
	array := "\x80\x80\x80\x01" // 1 << 20, as a zigzag varint
	for name, c := range map[string]struct{ of, value string }{
		"records": {schema.Avro, "\x00\x00\x00\x00\x28" + array + strings.Repeat("\x01", size) + "\x00"},
		"big decimals": {schema.Avro, "\x00\x00\x00\x00\x29" + "\x80\x80\x20" + strings.Repeat("\x06\x02\x01\x02",
			size/4) + "\x00"},
		"maps":     {schema.Avro, "\x00\x00\x00\x00\x2a" + array + strings.Repeat("\x00", size) + "\x00"},
		"messages": {schema.Protobuf, "\x00\x00\x00\x00\x2b\x00" + strings.Repeat("\x0a\x00", size/2)},
		"Booleans": {schema.Protobuf, "\x00\x00\x00\x00\x2b\x00" + strings.Repeat("\x10\x01", size/2)},
		"keys":     {schema.Protobuf, "\x00\x00\x00\x00\x2b\x00" + strings.Repeat("\x1a\x00", size/2)},
	} {
		d := &schema.Decoder{Source: k, Type: c.of, Limit: 64 << 20}
		if _, err := d.JSON(t.Context(), []byte(c.value[:6])); exit.Code(err) == exit.Unavailable {
			t.Fatal(err) // the schema is compiled now
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.JSON(t.Context(), []byte(c.value))
		runtime.ReadMemStats(&after)
		times := (after.TotalAlloc - before.TotalAlloc) / uint64(len(c.value))
		t.Logf("%s: %d times, %v", name, times, err)
		if times > most {
			t.Errorf("%s: %d times the size of the value was allocated", name, times)
		}
	}
}

// FuzzJSON: any bytes are read as JSON or refused, without a panic, in bounded memory.
func FuzzJSON(f *testing.F) {
	k := open(f)
	for _, v := range k.Values {
		f.Add(v[5:])
	}
	f.Add([]byte("\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"))
	const limit = 1 << 16
	avro := &schema.Decoder{Source: k, Type: schema.Avro, Limit: limit}
	proto := &schema.Decoder{Source: k, Type: schema.Protobuf, Limit: limit}
	f.Fuzz(func(t *testing.T, value []byte) {
		for id := range int32(8) {
			for _, d := range []*schema.Decoder{avro, proto} {
				b, err := d.JSON(t.Context(), append([]byte{0, 0, 0, 0, byte(id)}, value...))
				if err == nil && (!json.Valid(b) || len(b) > limit) {
					t.Fatalf("schema %d: %q", id, b)
				}
				if err != nil && err != schema.ErrTooLong && exit.Code(err) != exit.Malformed {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzFile: any bytes are read as a file of schema.Avro or refused.
func FuzzFile(f *testing.F) {
	b, err := os.ReadFile("testdata/posts.avro")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := schema.NewFile(strings.NewReader(string(b)), &schema.Decoder{Limit: 1 << 16})
		if err != nil {
			return
		}
		defer file.Close()
		for n := 0; n < 1000 && (err == nil || err == schema.ErrTooLong); n++ { // a block may have any number of nulls
			var value []byte
			if value, err = file.Next(); err == nil && !json.Valid(value) {
				t.Fatalf("%q", value)
			}
		}
	})
}

// TestFile: a file of fastavro holds the same post as a message of Confluent's serializer.
func TestFile(t *testing.T) {
	in, err := os.Open("testdata/posts.avro")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	file, err := schema.NewFile(in, &schema.Decoder{Limit: 1 << 20, Columns: []string{"author.id"}})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := file.Next()
	if want := fmt.Sprintf(post, fmt.Sprintf(post, "null", `"Fig"`), `"Apple pie"`); err != nil ||
		string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	if _, err := schema.NewFile(in, &schema.Decoder{Columns: []string{"author.name"}}); err == nil {
		t.Error("a file is read from its middle")
	}
}
