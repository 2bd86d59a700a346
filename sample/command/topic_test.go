package command

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/scheme"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// run runs sample and returns its exit code.
func run(t *testing.T, args ...string) int {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command("sample", args...)
	command.Stderr = &stderr
	err := command.Run()
	if stopped := (*exec.ExitError)(nil); err != nil && !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	t.Logf("sample %s: %s", strings.Join(args, " "), stderr.String())
	return command.ProcessState.ExitCode()
}

// writeDocuments writes the documents of a corpus as a stream, without its end if that is not wanted.
func writeDocuments(t *testing.T, name string, c *corpus.Corpus, from, to int, end bool) {
	t.Helper()
	out, err := endpoint.CreateStream(t.Context(), name, header(10), "none")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	for i := from; i < to; i++ {
		d, err := c.Document(i)
		if err == nil {
			err = out.Write(&wire.Record{Body: &wire.Record_Document{Document: d}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if end {
		if err := out.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

// documentsOf returns what the streams of an input hold, in one order.
func documentsOf(t *testing.T, name string) (documents []string, closes map[uint32]*wire.RoundClose) {
	t.Helper()
	streams, _, err := endpoint.OpenStreams(t.Context(), name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_ROUNDS}})
	if err != nil {
		t.Fatal(err)
	}
	closes = make(map[uint32]*wire.RoundClose)
	for _, in := range streams {
		defer in.Close()
		for _, record := range rest(t, in) {
			if end := record.GetRoundClose(); end != nil {
				sum := closes[record.Round]
				if sum == nil {
					sum = new(wire.RoundClose)
					closes[record.Round] = sum
				}
				sum.Units += end.Units
				sum.Records += end.Records
				sum.UnitDigest += end.UnitDigest
				continue
			}
			if record.GetRoundOpen() != nil && in != streams[0] {
				continue // each part has it
			}
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			documents = append(documents, string(b))
		}
	}
	slices.Sort(documents)
	return documents, closes
}

// die writes what a run of documents leaves that dies within a round: one of the partitions has it.
func die(t *testing.T, s *Command, c *corpus.Corpus, within int) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Compress.Compress = "none"
	out, err := s.create(t.Context(), s.header(header(10)))
	check(err)
	defer out.abort()
	chooser, scheme, err := s.chooser(t.Context(), c, nil, true)
	check(err)
	for round := 1; round < within; round++ {
		check(out.write(t.Context(), c, scheme, uint32(round), chooser.Round(round)))
	}
	part, units, number, end := out.outs[1], chooser.Round(within), uint32(within), new(wire.RoundClose)
	check(part.Write(&wire.Record{Round: number,
		Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}))
	for i, digest := range c.Digests() {
		if units.Has(i) && out.of(digest) == 1 {
			d, err := c.Document(i)
			check(err)
			check(part.Write(&wire.Record{Round: number, Body: &wire.Record_Document{Document: d}}))
			end.Units, end.Records, end.UnitDigest = end.Units+1, end.Records+1, end.UnitDigest+digest
		}
	}
	check(part.Write(&wire.Record{Round: number, Body: &wire.Record_RoundClose{RoundClose: end}}))
	check(part.Flush())
}

// dieAtEnd writes what a run of documents leaves that dies when one partition has its end.
func dieAtEnd(t *testing.T, s *Command, c *corpus.Corpus) {
	t.Helper()
	s.Compress.Compress = "none"
	out, err := s.create(t.Context(), s.header(header(10)))
	if err != nil {
		t.Fatal(err)
	}
	defer out.abort()
	chooser, scheme, err := s.chooser(t.Context(), c, nil, true)
	for round := 1; round <= s.all() && err == nil; round++ {
		err = out.write(t.Context(), c, scheme, uint32(round), chooser.Round(round))
	}
	if err == nil {
		err = out.outs[0].Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTopic: a run draws the same rounds into the partitions of its topic as into a file. A second start that finds all
// rounds does nothing. A start that finds only a part goes on with the same coins, or not at all.
func TestTopic(t *testing.T) {
	const partitions = 3
	fake := broker.Fake(t, map[string]int{"whole.private": partitions, "part.private": partitions,
		"last.private": partitions, "new.private": partitions})
	folder := t.TempDir()
	file, key, docs := filepath.Join(folder, "rounds.pp"), filepath.Join(folder, "key"),
		filepath.Join(folder, "docs.pp")
	c := corpusOf(t, wire.Unit_DOCUMENT, 3000)
	writeDocuments(t, docs, c, 0, c.Documents(), true)
	sample := func(output string, more ...string) int {
		t.Helper()
		return run(t, append([]string{"--poisson", "0.5", "--rounds", "3", "--run", "r", "-o", output, docs},
			more...)...)
	}
	topic := func(name string) string { return "kafka://" + fake.Address + "/" + name }
	if code := sample(file, "--secret", key); code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	want, sums := documentsOf(t, file)
	holds := func(name string) {
		t.Helper()
		got, closes := documentsOf(t, topic(name))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the partitions hold other rounds than the file", name)
		}
		for round, sum := range sums {
			if !proto.Equal(closes[round], sum) {
				t.Errorf("%s: round %d announces %v, want %v", name, round, closes[round], sum)
			}
		}
	}
	for range 2 {
		if code := sample(topic("whole.private"), "--secret", key); code != exit.OK {
			t.Fatalf("exit code %d", code)
		}
		holds("whole.private")
	}

	half := scheme.Flags{Sampled: scheme.Sampled{Poisson: new(0.5)}}
	die(t, &Command{Flags: half, Rounds: 3, RunName: "r", Unit: "document", Secret: key, Output: topic("part.private")},
		c, 2)
	if code := sample(topic("part.private")); code != exit.Usage {
		t.Errorf("new coins for a run that was begun: exit code %d", code)
	}
	// which would end the run, or mix plans
	for _, other := range [][]string{{"--rounds", "1"}, {"--rounds", "9"}, {"--poisson", "0.25"}} {
		if code := sample(topic("part.private"), append(other, "--secret", key)...); code != exit.Usage {
			t.Errorf("%s in a run of other rounds: exit code %d", other, code)
		}
	}
	if code := sample(topic("part.private"), "--secret", key+"2"); code != exit.Missing {
		t.Errorf("a new key for a run that was begun: exit code %d", code)
	}
	if code := sample(topic("part.private"), "--secret", key); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	holds("part.private")

	// If only the end record is missing, sample throws no coins, and needs no key.
	last := &Command{Flags: half, Rounds: 3, RunName: "r", Unit: "document", Secret: key, Output: topic("last.private")}
	dieAtEnd(t, last, c)
	if code := sample(topic("last.private")); code != exit.OK {
		t.Fatalf("a run that lacks its end: exit code %d", code)
	}
	holds("last.private")
	if code := sample(topic("new.private")); code != exit.OK {
		t.Errorf("new coins for a run that was not begun: exit code %d", code)
	}
}

// TestTopicOfEpochs: a run of epochs that died in its second epoch goes on over a topic with the rounds that a file
// has, by the same flags and key only.
func TestTopicOfEpochs(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2})
	folder := t.TempDir()
	file, key, docs := filepath.Join(folder, "rounds.pp"), filepath.Join(folder, "key"),
		filepath.Join(folder, "docs.pp")
	topic := "kafka://" + fake.Address + "/rounds.private"
	c := corpusOf(t, wire.Unit_DOCUMENT, 3000)
	writeDocuments(t, docs, c, 0, c.Documents(), true)
	sample := func(output string, more ...string) int {
		t.Helper()
		return run(t, append([]string{"--allocate", "--run", "r", "-o", output, docs}, more...)...)
	}
	if code := sample(file, "--rounds", "3", "--epochs", "3", "--secret", key); code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	want, sums := documentsOf(t, file)
	flags := scheme.Flags{Allocate: true, Epochs: new(3)}
	die(t, &Command{Flags: flags, Rounds: 3, RunName: "r", Unit: "document", Secret: key, Output: topic}, c, 5)
	for _, other := range [][]string{
		{"--rounds", "3"}, {"--rounds", "9"}, {"--rounds", "3", "--epochs", "2"}, {"--rounds", "1", "--epochs", "9"},
		{"--rounds", "9", "--epochs", "3"},
	} {
		if code := sample(topic, append(other, "--secret", key)...); code != exit.Usage {
			t.Errorf("%s in a run of 3 epochs of 3 rounds: exit code %d", other, code)
		}
	}
	if code := sample(topic, "--rounds", "3", "--epochs", "3"); code != exit.Usage {
		t.Errorf("new coins for a run that was begun: exit code %d", code)
	}
	for range 2 { // the second start finds all rounds
		if code := sample(topic, "--rounds", "3", "--epochs", "3", "--secret", key); code != exit.OK {
			t.Fatalf("exit code %d", code)
		}
		got, closes := documentsOf(t, topic)
		if !slices.Equal(got, want) || len(closes) != 9 {
			t.Errorf("the partitions hold other rounds than the file, in %d rounds", len(closes))
		}
		units := uint64(0)
		for round, sum := range sums {
			units += sum.Units
			if !proto.Equal(closes[round], sum) {
				t.Errorf("round %d announces %v, want %v", round, closes[round], sum)
			}
		}
		if units != 3*3000 {
			t.Errorf("%d units in three epochs of 3000", units)
		}
	}
}

// TestWindowsOfTopic: documents arrive in the partitions of one topic. Each counts in the window of its arrival, once.
// A run that lost its state cannot go on.
func TestWindowsOfTopic(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"rounds.private": 2, "begun.private": 2})
	fake.Broker().Create(t, "documents.private", 2, stamped)
	topic := "kafka://" + fake.Address + "/"
	c := corpusOf(t, wire.Unit_DOCUMENT, 100)
	writeDocuments(t, topic+"documents.private?partition=0", c, 0, 60, false)
	writeDocuments(t, topic+"documents.private?partition=1", c, 50, 100, false) // some twice
	state := filepath.Join(t.TempDir(), "state")
	args := []string{"--epoch", "--window", "700000h", "--rounds", "3", "--window-start", "2020-01-01T00:00:00Z",
		"--window-state", state, "-o", topic + "rounds.private", topic + "documents.private?until=end"}
	h := header(10)
	h.Kind, h.Unit = wire.Kind_ROUNDS, wire.Unit_DOCUMENT
	outs, err := endpoint.CreateStreams(t.Context(), topic+"begun.private", h, "none")
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range outs {
		defer out.Abort()
	}
	scheme := &wire.Scheme{Method: wire.Scheme_EPOCH, Rate: 1. / 3, Rounds: 3}
	begun := []*wire.Record{
		{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}},
		{Round: 1, Body: &wire.Record_RoundClose{RoundClose: new(wire.RoundClose)}},
	}
	if err := errors.Join(outs[0].Write(begun[0]), outs[0].Write(begun[1]), outs[0].Flush()); err != nil {
		t.Fatal(err)
	}
	if code := run(t, append(args, "-o", topic+"begun.private")...); code != exit.Usage {
		t.Errorf("windows of a topic that the state does not know: exit code %d", code)
	}
	if code := run(t, args...); code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	documents, closes := documentsOf(t, topic+"rounds.private")
	if len(documents) != 101 || len(closes) != 1 || closes[1].GetUnits() != 100 {
		t.Errorf("got %d records and %v, want a round of 100 documents", len(documents), closes)
	}
}

