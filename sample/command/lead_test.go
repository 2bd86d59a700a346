package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
)

// within is how long anything may take. It is never waited for, but when a test fails.
const within = 30 * time.Second

// idle is how long a sample is watched that must not go on. A round takes it some milliseconds.
const idle = 300 * time.Millisecond

// releasesOf begins the releases of run r, whose function releases a round.
func releasesOf(t *testing.T, topic string) func(round uint32) {
	t.Helper()
	h := header(10)
	h.Kind, h.Side, h.Unit, h.Run = wire.Kind_RELEASES, wire.Side_PUBLIC, wire.Unit_DOCUMENT, "r"
	h.Matrices = []*wire.Matrix{{Name: "a", Rows: 1, Columns: 2, Element: wire.Element_INT64}}
	out, err := endpoint.CreateStream(t.Context(), topic, h, "none")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Abort)
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 6}
	return func(round uint32) {
		t.Helper()
		head := &wire.Release{Mechanism: "none", Grid: 1, Scheme: scheme}
		block := &wire.Block{Values: make([]byte, 16)}
		err := errors.Join(out.Write(&wire.Record{Round: round, Body: &wire.Record_Release{Release: head}}),
			out.Write(&wire.Record{Round: round, Body: &wire.Record_Block{Block: block}}), out.Flush())
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A sampler is a sample under way.
type sampler struct {
	*exec.Cmd
	ended  chan error
	stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *sampler {
	t.Helper()
	s := &sampler{Cmd: exec.Command("sample", args...), ended: make(chan error, 1)}
	s.Cmd.Stderr = &s.stderr
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.Cmd.Wait() }()
	t.Cleanup(func() { s.Process.Kill() })
	return s
}

// ends waits for the end of a sample and returns its exit code.
func (s *sampler) ends(t *testing.T) int {
	t.Helper()
	select {
	case err := <-s.ended:
		if stopped := (*exec.ExitError)(nil); err != nil && !errors.As(err, &stopped) {
			t.Fatal(err)
		}
	case <-time.After(within):
		t.Fatal("sample does not end")
	}
	t.Log(s.stderr.String())
	return s.ProcessState.ExitCode()
}

// stands reads how far the partitions of run r's topic have come. It returns the first and the last round among them. A
// round that is under way counts for the last.
func stands(t *testing.T, topic string) (least, most uint32) {
	t.Helper()
	h := header(10)
	h.Kind, h.Unit, h.Run = wire.Kind_ROUNDS, wire.Unit_DOCUMENT, "r"
	tails, err := endpoint.Tails(t.Context(), topic, h)
	if err != nil {
		t.Fatal(err)
	}
	least = tails[0].Closed
	for _, tail := range tails {
		reached := tail.Closed
		if tail.Midway {
			reached++
		}
		least, most = min(least, tail.Closed), max(most, reached)
	}
	return least, most
}

// comesTo waits until all rounds up to one are there, and sees that no more come.
func comesTo(t *testing.T, topic string, round uint32) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		least, most := stands(t, topic)
		if most > round {
			t.Fatalf("round %d is there, more than round %d", most, round)
		}
		if least == round {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it has come to round %d, want %d", least, round)
		}
	}
	time.Sleep(idle)
	if _, most := stands(t, topic); most != round {
		t.Fatalf("round %d is there, more than round %d", most, round)
	}
}

// TestLead: no more rounds stand ahead of the releases than --lead says, whoever of the two is started again, and the
// run comes to its end with the rounds that it would have had.
func TestLead(t *testing.T) {
	for name, follow := range map[string][]string{
		"by name": {"--lead", "2"}, "by flag": {"--lead", "2", "--follow"}, "as usual": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := broker.Fake(t, map[string]int{"r.rounds.private": 2, "r.releases": 1, "other": 1})
			topic, released, lead := "kafka://"+fake.Address+"/", "r.releases", uint32(2)
			if follow == nil {
				lead = 4
			}
			if len(follow) == 3 {
				released = "other"
				follow = append(follow, topic+released)
			}
			folder := t.TempDir()
			docs, key, file := filepath.Join(folder, "docs.pp"), filepath.Join(folder, "key"),
				filepath.Join(folder, "rounds.pp")
			c := corpusOf(t, wire.Unit_DOCUMENT, 300)
			writeDocuments(t, docs, c, 0, c.Documents(), true)
			args := []string{"--poisson", "0.5", "--rounds", "8", "--run", "r", "--secret", key}
			if code := run(t, append(args, "-o", file, docs)...); code != exit.OK {
				t.Fatalf("exit code %d", code)
			}
			rounds := topic + "r.rounds.private"
			args = append(slices.Concat(args, follow), "-o", rounds, docs)

			first := start(t, args...)
			comesTo(t, rounds, lead)
			release := releasesOf(t, topic+released)
			release(1)
			comesTo(t, rounds, lead+1)
			first.Process.Signal(syscall.SIGTERM)
			if code := first.ends(t); code != exit.Terminated {
				t.Errorf("stopped while it waits: exit code %d", code)
			}
			second := start(t, args...)
			comesTo(t, rounds, lead+1)
			release(2)
			comesTo(t, rounds, lead+2)
			again := releasesOf(t, topic+released) // a privatizer that was started again sends its stored releases
			for round := range uint32(3) {
				again(round + 1)
			}
			comesTo(t, rounds, lead+3)
			again(8 - lead)
			if code := second.ends(t); code != exit.OK {
				t.Errorf("exit code %d", code)
			}
			want, _ := documentsOf(t, file)
			if got, _ := documentsOf(t, rounds); !slices.Equal(got, want) {
				t.Error("the topic holds other rounds than the file")
			}
		})
	}
}

