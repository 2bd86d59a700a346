package topics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// corpus writes documents over a vocabulary of a few words, and a key of coins.
func (s *sweep) corpus() (documents, vocab string) {
	s.t.Helper()
	var texts, words strings.Builder
	for word := range 24 {
		fmt.Fprintf(&words, "word%c\n", 'a'+word)
	}
	for i := range 60 {
		fmt.Fprintf(&texts, `{"id": "d%d", "text": "word%c word%c word%c"}`+"\n", i, 'a'+i%24, 'a'+i*7%24, 'a'+i*i%24)
	}
	write := func(name, content string) string {
		path := filepath.Join(s.folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			s.t.Fatal(err)
		}
		return path
	}
	vocab = write("vocab.txt", words.String())
	documents = filepath.Join(s.folder, "docs.pp")
	write("coins", strings.Repeat("k", 32))
	s.must(s.folder, "tokenize text -q --vocab "+vocab+" -o "+documents+" "+write("docs.jsonl", texts.String()))
	return documents, vocab
}

// messages are those of a partition, by their writers, of which each writes a stream or the beginning of one.
func (s *sweep) messages(topic string, partition int32) map[string][]byte {
	s.t.Helper()
	topic = s.name + topic
	end := s.broker.End(s.t, topic, int(partition))
	client, err := kgo.NewClient(kgo.SeedBrokers(s.broker.Address), kgo.ConsumePartitions(
		map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().AtStart()}}))
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := testkit.Progress(scripted)
	defer cancel()
	all := make(map[string][]byte)
	for next := int64(0); next < end; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			s.t.Fatal(err)
		}
		for _, r := range fetches.Records() {
			all[string(r.Headers[0].Value)] = append(all[string(r.Headers[0].Value)], r.Value...)
			next = r.Offset + 1
		}
	}
	return all
}

// releases are those that a topic holds, by their rounds. All copies of one must be the same.
func (s *sweep) releases(topic string) (map[uint32]string, error) {
	all := make(map[uint32]string)
	for writer, content := range s.messages(topic, 0) {
		in, err := stream.NewReader(bytes.NewReader(content), writer)
		for err == nil {
			var set *stream.Set
			if set, err = stream.ReadSet(in, nil); err == nil {
				cells, err := stream.Cells[int64](set, "words")
				if err != nil {
					return nil, err
				}
				content := fmt.Sprint(set.Release.String(), cells)
				if other, again := all[set.Round]; again && other != content {
					return nil, fmt.Errorf("round %d occurs twice in the topic, not the same each time", set.Round)
				}
				all[set.Round] = content
			}
		}
		if err != io.EOF && !errors.Is(err, stream.ErrTruncated) {
			return nil, err
		}
	}
	return all, nil
}

// sets are those of a topic of parameters, as its readers get them up to its end.
func (s *sweep) sets(ctx context.Context, topic string) ([]string, error) {
	in, _, err := endpoint.OpenStream(ctx, s.url(topic)+"?from=start",
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ctx, end := testkit.Progress(scripted)
	defer end()
	late := context.AfterFunc(ctx, func() { in.Close() })
	defer late()
	var sets []string
	for {
		set, err := stream.ReadSet(in.Reader, nil)
		if err == io.EOF {
			return sets, nil
		}
		if err != nil {
			return nil, err
		}
		cells, err := stream.Cells[float32](set, "weights")
		if err != nil {
			return nil, err
		}
		sets = append(sets, fmt.Sprint(set.Round, set.Parameters, cells))
	}
}

// A privatizing is a sweep whose broker has contributions that are to be released.
type privatizing struct {
	*sweep
	vocab     string
	mechanism string         // with its grant
	sums      map[int]string // digests of the sums that no kill gave, by round
	model     string         // what mstep made of them
}

// newPrivatizing answers rounds in the given number of partitions, and privatizes the answers once without a kill.
// Gaussian noise makes each run's releases its own. Without it the releases are exact sums, and the same in all runs.
func newPrivatizing(t *testing.T, b *broker.Broker, partitions int, gaussian bool) *privatizing {
	s := newSweep(t, b)
	rounds, contributions := s.topic("rounds.private", partitions), s.topic("contributions.private", partitions)
	documents, vocab := s.corpus()
	p := &privatizing{sweep: s, vocab: vocab, mechanism: "none"}
	s.must(s.folder, fmt.Sprintf("sample -q --run r --poisson 0.5 --rounds %d --secret coins -o %s %s",
		swept, rounds, documents))
	s.must(s.folder, fmt.Sprintf("estep words -q -o %s %s", contributions, rounds))
	s.must(s.folder, "account ledger new ledger")
	if gaussian {
		s.must(s.folder, fmt.Sprintf("account plan -q --epsilon 1 --delta 1e-6 --poisson 0.5 --rounds %d --ledger "+
			"ledger --model words --matrix words=1xV --vocab %s -o grant", swept, vocab))
		p.mechanism = "gaussian --grant ../grant"
	}
	folder := filepath.Join(s.folder, "reference")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s.must(folder, p.begin("reference", folder))
	model, err := p.judge("reference", folder)
	if err != nil {
		t.Fatal(err)
	}
	if !gaussian {
		p.sums, p.model = sums(t, filepath.Join(folder, "ledger")), model
	}
	return p
}

// begin makes a ledger and topics for a run and returns the privatizer's command.
func (p *privatizing) begin(place, folder string) string {
	p.t.Helper()
	ledger, err := os.ReadFile(filepath.Join(p.folder, "ledger"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "ledger"), ledger, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintf("privatize %s -q --run r --ledger ledger --claims %s -o %s %s?group=%s", p.mechanism,
		p.topic("claims"+place, 1), p.topic("releases"+place, 1), p.url("contributions.private"), p.name+place)
}

// judge says whether a run released each round once, charged once, and from the very sum, and returns what mstep makes
// of them.
func (p *privatizing) judge(place, folder string) (model string, err error) {
	charged := sums(p.t, filepath.Join(folder, "ledger"))
	released, err := p.releases("releases" + place)
	if err != nil {
		return "", err
	}
	if len(charged) != swept || len(released) != swept {
		return "", fmt.Errorf("%d rounds were charged and %d released, want %d", len(charged), len(released), swept)
	}
	if p.sums != nil && !maps.Equal(charged, p.sums) {
		return "", errors.New("a round was released from another sum")
	}
	_, err = p.run(folder, 0, false,
		fmt.Sprintf("mstep words -q --run r --vocab %s -o model %s", p.vocab, p.url("releases"+place)))
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(folder, "model"))
	if model = string(content); p.model != "" && model != p.model {
		err = errors.New("another model than that of a run without a kill")
	}
	return model, err
}

// TestSweepPrivatize: wherever the privatizer is killed, the same command ends the run.
func TestSweepPrivatize(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		for _, c := range []struct {
			partitions int
			gaussian   bool
		}{{1, false}, {2, false}, {2, true}, {8, false}} {
			t.Run(fmt.Sprintf("partitions %d gaussian %v", c.partitions, c.gaussian), func(t *testing.T) {
				if c.partitions != 2 {
					testkit.Deep(t, "kafka")
				}
				t.Parallel()
				p := newPrivatizing(t, b, c.partitions, c.gaussian)
				p.all(p.begin, func(place, folder string) error {
					_, err := p.judge(place, folder)
					return err
				})
			})
		}
	})
}

