package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

// apicurio starts Apicurio for this test; PRIVPIPE_APICURIO names the folder with its programs. It returns the URL that
// speaks Confluent's protocol.
func apicurio(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("PRIVPIPE_APICURIO")
	programs, _ := filepath.Glob(filepath.Join(folder, "*-runner.jar"))
	if len(programs) == 0 {
		t.Skip("PRIVPIPE_APICURIO names no folder with the programs of Apicurio, see .ci/tools")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server := exec.Command("java", "-Xmx512m", "-jar", programs[0])
	server.Env = append(os.Environ(), "QUARKUS_HTTP_PORT="+port, "QUARKUS_HTTP_HOST=127.0.0.1")
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	url := "http://" + address + "/apis/ccompat/v7"
	for range 600 {
		if response, err := http.Get(url + "/subjects"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return url
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	b, _ := os.ReadFile(log.Name())
	t.Fatalf("Apicurio does not serve: %s", b)
	return ""
}

// registered registers a schema, and returns its id.
func registered(t *testing.T, url, subject string, schema any) uint32 {
	t.Helper()
	body, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"/subjects/"+subject+"/versions", "application/vnd.schemaregistry.v1+json",
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ ID uint32 }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.ID == 0 {
		t.Fatalf("%s: status %d, %v", subject, response.StatusCode, err)
	}
	return answer.ID
}

// TestApicurio reads what Confluent's serializers wrote with the schemas that a registry in wide use has: Avro and
// Protocol Buffers, each with a schema that it imports; files as a text, and as a descriptor.
func TestApicurio(t *testing.T) {
	testkit.Deep(t, "peers")
	kept, _, _ := aRegistry(t)
	url := apicurio(t)
	fake := broker.Fake(t, nil)
	registered(t, url, "author", kept.Subjects["author/1"])
	registered(t, url, "author.proto", kept.Subjects["author.proto/1"])
	avro := registered(t, url, "posts-value", kept.Schemas["2"])
	descriptor := registered(t, url, "protos-value", kept.Schemas["6"])
	registered(t, url, "imported", map[string]string{"schemaType": "PROTOBUF",
		"schema": `syntax = "proto3"; package i; message Author { string name = 1; }`})
	text := registered(t, url, "texts-value", map[string]any{"schemaType": "PROTOBUF",
		"schema": `syntax = "proto3"; import "i.proto"; message First {} message Post { string text = 1; int64 id = 2; ` +
			`i.Author author = 3; }`,
		"references": []any{map[string]any{"name": "i.proto", "subject": "imported", "version": 1}}})
	record := func(id uint32, value string) *kgo.Record {
		b := bytes.Clone(kept.Values[value])
		binary.BigEndian.PutUint32(b[1:], id)
		return &kgo.Record{Value: b}
	}
	const protobuf = `{"terms":{"id":"-7","user":"ann","words":["apple","pie"]}}`
	for i, c := range []struct {
		format, user, want string
		record             *kgo.Record
	}{
		{"avro", "author.id",
			`{"terms":{"id":"7","user":"00000000-0000-0000-0000-000000000001","words":["apple","pie"]}}`,
			record(avro, "avro post")},
		{"protobuf", "author.name", protobuf, record(descriptor, "protobuf post")},
		{"protobuf", "author.name", protobuf, record(text, "protobuf post")},
	} {
		topic := topicOf(t, fake.Address, fmt.Sprint("real", i, ".private"), c.record)
		got, messages, code := printed(t, "terms", "--format", c.format, "--schema-registry", url, "--columns",
			"user="+c.user, topic)
		if code != exit.OK || strings.TrimSpace(got) != c.want {
			t.Errorf("%d: exit code %d, %s\ngot  %s\nwant %s", i, code, messages, got, c.want)
		}
	}
	unknown := topicOf(t, fake.Address, "unknown.private", record(1<<20, "avro post"))
	if _, messages, code := printed(t, "terms", "--format", "avro", "--schema-registry", url, unknown); code !=
		exit.Malformed || !strings.Contains(messages, "schema 1048576: the registry does not have it") {
		t.Errorf("an unknown schema: exit code %d, %s", code, messages)
	}
	if _, messages, code := printed(t, "terms", "--format", "avro", "--schema-registry",
		strings.TrimSuffix(url, "/apis/ccompat/v7"), unknown); code != exit.Missing ||
		!strings.Contains(messages, "/apis/ccompat/v7") {
		t.Errorf("a URL without its path: exit code %d, %s", code, messages)
	}
}
