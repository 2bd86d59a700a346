package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// privatize runs privatize in a folder, and returns its exit code and what it says.
func privatize(t *testing.T, folder string, args ...string) (code int, says string) {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command("privatize", args...)
	command.Dir, command.Stderr = folder, &stderr
	err := command.Run()
	if stopped := (*exec.ExitError)(nil); err != nil && !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), stderr.String()
}

// resuming returns a folder with a grant, a ledger, and streams of one, two and three rounds.
func resuming(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	grant, err := json.Marshal(&event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document,
		Clip: 2, NoiseMultiplier: 1, Releases: 3,
		Scheme: event.Scheme{Method: event.Poisson, Rate: 0.25, Rounds: 3, Secret: true},
		Subject: event.Subject{
			Model: "lda", Vocabulary: strings.Repeat("0", 64), VocabularySize: 3,
			Matrices: []event.Matrix{{Name: "topics", Rows: 2, Columns: 3}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"grant.json": grant,
		"1.pp":       rounds(nil, 1).stream(t, end),
		"2.pp":       rounds(nil, 1, 2).stream(t, end),
		"3.pp":       rounds(nil, 1, 2, 3).stream(t, end),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testkit.BeginLedger(t, filepath.Join(folder, "run.ledger"))
	return folder
}

// putBack puts a ledger in the place of another, with the releases beside it.
func putBack(t *testing.T, folder, from, to string) {
	t.Helper()
	path := func(name string) string { return filepath.Join(folder, name) }
	content, err := os.ReadFile(path(from))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.RemoveAll(path(to+".releases")), os.WriteFile(path(to), content, 0o600))
	if err == nil {
		err = os.CopyFS(path(to+".releases"), os.DirFS(path(from+".releases")))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLedgerPutBack: what the output topic and the claims have, and the ledger has not, is seen before anything is
// drawn.
func TestLedgerPutBack(t *testing.T) { broker.Each(t, ledgerPutBack) }

func ledgerPutBack(t *testing.T, b *broker.Broker) {
	at := "kafka://" + b.Address + "/"
	output, other := at+b.Topic(t, "releases", 1, nil), at+b.Topic(t, "other", 1, nil)
	log := "--claims=" + at + b.Topic(t, "claims", 1, nil)
	folder := resuming(t)
	run := func(want int, args ...string) string {
		t.Helper()
		code, says := privatize(t, folder,
			append([]string{"gaussian", "--grant", "grant.json", "--ledger", "run.ledger"}, args...)...)
		if code != want {
			t.Fatalf("privatize %v: exit code %d, want %d: %s", args, code, want, says)
		}
		return says
	}
	// refused runs privatize, which must refuse, and leave the ledger and the topic as they are.
	refused := func(words string, args ...string) {
		t.Helper()
		before, err := os.ReadFile(filepath.Join(folder, "run.ledger"))
		if err != nil {
			t.Fatal(err)
		}
		_, there, err := endpoint.Releases(t.Context(), output)
		if err != nil {
			t.Fatal(err)
		}
		if says := run(90, args...); !strings.Contains(says, words) || strings.Contains(says, "MARKER") {
			t.Errorf("privatize %v says %q, not %q", args, says, words)
		}
		after, err := os.ReadFile(filepath.Join(folder, "run.ledger"))
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("the ledger changed (%v)", err)
		}
		if _, now, err := endpoint.Releases(t.Context(), output); err != nil || len(now) != len(there) {
			t.Errorf("%d releases are there, there were %d (%v)", len(now), len(there), err)
		}
	}

	run(0, "-o", output, log, "1.pp")
	putBack(t, folder, "run.ledger", "one.ledger")
	run(0, "-o", output, log, "2.pp")
	putBack(t, folder, "run.ledger", "two.ledger")
	run(0, "-o", output, log, "3.pp")
	run(0, "-o", output, log, "3.pp") // what is released and charged is answered again
	putBack(t, folder, "run.ledger", "whole.ledger")
	_, there, err := endpoint.Releases(t.Context(), output)
	if err != nil || len(there) != 1+2+3+3 {
		t.Fatalf("%d releases, %v", len(there), err)
	}

	for backup, round := range map[string]string{"one.ledger": "2", "two.ledger": "3"} {
		putBack(t, folder, backup, "run.ledger")
		words := "run.ledger: the output holds a release of round " + round +
			" of run grant, and the ledger has no charge of that release: it was restored from an old copy"
		refused(words, "-o", output, "3.pp")
		refused(words, "-o", output, "1.pp") // only replays: the ledger is not to be used at all
	}
	putBack(t, folder, "one.ledger", "run.ledger")
	refused("later claims follow the claim of round 2 of run grant", "-o", output, log, "3.pp")
	refused("later claims follow the claim of round 2 of run grant", "-o", other, log, "3.pp")

	// Another ledger of the same name, and one that has charged other noise by now.
	if err := os.RemoveAll(filepath.Join(folder, "run.ledger.releases")); err != nil {
		t.Fatal(err)
	}
	testkit.BeginLedger(t, filepath.Join(folder, "run.ledger"))
	refused("a release of round 1 of run grant", "-o", output, "3.pp")
	putBack(t, folder, "two.ledger", "run.ledger")
	run(0, "-o", "out.pp", "3.pp") // a file shows nothing
	refused("a release of round 3 of run grant", "-o", output, "3.pp")

	putBack(t, folder, "whole.ledger", "run.ledger")
	run(0, "-o", output, log, "3.pp")
}

// TestReportsPutBack: reports that the output topic has are not drawn a second time under a ledger without their
// charge.
func TestReportsPutBack(t *testing.T) { broker.Each(t, reportsPutBack) }

func reportsPutBack(t *testing.T, b *broker.Broker) {
	output := "kafka://" + b.Address + "/" + b.Topic(t, "reports", 1, nil)
	folder := t.TempDir()
	grant, err := json.Marshal(&event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.RandomizedResponse, Adjacency: event.ReplaceOne,
		Unit: event.Document,
		Flip: 0.25, MaxWords: 3, Releases: 1, Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 1},
		Subject: event.Subject{Vocabulary: strings.Repeat("0", 64), VocabularySize: 100},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "grant.json"), grant, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "three.pp"), documentStreams()["three.pp"], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(folder, "run.ledger")
	run := func(want int, words string) {
		t.Helper()
		code, says := privatize(t, folder, "randomized-response", "--grant", "grant.json", "--ledger", "run.ledger",
			"-o", output, "three.pp")
		if code != want || !strings.Contains(says, words) {
			t.Fatalf("exit code %d, want %d, and %q: %s", code, want, words, says)
		}
	}
	testkit.BeginLedger(t, ledger)
	run(0, "")
	run(0, "") // reported before: the same bytes
	if err := errors.Join(os.Rename(ledger, ledger+".away"),
		os.Rename(ledger+".releases", ledger+".away.releases")); err != nil {
		t.Fatal(err)
	}
	testkit.BeginLedger(t, ledger)
	run(90, "run.ledger: the output holds reports of round 1 of run grant, and the ledger has no charge of that "+
		"release")
	if _, err := os.Stat(ledger + ".releases"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reports were drawn: %v", err)
	}
	putBack(t, folder, "run.ledger.away", "run.ledger")
	run(0, "")
}

// toTopic writes the contributions of a file to a topic.
func toTopic(t *testing.T, file, topic string) {
	t.Helper()
	in, h, err := endpoint.OpenStream(t.Context(), file, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := endpoint.CreateStream(t.Context(), topic, h, "none")
	if err != nil {
		t.Fatal(err)
	}
	for record, err := in.Next(); err != io.EOF; record, err = in.Next() {
		if err := errors.Join(err, out.Write(record)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestForgedPublic: contributions in a private topic that call themselves public are not released. Only a program that
// forges them writes such, and none would otherwise sum them exactly, without a ledger.
func TestForgedPublic(t *testing.T) {
	b, folder := broker.Fake(t, map[string]int{"contributions.private": 1}), t.TempDir()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	forged := rounds(func(s *source) { s.header.Side = wire.Side_PUBLIC }, 1, 2, 3).stream(t, end)
	if err := client.ProduceSync(t.Context(),
		&kgo.Record{Topic: "contributions.private", Value: forged}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	code, says := privatize(t, folder, "none", "-o", "out.pp", "kafka://"+b.Address+"/contributions.private")
	if code != 90 || !strings.Contains(says, "a public stream in a topic whose name says that it is private") {
		t.Errorf("exit code %d, want 90: %s", code, says)
	}
	if _, err := os.Stat(filepath.Join(folder, "out.pp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is an output: %v", err)
	}
}

// TestNothingLeft: the group noted all rounds, or retention took them, and no release is known. The ledger and the
// releases were lost together, or never were. The run does not end well.
func TestNothingLeft(t *testing.T) {
	b := broker.Fake(t, map[string]int{"contributions.private": 1, "releases": 1, "second": 1}).Broker()
	at := "kafka://" + b.Address + "/"
	folder := resuming(t)
	toTopic(t, filepath.Join(folder, "3.pp"), at+"contributions.private")
	run := func(want int, output, input string) {
		t.Helper()
		end := b.End(t, output, 0)
		code, says := privatize(t, folder, "gaussian", "--grant", "grant.json", "--ledger", "run.ledger", "-o",
			at+output, at+input)
		if code != want {
			t.Errorf("exit code %d, want %d: %s", code, want, says)
		}
		if want != 0 && (b.End(t, output, 0) != end ||
			!strings.Contains(says, "neither the output nor the ledger has a release")) {
			t.Errorf("it wrote, or says %q", says)
		}
	}
	run(0, "releases", "contributions.private?group=g")
	b.Delete(t, "releases", 0, b.End(t, "releases", 0))
	run(0, "releases", "contributions.private?group=g") // the ledger has them
	b.Delete(t, "releases", 0, b.End(t, "releases", 0))
	ledger := filepath.Join(folder, "run.ledger")
	if err := errors.Join(os.Remove(ledger), os.RemoveAll(ledger+".releases")); err != nil {
		t.Fatal(err)
	}
	testkit.BeginLedger(t, ledger)
	run(90, "releases", "contributions.private?group=g")
	b.Delete(t, "contributions.private", 0, b.End(t, "contributions.private", 0)-1)
	run(90, "second", "contributions.private?from=oldest")
}

// TestLedgerWithoutFolder: a ledger that is put back without its folder has lost the name that its claims were made
// under. These claims are not taken for another ledger's. The ledger need not have charged another ledger's releases.
func TestLedgerWithoutFolder(t *testing.T) {
	b := broker.Fake(t, map[string]int{"contributions.private": 1, "releases": 1, "claims": 1}).Broker()
	at, folder := "kafka://"+b.Address+"/", resuming(t)
	ledger := filepath.Join(folder, "run.ledger")
	toTopic(t, filepath.Join(folder, "3.pp"), at+"contributions.private")
	run := func() (int, string) {
		return privatize(t, folder, "gaussian", "--grant", "grant.json", "--ledger", "run.ledger",
			"--claims", at+"claims", "-o", at+"releases", at+"contributions.private?group=g")
	}
	if code, says := run(); code != 0 {
		t.Fatalf("exit code %d: %s", code, says)
	}
	content, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	older := strings.Join(lines[:len(lines)-2], "") // without the charge of the last round
	if err := errors.Join(os.RemoveAll(ledger+".releases"), os.WriteFile(ledger, []byte(older), 0o600)); err != nil {
		t.Fatal(err)
	}
	if code, says := run(); code != 90 || !strings.Contains(says, "the output holds a release of round 3") {
		t.Errorf("exit code %d, want 90: %s", code, says)
	}
}