// TestTopicChanged: sample refuses an end record of another program, and a topic that got partitions during the run.
func TestTopicChanged(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"ended.private": 2, "added.private": 2})
	folder := t.TempDir()
	key, docs := filepath.Join(folder, "key"), filepath.Join(folder, "docs.pp")
	c := corpusOf(t, wire.Unit_DOCUMENT, 30)
	writeDocuments(t, docs, c, 0, c.Documents(), true)
	for name, change := range map[string]func(again func() *parts){
		"ended.private": func(again func() *parts) {
			if err := again().commit(); err != nil { // of a program that wrote no round
				t.Fatal(err)
			}
		},
		"added.private": func(func() *parts) {
			client, err := kgo.NewClient(kgo.SeedBrokers(fake.Address))
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			wanted := kmsg.NewCreatePartitionsRequestTopic()
			wanted.Topic, wanted.Count = "added.private", 3
			request := kmsg.NewPtrCreatePartitionsRequest()
			request.Topics = append(request.Topics, wanted)
			if _, err := request.RequestWith(t.Context(), client); err != nil {
				t.Fatal(err)
			}
		},
	} {
		topic := "kafka://" + fake.Address + "/" + name
		rate := 0.5
		s := &Command{Rounds: 3, RunName: "r", Unit: "document", Secret: key, Output: topic}
		s.Poisson = &rate
		s.Compress.Compress = "none"
		begin := func() *parts {
			out, err := s.create(t.Context(), s.header(header(10)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(out.abort)
			return out
		}
		out := begin()
		chooser, scheme, err := s.chooser(t.Context(), c, nil, false)
		for round := 1; round < s.all() && err == nil; round++ {
			err = out.write(t.Context(), c, scheme, uint32(round), chooser.Round(round))
		}
		if err != nil {
			t.Fatal(err)
		}
		change(begin)
		code := run(t, "--poisson", "0.5", "--rounds", "3", "--run", "r", "--secret", key, "-o", topic, docs)
		if code != exit.Malformed {
			t.Errorf("%s: exit code %d, want %d", name, code, exit.Malformed)
		}
	}
}

// TestDryRunOfTopics: a dry run finds that a topic to write is missing, unless --create would make it, and makes none.
func TestDryRunOfTopics(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"documents.private": 1, "rounds.private": 1})
	topic := "kafka://" + fake.Address + "/"
	for _, c := range []struct {
		code int
		args []string
	}{
		{exit.OK, []string{"-o", topic + "rounds.private"}}, {exit.Missing, []string{"-o", topic + "none.private"}},
		{exit.OK, []string{"-o", topic + "none.private", "--create", "1"}},
	} {
		args := append([]string{"--all", "--dry-run", topic + "documents.private"}, c.args...)
		if code := run(t, args...); code != c.code {
			t.Errorf("%v: exit code %d, want %d", args, code, c.code)
		}
	}
	if fake.TopicInfo("none.private") != nil {
		t.Error("a dry run made a topic")
	}
}
