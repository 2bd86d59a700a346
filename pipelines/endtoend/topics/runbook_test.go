package topics

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/stages"
)

// TestRunbook starts a run as the runbook says, stage by stage, on one broker and in six rounds, more than `sample`
// leads: the commands above the empty line one after the other, those below it side by side.
func TestRunbook(t *testing.T) {
	testkit.Deep(t, "kafka")
	b := broker.Real(t)
	page, err := os.ReadFile(filepath.Join(stages.Root, "pipelines/recipes/kafka/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?ms)^## Start a run\n.*?^```sh\n(.*?)\n\n(.*?)^```").FindSubmatch(page)
	if found == nil {
		t.Fatal("the runbook does not say how to start a run")
	}
	first, services := string(found[1]), strings.ReplaceAll(string(found[2]), "\\\n", "")
	for line := range strings.Lines(services) {
		first += "\n" + strings.TrimSuffix(line, "\n") + " & all+=($!)"
	}
	script := strings.NewReplacer(
		"brokers=kafka1:9092,kafka2:9092 run=news",
		"brokers="+b.Address+" run="+b.Topic(t, "runbook", 1, nil)+" all=()",
		"--replicas 3", "--replicas 1", "--rounds 80", "--rounds 6", "--topics 50", "--topics 5", "lda:50",
		"lda:5",
	).Replace(first) + "\nfor one in ${all[*]}; do wait $one; done\nshow $at.releases"
	folder := t.TempDir()
	setup := `comments "$(go env GOROOT)/src/net/http" >docs.jsonl; ln -s "$ROOT/pipelines" .; cp pipelines/vocabulary/english.txt vocab.txt`
	for _, s := range []string{setup, script} {
		command := exec.Command("bash", "-c", "set -euo pipefail\n"+s)
		command.Dir, command.Env = folder, append(os.Environ(), "ROOT="+stages.Root)
		if out, err := testkit.Output(scripted, command); err != nil {
			t.Fatalf("%s\n%v\n%s", s, err, out)
		} else if s == script && strings.Count(string(out), `{"release":`) != 6 {
			t.Errorf("not six releases in\n%s", out)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "model.pp")); err != nil {
		t.Error(err)
	}
}
