package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// textsOf writes messages to partition 1 of a topic, and returns its name, to be read to where it ends now.
func textsOf(t *testing.T, fake broker.Faked, topic string, messages ...string) string {
	t.Helper()
	fake.Broker().Create(t, topic, 2, nil)
	client, err := kgo.NewClient(kgo.SeedBrokers(fake.Address), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, m := range messages {
		if err := client.ProduceSync(t.Context(),
			&kgo.Record{Topic: topic, Partition: 1, Value: []byte(m)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	return "kafka://" + fake.Address + "/" + topic + "?until=end"
}

// ofMessages runs tokenize text, and returns the ids and numbers of words of the documents, its messages and its exit
// code.
func ofMessages(t *testing.T, args ...string) (documents []string, messages string, code int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	command := exec.Command("tokenize", append([]string{"text", "-o", out}, args...)...)
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	if code = command.ProcessState.ExitCode(); code != exit.OK {
		return nil, stderr.String(), code
	}
	in, _, err := endpoint.OpenStream(t.Context(), out, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		record, err := in.Next()
		if err != nil {
			return documents, stderr.String(), code
		}
		words := uint32(0)
		for _, n := range record.GetDocument().Counts {
			words += n
		}
		documents = append(documents, fmt.Sprint(strings.SplitN(record.GetDocument().Id, "-", 2)[0], ":", words))
	}
}

// TestMessages: a message is one document, whatever its bytes.
func TestMessages(t *testing.T) {
	fake := broker.Fake(t, nil)
	good := []string{
		"{\n  \"id\": \"a\",\n  \"text\": \"world\\nwide web\"\n}\n",
		"{\r\n\"id\":\"b\",\r\n\"text\":[\"world\",\r\n\"music\"]}",
		"\ufeff{\"id\":\"c\",\"text\":\"music\"}", "\n", "", "{\"id\":\"d\",\"text\":\"music\"}\n\n",
		" {\"id\":\n\"e\",\"text\":\"\"}",
	}
	name := textsOf(t, fake, "good.private", good...)
	if got, messages, code := ofMessages(t, name); code != exit.OK ||
		!slices.Equal(got, []string{"a:2", "b:1", "c:1", "d:1", "e:0"}) {
		t.Errorf("%v, exit code %d, %s", got, code, messages)
	}
	for _, bad := range []struct{ name, message, rule string }{
		{"two", "{\"id\":\"x\",\"text\":\"MARKER\"}\n{\"id\":\"y\",\"text\":\"MARKER\"}", "not JSON at byte 28"},
		{"raw", "{\"id\":\"x\",\"text\":\"MARKER\nMARKER\"}", "not JSON at byte"},
		{"cut", "{\n\"id\":\"x\"", "not JSON at byte"},
		{"gzip", "\x1f\x8b\x08", "not UTF-8 at byte 2"},
	} {
		name := textsOf(t, fake, bad.name+".private", good[0], good[2], bad.message)
		_, messages, code := ofMessages(t, name)
		if want := bad.name + ".private[1]: the message at offset 2: " + bad.rule; code != exit.Malformed ||
			!strings.Contains(messages, want) {
			t.Errorf("%s: exit code %d, %q, want %q", bad.name, code, messages, want)
		}
		if strings.Contains(messages, "MARKER") {
			t.Errorf("%s: the message tells the text: %s", bad.name, messages)
		}
		list := filepath.Join(t.TempDir(), "skipped")
		if got, messages, code := ofMessages(t, "--on-error", "skip", "--skipped", list, name); code != exit.OK ||
			len(got) != 2 {
			t.Errorf("%s skipped: %v, exit code %d, %s", bad.name, got, code, messages)
		}
		skipped, err := os.ReadFile(list)
		if want := fmt.Sprintf("{\"file\":\"%s.private[1]\",\"offset\":2,\"error\":\"%s", bad.name,
			bad.rule); err != nil || !strings.HasPrefix(string(skipped), want) {
			t.Errorf("%s: the list is %s, want %s…", bad.name, skipped, want)
		}
	}
	name = textsOf(t, fake, "plain.private", "world\nwide\nweb", "music\n")
	if got, messages, code := ofMessages(t, "--format", "text", name); code != exit.OK || len(got) != 2 ||
		!strings.HasSuffix(got[0], ":2") || !strings.HasSuffix(got[1], ":1") {
		t.Errorf("texts: %v, exit code %d, %s", got, code, messages)
	}
}
