package topics

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
)

const inPlace = "collapsed -q --statistic increments --document-noise 1 --noise-each-round"

// TestSweepChain: wherever estep is killed at its writes to a topic, the same command goes on with its state. The model
// equals the model of a run over pipes with the same key. The privatizer and the learner go on meanwhile.
func TestSweepChain(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		s := newSweep(t, b)
		_, vocab := s.corpus()
		whole := exec.Command("bash", "-c", fmt.Sprintf(`set -euo pipefail
	mkfifo params
	account ledger new ledger
	sample -q --run r --all --rounds %d docs.pp | estep %s --secret coins --params params |
	  privatize none -q --run r --ledger ledger | mstep counts -q --run r --topics 2 --vocab vocab.txt --params-out params -o model`, swept, inPlace))
		whole.Dir = s.folder
		if out, err := testkit.Output(scripted, whole); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want, err := os.ReadFile(filepath.Join(s.folder, "model"))
		if err != nil {
			t.Fatal(err)
		}
		s.must(s.folder, fmt.Sprintf("sample -q --run r --all --rounds %d -o %s docs.pp", swept,
			s.topic("rounds.private", 1)))
		others := make(map[string][]*exec.Cmd)
		begin := func(place, folder string) string {
			direct := strings.NewReplacer(s.address, b.Address)
			contributions, releases, parameters := s.topic("contributions"+place+".private", 1),
				s.topic("releases"+place, 1), s.topic("parameters"+place, 1)
			s.must(folder, "account ledger new -q ledger")
			for _, command := range []string{
				fmt.Sprintf("privatize none -q --run r --ledger ledger -o %s %s?group=%s", releases, contributions,
					s.name+place),
				fmt.Sprintf("mstep counts -q --run r --topics 2 --vocab %s --params-out %s -o model %s",
					vocab, parameters, releases),
			} {
				arguments := strings.Fields(direct.Replace(command))
				c := exec.Command(arguments[0], arguments[1:]...)
				c.Dir, c.Stderr = folder, new(bytes.Buffer)
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Process.Kill() })
				others[place] = append(others[place], c)
			}
			return fmt.Sprintf("estep %s --state state.pp --secret ../coins --params %s -o %s %s?partition=0", inPlace,
				parameters, contributions,
				s.url("rounds.private"))
		}
		s.all(begin, func(place, folder string) error {
			ctx, end := s.progress(folder)
			defer end()
			for _, c := range others[place] {
				late := context.AfterFunc(ctx, func() { c.Process.Kill() })
				if err := c.Wait(); err != nil {
					return fmt.Errorf("%s: %w\n%s", c.Args[0], cmp.Or(context.Cause(ctx), err), c.Stderr)
				}
				late()
			}
			if charged := sums(t, filepath.Join(folder, "ledger")); len(charged) != swept {
				return fmt.Errorf("%d rounds were charged", len(charged))
			}
			got, err := os.ReadFile(filepath.Join(folder, "model"))
			if err == nil && !bytes.Equal(got, want) {
				err = errors.New("another model than that of a run without a kill")
			}
			return err
		})
	})
}

// TestCoupledPartitions: no worker answers one partition of several as if it held all documents, nor begins to.
func TestCoupledPartitions(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		s := newSweep(t, b)
		documents, vocab := s.corpus()
		rounds, contributions := s.topic("rounds.private", 2), s.topic("contributions.private", 2)
		s.must(s.folder, fmt.Sprintf("sample -q --run r --all --rounds 1 -o %s %s", rounds, documents))
		parameters := exec.Command("bash", "-c", fmt.Sprintf(`set -euo pipefail
	mkfifo params
	account ledger new ledger
	sample -q --run r --all --rounds 1 docs.pp | estep lda -q --params params | privatize none -q --run r --ledger ledger | tee releases.pp |
	  mstep lda -q --run r --topics 2 --vocab %[1]s --params-out params -o model
	mstep lda -q --run r --topics 2 --vocab %[1]s --params-out params.pp -o model releases.pp`, vocab))
		parameters.Dir = s.folder
		if out, err := testkit.Output(scripted, parameters); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, err := s.run(s.folder, 0, false,
			"estep "+inPlace+" --state state.pp --secret coins --params params.pp -o "+contributions+" "+rounds+
				"?partition=0")
		if err == nil || !strings.Contains(err.Error(),
			"has several partitions, and this model answers all documents of a round together") {
			t.Errorf("got %v, want a refusal", err)
		}
		for partition := range 2 {
			if end := b.End(t, s.name+"contributions.private", partition); end != 0 {
				t.Errorf("it sent %d messages to partition %d", end, partition)
			}
		}
	})
}