// TestSweepSample: wherever the sampler is killed, the same command ends its rounds, of which the same sums come.
func TestSweepSample(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		for _, partitions := range []int{1, 2, 4} {
			t.Run(fmt.Sprint("partitions ", partitions), func(t *testing.T) {
				if partitions != 2 {
					testkit.Deep(t, "kafka")
				}
				t.Parallel()
				p := newPrivatizing(t, b, partitions, false)
				begin := func(place, folder string) string {
					return fmt.Sprintf("sample -q --run r --poisson 0.5 --rounds %d --secret ../coins -o %s ../docs.pp",
						swept, p.topic("rounds"+place+".private", partitions))
				}
				p.all(begin, func(place, folder string) error {
					answers := p.topic("contributions"+place+".private", partitions)
					_, err := p.run(folder, 0, false, "estep words -q -o "+answers+" "+p.url("rounds"+place+".private"))
					if err == nil {
						command := strings.Replace(p.begin(place, folder), p.url("contributions.private"), answers, 1)
						_, err = p.run(folder, 0, false, command)
					}
					if err == nil {
						_, err = p.judge(place, folder)
					}
					return err
				})
			})
		}
	})
}

// TestSweepMstep: wherever the learner is killed, amid parameters or their end, the same command makes its model, and
// the parameters are there as they are without a kill. That holds with a checkpoint of each round, and of each second.
func TestSweepMstep(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		for _, every := range []int{1, 2} {
			t.Run(fmt.Sprint("checkpoint every ", every), func(t *testing.T) {
				t.Parallel()
				sweepMstep(t, b, every)
			})
		}
	})
}

func sweepMstep(t *testing.T, b *broker.Broker, every int) {
	s := newSweep(t, b)
	_, vocab := s.corpus()
	training := exec.Command("bash", "-c", fmt.Sprintf(`set -euo pipefail
mkfifo params
account ledger new ledger
sample -q --run r --poisson 0.5 --rounds %d --secret coins docs.pp | estep lda -q --params params |
  privatize none -q --run r --ledger ledger | tee releases.pp | mstep lda -q --topics 2 --vocab vocab.txt --params-out params -o model`, swept))
	training.Dir = s.folder
	if out, err := testkit.Output(scripted, training); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(s.folder, "model"))
	if err != nil {
		t.Fatal(err)
	}
	begin := func(place, _ string) string {
		return fmt.Sprintf("mstep lda -q --topics 2 --vocab %s --run r --checkpoint-every %d --params-out %s -o "+
			"model ../releases.pp", vocab, every,
			s.topic("parameters"+place, 1))
	}
	var first []string
	s.all(begin, func(place, folder string) error {
		got, err := os.ReadFile(filepath.Join(folder, "model"))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return errors.New("another model than that of a run without a kill")
		}
		sets, err := s.sets(t.Context(), "parameters"+place)
		if err == nil && first == nil {
			first = sets
		}
		if err == nil && (len(sets) != swept+1 || !slices.Equal(sets, first)) {
			err = fmt.Errorf("%d sets of parameters, want %d, the same each time", len(sets), swept+1)
		}
		return err
	})
}

// TestOldestAtTheEnd: retention may have left nothing but the end in one partition, and rounds that were released in
// another.
func TestOldestAtTheEnd(t *testing.T) { broker.Each(t, oldestAtTheEnd) }

func oldestAtTheEnd(t *testing.T, b *broker.Broker) {
	p := newPrivatizing(t, b, 3, false)
	command := strings.TrimSuffix(p.begin("again", p.folder), "?group="+p.name+"again")
	p.must(p.folder, command)
	for partition, left := range []int64{1, 4, 1} {
		contributions := p.name + "contributions.private"
		end := p.broker.End(t, contributions, partition)
		b.Delete(t, contributions, partition, max(0, end-left))
	}
	p.must(p.folder, command+"?from=oldest")
	if _, err := p.judge("again", p.folder); err != nil {
		t.Error(err)
	}
}