// TestLeadFirstRound: rounds before --first-round are done, and not waited for, also where their releases are gone.
func TestLeadFirstRound(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"r.rounds.private": 2, "r.releases": 1})
	topic, folder := "kafka://"+fake.Address+"/", t.TempDir()
	docs, key := filepath.Join(folder, "docs.pp"), filepath.Join(folder, "key")
	if err := os.WriteFile(key, make([]byte, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	c := corpusOf(t, wire.Unit_DOCUMENT, 30)
	writeDocuments(t, docs, c, 0, c.Documents(), true)
	s := start(t, "--poisson", "0.5", "--rounds", "8", "--first-round", "5", "--lead", "2", "--run", "r", "--secret",
		key,
		"-o", topic+"r.rounds.private", docs)
	comesTo(t, topic+"r.rounds.private", 6)
	release := releasesOf(t, topic+"r.releases")
	release(5)
	comesTo(t, topic+"r.rounds.private", 7)
	release(6)
	if code := s.ends(t); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
}

// TestLeadRefuses: a sample that waits for what never comes says so, and at its start where it can.
func TestLeadRefuses(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"r.rounds.private": 2, "rounds.private": 2, "s.rounds.private": 1,
		"s.releases": 1, "two": 2})
	topic, docs := "kafka://"+fake.Address+"/", filepath.Join(t.TempDir(), "docs.pp")
	c := corpusOf(t, wire.Unit_DOCUMENT, 10)
	writeDocuments(t, docs, c, 0, c.Documents(), true)
	releasesOf(t, topic+"s.releases")(1)
	for words, test := range map[string]struct {
		code int
		args []string
	}{
		"--follow: kafka://" + fake.Address +
			"/r.releases: no such topic": {exit.Missing, []string{"--run", "r", "-o", topic + "r.rounds.private"}},
		`of run "r", not of run "s"`: {exit.Malformed,
			[]string{"--run", "s", "-o", topic + "s.rounds.private"}},
		"has 2 partitions": {exit.Usage,
			[]string{"--follow", topic + "two", "-o", topic + "rounds.private"}},
		"a private topic": {exit.Usage,
			[]string{"--follow", topic + "s.rounds.private", "-o", topic + "rounds.private"}},
		"do not belong to a topic that is": {exit.Usage,
			[]string{"--follow", topic + "s.releases?until=end", "-o", topic + "rounds.private"}},
		"not the name of a topic": {exit.Usage, []string{"--follow", docs, "-o", topic + "rounds.private"}},
		"--lead needs --follow here": {exit.Usage,
			[]string{"--lead", "2", "--run", "r", "-o", topic + "rounds.private"}},
		"belong to an output that is a": {exit.Usage, []string{"--lead", "2"}},
		"--lead must not be negative":   {exit.Usage, []string{"--lead=-1", "-o", topic + "rounds.private"}},
		"--lead 0 waits for nothing": {exit.Usage,
			[]string{"--lead", "0", "--follow", topic + "s.releases", "-o", topic + "rounds.private"}},
		"do not belong to --window": {exit.Usage,
			[]string{"--epoch", "--window", "1h", "--lead", "1", "-o", topic + "rounds.private"}},
		"nothing bounds how far rounds run ": {exit.OK, []string{"-o", topic + "rounds.private"}},
	} {
		args := append([]string{"--rounds", "6", docs}, test.args...)
		if !slices.Contains(args, "--epoch") {
			args = append(args, "--all")
		}
		s := start(t, args...)
		if code := s.ends(t); code != test.code || !strings.Contains(s.stderr.String(), words) {
			t.Errorf("%q: exit code %d, want %d: %s", test.args, code, test.code, s.stderr.String())
		}
	}
	if code := run(t, "--all", "--rounds", "6", "--lead", "0", "--run", "r", "-o", topic+"r.rounds.private",
		docs); code != exit.OK {
		t.Errorf("without a bound: exit code %d", code)
	}
}
