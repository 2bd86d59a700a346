package operations

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/stages"
)

// stage are the commands of the runbook, which break breaks.
const stage = `
stage() {
  case $1 in
    sample) sample --run "$run" --poisson 0.1 --rounds ${2:-3} --secret coins -o "$at.rounds.private" "$at.documents.private" ;;
    estep) estep lda --params "$at.parameters" -o "$at.contributions.private" "$at.rounds.private?group=$run.estep" ;;
    privatize) privatize --run "$run" --grant grant.json --ledger run.ledger --claims "$at.claims" \
      -o "${2:-$at.releases}" "$at.contributions.private?group=$run.privatize" ;;
    mstep) mstep lda --run "$run" --topics 5 --params-out "$at.parameters" -o model.pp "$at.releases" ;;
  esac
}
train() { for s in sample estep privatize mstep; do stage $s & done; wait; }
`

// broken are the entries of recovery.md: what breaks a run, the topic that is deleted, the stage that then ends, and
// how.
var broken = []struct {
	title   string
	before  string // in place of a training
	topic   string
	command string
	code    int
	says    string
	again   bool // the command ends with 0 after what the page says
}{
	{title: "The ledger is lost", before: "train; cp -rp run.ledger run.ledger.releases backup; rm run.ledger",
		command: "stage privatize", code: 90, says: "it was truncated, removed or restored from an old copy",
		again: true},
	{title: "The ledger is lost",
		before:  "train; cp -rp run.ledger run.ledger.releases backup; rm -r run.ledger run.ledger.releases",
		command: "stage privatize", code: 82, says: "no ledger is there", again: true},
	{title: "The ledger was restored from a backup",
		before:  "train; head -n -1 run.ledger >backup/old; cp -p run.ledger backup; cp backup/old run.ledger",
		command: "code=0; stage privatize || code=$?; cp backup/run.ledger .; exit $code", code: 90,
		says: "the ledger lacks charges"},
	{title: "The ledger was restored from a backup",
		before: "train; cp -p run.ledger backup; head -n -1 run.ledger >old; mv old run.ledger; rm -r " +
			"run.ledger.releases",
		command: `code=0; account verify --releases "$at.releases" run.ledger || code=$?; cp backup/run.ledger .; exit $code`,
		code:    90, says: "a release that no line of the ledger charges"},
	{title: "The folder of stored releases is lost",
		before: "train; cp -rp run.ledger.releases backup; rm -r run.ledger.releases",
		command: `topics --partitions 2 "$brokers" "$run.5" >topics.txt; privatize --run "$run" --grant grant.json --ledger run.ledger \
  -o "$at.5.releases" "$at.contributions.private?group=$run.privatize.5"`, code: 83, says: "its stored release is gone", again: true},
	{title: "The folder of stored releases is lost",
		before:  "train; cp -rp run.ledger.releases backup; rm -r run.ledger.releases",
		command: "stage privatize", code: 0, again: true},
	{title: "The key of the coins is lost",
		before:  "timeout 3 bash -c \"$(declare -f stage); stage sample 9\" || true; rm coins",
		command: "stage sample 9", code: 82, says: "earlier rounds were drawn with it"},
	{title: "A private topic is deleted", before: "train", topic: "rounds.private", command: "stage estep", code: 82,
		says: "no such topic"},
	{title: "The releases are deleted, or older than the ledger", before: "train; rm model.pp", topic: "releases",
		command: "stage mstep", code: 82, says: "no such topic"},
	{title: "The claims are deleted", before: "train", topic: "claims", command: "stage privatize", code: 82,
		says: "no such topic"},
	{title: "A broker is lost", before: "true", command: `at=kafka://127.0.0.1:1/news; privatize --run "$run" --grant grant.json --ledger run.ledger \
  -o "$at.releases?patience=100ms" "$at.contributions.private?patience=100ms"`, code: 101, says: "connection refused"},
	{title: "Offsets of a group are wrong", before: "train", command: "true"},
	{title: "A disk is full", before: "train; rm model.pp", command: `privatize --run "$run" --grant grant.json --ledger run.ledger \
  -o /dev/full "$at.contributions.private"`, code: 101, says: "no space left on device"},
	{title: "The model or its checkpoint is lost", before: "train; rm model.pp", command: "[[ -e model.pp ]]", code: 1,
		again: true},
}

