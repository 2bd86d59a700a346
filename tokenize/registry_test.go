package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
)

// keptValues are messages of Confluent's serializers, with what a registry answers about them:
// internal/schema/testdata/make.py.
type keptValues struct {
	Schemas, Subjects map[string]json.RawMessage
	Values            map[string][]byte
}

// aRegistry serves the schemas of the kept values as a registry does, and counts questions.
func aRegistry(t *testing.T) (kept keptValues, url string, asked *atomic.Int64) {
	t.Helper()
	b, err := os.ReadFile("internal/schema/testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer, is := kept.Schemas[strings.TrimPrefix(r.URL.Path, "/schemas/ids/")]
		if subject := strings.TrimPrefix(r.URL.Path, "/subjects/"); !is {
			answer, is = kept.Subjects[strings.Replace(subject, "/versions/", "/", 1)]
		}
		if !is {
			w.WriteHeader(http.StatusNotFound)
			answer = []byte(`{"error_code":40403,"message":"Schema not found"}`)
		}
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return kept, server.URL, asked
}

// topicOf writes messages to a topic, and returns its name, to be read to its end.
func topicOf(t *testing.T, address, topic string, messages ...*kgo.Record) string {
	t.Helper()
	(&broker.Broker{Address: address}).Create(t, topic, 1, nil)
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, m := range messages {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Key: m.Key, Value: m.Value,
			Headers: m.Headers}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	return "kafka://" + address + "/" + topic + "?until=end"
}

// printed runs a command of tokenize and returns its records as show prints them, its messages and its exit code.
func printed(t *testing.T, args ...string) (records, messages string, code int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.pp")
	command := exec.Command("tokenize", append([]string{args[0], "-o", out}, args[1:]...)...)
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	if code = command.ProcessState.ExitCode(); code != exit.OK {
		return "", stderr.String(), code
	}
	shown, err := exec.Command("show", "--private", out).Output()
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(shown)) {
		if strings.HasPrefix(line, `{"terms"`) || strings.HasPrefix(line, `{"document"`) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, ""), stderr.String(), code
}