// TestRecovery breaks runs as recovery.md says, looks for the symptoms that the page names, and applies the page's
// remedies. No remedy charges a round again, and the releases stay as they were.
func TestRecovery(t *testing.T) {
	testkit.Deep(t, "operations")
	page := read(t, filepath.Join(kafka, "recovery.md"))
	sections := make(map[string]string)
	for _, section := range strings.Split(page, "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		sections[title] = text
	}
	tried := make(map[string]bool)
	for _, c := range broken {
		tried[c.title] = true
		t.Run(c.title, func(t *testing.T) {
			t.Parallel()
			section, found := sections[c.title]
			if !found {
				t.Fatal("recovery.md has no such entry")
			}
			b := broker.Fake(t, nil)
			m := &machine{t: t, folder: t.TempDir(), address: b.Address}
			m.must(`
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
mkdir backup
topics --partitions 2 "$brokers" "$run"
account ledger new run.ledger
account plan --epsilon 1 --delta 1e-6 --poisson 0.1 --rounds 3 --ledger run.ledger --model lda --matrix topics=5xV -o grant.json
tokenize text -o "$at.documents.private" docs.jsonl
cp run.ledger charged
` + strings.Replace(c.before, "train;", "train; cp run.ledger charged;", 1))
			if c.before == "train" {
				m.must("cp run.ledger charged")
			}
			if c.topic != "" {
				remove(t, b.Address, run+"."+c.topic)
			}
			if code, said := m.bash(c.command); code != c.code || !strings.Contains(said, c.says) {
				t.Fatalf("exit code %d, want %d and %q:\n%s", code, c.code, c.says, said)
			}
			if c.says != "" && (!strings.Contains(section, "`"+c.says) && !strings.Contains(section, c.says+"`") ||
				!strings.Contains(section, fmt.Sprint(c.code))) {
				t.Errorf("the entry does not name %d, %q", c.code, c.says)
			}
			for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(section, -1) {
				m.must(block[1])
				m.must("cmp run.ledger charged")
			}
			if c.again {
				if code, said := m.bash(c.command); code != 0 {
					t.Errorf("exit code %d after what the page says\n%s", code, said)
				}
			}
		})
	}
	for title, section := range sections {
		if strings.Contains(section, "```sh") && !tried[title] {
			t.Errorf("nobody tries %q", title)
		}
	}
}

// TestMirror: mstep learns the same model from a copy of the releases in another topic, at other offsets, as a mirror
// has them that was written again in part: values and headers are the same, and some messages are there twice.
func TestMirror(t *testing.T) {
	b := broker.Fake(t, nil)
	m := &machine{t: t, folder: t.TempDir(), address: b.Address}
	m.must(`
comments "$(go env GOROOT)/src/net/http" >docs.jsonl
topics --partitions 2 "$brokers" "$run"; topics "$brokers" "mirror.$run"
account ledger new run.ledger
account plan --epsilon 1 --delta 1e-6 --poisson 0.1 --rounds 3 --ledger run.ledger --model lda --matrix topics=5xV -o grant.json
tokenize text -o "$at.documents.private" docs.jsonl
train; mv model.pp first.pp`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address), kgo.ConsumeTopics(run+".releases"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var copies []*kgo.Record
	for ended := false; !ended; {
		fetched := client.PollFetches(ctx)
		if err := fetched.Err(); err != nil {
			t.Fatal(err)
		}
		fetched.EachRecord(func(r *kgo.Record) {
			copies = append(copies, &kgo.Record{Topic: "mirror." + r.Topic, Value: r.Value, Headers: r.Headers})
			for _, h := range r.Headers {
				ended = ended || h.Key == "mark" && string(h.Value) == "end"
			}
		})
	}
	copies = append([]*kgo.Record{copies[0], copies[0]}, copies[1:]...)
	if err := client.ProduceSync(ctx, copies...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	m.must(`
mstep lda --run "$run" --topics 5 -o model.pp "kafka://$brokers/mirror.$run.releases"
cmp model.pp first.pp
account verify --releases "kafka://$brokers/mirror.$run.releases" run.ledger`)
}

// A machine is where an operator works: a folder, and brokers.
type machine struct {
	t       *testing.T
	folder  string
	address string
}

// bash runs a script with the names of the runbook, and returns its exit code and all that it says.
func (m *machine) bash(script string) (code int, said string) {
	m.t.Helper()
	command := exec.Command("timeout", "100", "bash", "-c",
		fmt.Sprintf("set -euo pipefail\nbrokers=%s run=%s at=kafka://%[1]s/%[2]s\n%s%s", m.address, run, stage, script))
	command.Dir, command.Env = m.folder, append(os.Environ(), "at=kafka://"+m.address+"/"+run, "run="+run)
	if err := os.Symlink(filepath.Join(stages.Root, "pipelines"), filepath.Join(m.folder, "pipelines")); err != nil &&
		!os.IsExist(err) {
		m.t.Fatal(err)
	}
	out, _ := command.CombinedOutput()
	return command.ProcessState.ExitCode(), string(out)
}

// must runs a script, which must succeed.
func (m *machine) must(script string) {
	m.t.Helper()
	if code, said := m.bash(script); code != 0 {
		m.t.Fatalf("%s\nexit code %d\n%s", script, code, said)
	}
}

// remove deletes a topic.
func remove(t *testing.T, address, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = kadm.NewClient(client).DeleteTopic(context.Background(), topic)
	if err != nil {
		t.Fatal(err)
	}
}