// TestDescribed reads topics of messages that name their schema, and keys and headers.
func TestDescribed(t *testing.T) {
	fake := broker.Fake(t, nil)
	kept, registry, asked := aRegistry(t)
	of := func(key, value string, headers ...kgo.RecordHeader) *kgo.Record {
		return &kgo.Record{Key: kept.Values[key], Value: kept.Values[value], Headers: headers}
	}
	team := kgo.RecordHeader{Key: "team.name", Value: []byte("red")}
	avro := topicOf(t, fake.Address, "avro.private", of("avro key record", "avro post", team), new(kgo.Record),
		of("", "avro null text"))
	keys := topicOf(t, fake.Address, "keys.private", of("avro key", "avro post", team))
	proto := topicOf(t, fake.Address, "proto.private", of("protobuf key", "protobuf post"))
	nested := topicOf(t, fake.Address, "nested.private", of("avro key", "protobuf nested"))
	text := topicOf(t, fake.Address, "text.private", &kgo.Record{Key: []byte("ann"), Value: []byte("fig\nfig"),
		Headers: []kgo.RecordHeader{team, {Key: "id", Value: []byte("t1")}}}, &kgo.Record{Value: []byte("pear"),
		Headers: []kgo.RecordHeader{{Key: "team.name"}, {Key: "id", Value: []byte("t2")}, {Key: "id"}}})
	object := topicOf(t, fake.Address, "object.private", &kgo.Record{Key: []byte(`{"a":{"b":7},"t":"2026-03-02"}`),
		Value: []byte(`{"text":"fig","user":"x",":key":{"a":{"b":"forged"}},"id":"i"}`)})
	vocab := filepath.Join(t.TempDir(), "vocab.txt")
	if err := os.WriteFile(vocab, []byte("apple\nfig\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	schema := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(schema, []byte(`{"columns":[{"name":"id","type":"id"},{"name":"kind","type":"category",`+
		`"values":["REPLY"]},{"name":"vector","type":"numbers","length":2,"least":-4,"most":4}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	bags := func(format string, rest ...string) []string {
		return append([]string{"text", "--vocab", vocab, "--format", format}, rest...)
	}
	terms := func(format string, rest ...string) []string {
		return append([]string{"terms", "--format", format}, rest...)
	}
	for _, c := range []struct {
		args []string // without the registry
		asks bool
		want string
	}{
		{bags("avro", "--columns", "text=answer.text,id=author.id,user=author.team,label=kind", keys), true,
			`{"document":{"id":"00000000-0000-0000-0000-000000000001","user":"red","label":"REPLY","words":{"1":1}}}`},
		{bags("avro", "--on-error", "skip", "--columns", "user=made,label=marks", avro), true,
			`{"document":{"id":"7","user":"2026-03-02T08:30:00.25Z","label":"{\"a\":1,\"b\":2}","words":{"0":1}}}`},
		{terms("avro", "--columns", "text=tags,user=day,id=price", keys), true,
			`{"terms":{"id":"-12.5","user":"2026-03-02","words":["can't","e_mail"]}}`},
		{terms("avro", "--date", "local", "--from", "2026-03-02T08:30:00", "--until", "2026-03-03", keys), true,
			`{"terms":{"id":"7","words":["apple","pie"]}}`},
		{terms("avro", "--date", "day", "--from", "2026-03-03", keys), true, ""},
		{bags("avro", "--columns", "user=:key,label=:header.team.name", "--key-format", "avro", keys), true,
			`{"document":{"id":"7","user":"ann","label":"red","words":{"0":1}}}`},
		{terms("avro", "--on-error", "skip", "--columns", "user=:key.user", "--key-format", "avro", avro), true,
			`{"terms":{"id":"7","user":"-3","words":["apple","pie"]}}`},
		{[]string{"rows", "--schema", schema, "--format", "avro", keys}, true,
			`{"document":{"id":"7","words":{"0":1,"1":0.875}}}`},
		{[]string{"vectors", "--format", "avro", "--dimension", "2", "--columns", "user=author.team", keys}, true,
			`{"document":{"id":"7","user":"red","words":{"0":0.6,"1":-0.8}}}`},
		{terms("protobuf", "--columns", "text=title,answer.text,user=author.name,id=large", proto), true,
			`{"terms":{"id":"18446744073709551615","user":"ann","words":["a","fig","title"]}}`},
		{terms("protobuf", "--columns", "id=:key.number,user=made", "--key-format", "protobuf", proto), true,
			`{"terms":{"id":"9","user":"2026-03-02T08:30:00.250Z","words":["apple","pie"]}}`},
		{terms("protobuf", "--date", "made", "--until", "2026-03-02T08:30:01", proto), true,
			`{"terms":{"id":"-7","words":["apple","pie"]}}`},
		{terms("protobuf", "--columns", "id=text,user=:key", "--key-format", "avro", nested), true,
			`{"terms":{"id":"inner","user":"ann","words":["inner"]}}`},
		{[]string{"vectors", "--format", "protobuf", "--dimension", "2", proto}, true,
			`{"document":{"id":"-7","words":{"0":0.6,"1":-0.8}}}`},
		{terms("jsonl", "--columns", "user=:key", "--key-format", "avro", topicOf(t, fake.Address, "mixed.private",
			&kgo.Record{Key: kept.Values["avro key"], Value: []byte(`{"id":"j","text":"fig"}`)})), true,
			`{"terms":{"id":"j","user":"ann","words":["fig"]}}`},
		{bags("text", "--columns", "user=:key,label=:header.team.name,id=:header.id", text), false,
			`{"document":{"id":"t1","user":"ann","label":"red","words":{"1":2}}}
{"document":{"id":"t2","words":{}}}`},
		{terms("jsonl", "--columns", "user=:key.a.b", "--key-format", "json", "--date", ":key.t", object), false,
			`{"terms":{"id":"i","user":"7","words":["fig"]}}`},
	} {
		args := slices.Clone(c.args)
		if args[0] == "terms" {
			args = append(args, "--min-letters=1", "--stop=none")
		}
		if c.asks {
			args = append(args, "--schema-registry", registry)
		}
		asked.Store(0)
		got, messages, code := printed(t, args...)
		if code != exit.OK || strings.TrimSpace(got) != c.want {
			t.Errorf("%q: exit code %d, %s\ngot  %s\nwant %s", c.args, code, messages, got, c.want)
		}
		if (asked.Load() > 0) != c.asks {
			t.Errorf("%q: the registry was asked %d times", c.args, asked.Load())
		}
	}
}

// TestDescribedErrors: what cannot be read is named by partition, offset, schema and rule, and never quoted.
func TestDescribedErrors(t *testing.T) {
	fake := broker.Fake(t, nil)
	kept, registry, asked := aRegistry(t)
	value := func(value string) *kgo.Record { return &kgo.Record{Value: kept.Values[value]} }
	avro := topicOf(t, fake.Address, "avro.private", value("avro post"), value("avro null text"))
	proto := topicOf(t, fake.Address, "proto.private", value("protobuf post"))
	other := topicOf(t, fake.Address, "other.private", value("avro post"),
		&kgo.Record{Value: []byte(`{"text":"MARKER"}`)})
	unknown := topicOf(t, fake.Address, "unknown.private", &kgo.Record{Value: []byte("\x00\x00\x00\x01\x00MARKER")})
	keys := topicOf(t, fake.Address, "keys.private", &kgo.Record{Key: []byte("\xff"),
		Value: []byte(`{"text":"MARKER"}`),
		Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("MARKER")}, {Key: "h", Value: []byte("2")}, {Key: "b",
			Value: []byte("\xff")}}})
	injected := topicOf(t, fake.Address, "injected.private", &kgo.Record{Key: []byte(`"a"},"more":{"a":1`),
		Value: []byte(`{"text":"x"}`)})
	file := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(file, []byte(`{"text":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	defer closed.Close()
	asks := []string{"--schema-registry", registry}
	for _, c := range []struct {
		args  []string
		asks  []string
		code  int
		words string
	}{
		{[]string{"--format", "avro", avro}, asks, exit.Malformed,
			`avro.private[0]: the message at offset 1: member "text" is missing`},
		{[]string{"--format", "avro", "--columns", "user=author.name", avro}, asks, exit.Malformed,
			`the message at offset 0: schema 2: no column "author.name"`},
		{[]string{"--format", "avro", "--columns", "text=raw", avro}, asks, exit.Malformed,
			`offset 0: schema 2: column "raw" has bytes`},
		{[]string{"--format", "avro", "--date", "never", avro}, asks, exit.Malformed, `schema 2: no column "never"`},
		{[]string{"--format", "avro", other}, asks, exit.Malformed,
			"other.private[0]: the message at offset 1: not in the wire format"},
		{[]string{"--format", "avro", unknown}, asks, exit.Malformed,
			"unknown.private[0]: the message at offset 0: schema 256: the registry does not have it"},
		{[]string{"--format", "protobuf", avro}, asks, exit.Malformed, "schema 2: of the type AVRO, must be PROTOBUF"},
		{[]string{"--format", "avro", "--max-document", "100", avro}, asks, exit.Malformed,
			"offset 0: document larger than --max-document"},
		{[]string{"--format", "avro", "--on-error", "skip", avro}, []string{"--schema-registry", closed.URL},
			exit.Missing,
			"avro.private[0]: the message at offset 0: schema 2: " + closed.URL + "/schemas/ids/2: status 403"},
		{[]string{"--format", "avro", avro}, nil, exit.Usage, "need --schema-registry"},
		{[]string{"--format", "protobuf", proto}, nil, exit.Usage, "need --schema-registry"},
		{[]string{"--format", "protobuf", file}, nil, exit.Usage, "protobuf is for messages of a topic"},
		{[]string{"--format", "avro", proto, avro, file}, nil, exit.Usage, "need --schema-registry"},
		{[]string{file}, asks, exit.Usage, "--schema-registry is for a topic"},
		{[]string{keys}, asks, exit.Usage, "--schema-registry is for a topic"},
		{[]string{"--key-format", "json", keys}, nil, exit.Usage, "--key-format needs a column of the key"},
		{[]string{"--key-format", "avro", "--columns", "user=:key", keys}, nil, exit.Usage, "need --schema-registry"},
		{[]string{"--columns", "user=:key", file}, nil, exit.Usage, "a.jsonl: has no keys and headers"},
		{[]string{"--columns", "user=:key", keys}, nil, exit.Malformed,
			"keys.private[0]: the message at offset 0: the key is not UTF-8"},
		{[]string{"--columns", "user=:key.a", keys}, nil, exit.Usage, "--key-format"},
		{[]string{"--columns", "user=:key", "--key-format", "json", keys}, nil, exit.Malformed,
			"offset 0: the key is not JSON"},
		{[]string{"--columns", "user=:key", "--key-format", "json", injected}, nil, exit.Malformed,
			"offset 0: the key is not JSON"},
		{[]string{"--columns", "user=:header.h", keys}, nil, exit.Malformed, `offset 0: header "h" occurs twice`},
		{[]string{"--columns", "user=:header.b", keys}, nil, exit.Malformed, `offset 0: header "b" is not UTF-8`},
		{[]string{"--columns", "user=:value", keys}, nil, exit.Usage, `":value" is not :key`},
		{[]string{"--columns", "text=:key", keys}, nil, exit.Usage, "which the text cannot be"},
		{[]string{"--column", ":key", keys}, nil, exit.Usage, "which the text cannot be"},
		{[]string{"--date", ":offset", keys}, nil, exit.Usage, `":offset" is not :key`},
		{[]string{"--format", "avro", avro}, []string{"--schema-registry", "https://u:MARKER@h"}, exit.Usage,
			"the URL has a password"},
	} {
		asked.Store(0)
		args := append(append([]string{"terms"}, c.args...), c.asks...)
		_, messages, code := printed(t, args...)
		if code != c.code || !strings.Contains(messages, c.words) || strings.Contains(messages, "MARKER") {
			t.Errorf("%q: exit code %d, %q, want %d, %q", c.args, code, messages, c.code, c.words)
		}
		if c.asks == nil && asked.Load() > 0 {
			t.Errorf("%q: a registry that no flag names was asked", c.args)
		}
	}
}
