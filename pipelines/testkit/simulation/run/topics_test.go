package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	estep "privpipe/estep/command"
	mstep "privpipe/mstep/command"
	_ "privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/testkit/simulation"
	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/network"
	"privpipe/pipelines/testkit/simulation/system"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	privatize "privpipe/privatize/command"
	sample "privpipe/sample/command"
)

var words = vocabulary.Words{"red", "green", "blue"}

// topicsInput returns six documents.
func topicsInput() []byte {
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Unit:       wire.Unit_DOCUMENT,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words))}
	var records []*wire.Record
	for i := range 6 {
		d := &wire.Document{Id: fmt.Sprint(canary, i), WordGaps: []uint32{uint32(i % 3)},
			Counts: []uint32{uint32(1 + i/2)}}
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	stream, _ := script.Stream(h, records...)
	return stream
}

func topicsGrant() *event.Grant {
	g := wallGrant()
	g.Scheme = event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: wallRounds, Secret: true}
	g.Subject.Vocabulary = fmt.Sprintf("%x", words.Hash())
	return g
}

// A topics is a scenario of a whole pipeline over Kafka.
type topics struct {
	foreign, poison bool // another program writes to the topics: messages that change nothing, or that nobody can read

	sums map[int]string // the exact sum of each round, by the first run with fixed coins
}

func (o *topics) scenario() *simulation.Scenario {
	faults := slices.Concat(simulation.Usual, []effect.Fault{network.CutBefore, network.CutAfter, network.CutAfter,
		network.LandsLate, network.LandsLate, network.SlowAnswer, network.Doubled, network.Doubled})
	return &simulation.Scenario{Faults: faults, Prepare: o.prepare, Share: 5}
}

func (o *topics) prepare(w *simulation.World) ([]simulation.Job, func() error) {
	begin(w.Machine)
	w.Machine.Put("/private.pp", topicsInput())
	w.Machine.Put(grantName, encoded(topicsGrant()))
	w.Machine.Put("/vocab.txt", []byte(strings.Join(words, "\n")+"\n"))
	w.Limit, w.Longest = 20*time.Minute, time.Minute // stages look at topics twice a second
	// Goroutines of one stage ask the same of two partitions, in any order: such requests cannot be told apart. Notes
	// of two partitions commute.
	n := network.Simulated(w.Scheduler, kmsg.DescribeConfigs, kmsg.ListOffsets, kmsg.OffsetCommit, kmsg.OffsetFetch)
	fake, err := broker.NewFake(map[string]int{"rounds.private": 2, "contributions.private": 2, "releases": 1,
		"parameters": 1}, broker.ShortSessions, kfake.ListenFn(broker.Mending(n.Listen)))
	if err != nil {
		panic(err)
	}
	w.Closing = func() {
		fake.Close()
		n.Close()
	}
	watch := &topicWatch{world: w, written: make(map[string][]byte), released: make(map[uint64][32]byte)}
	n.Asked = watch.asked
	url := func(topic string) string { return "kafka://" + fake.Address + "/" + topic }
	fixed := w.Seed%2 == 0
	if fixed { // each run has the same sums, and half of the runs draw other noise after each kill
		w.Coins.Seed = 0
		w.Coins.Again = func(string) int { return charges(w.Machine.Files.At(ledgerName).Content) }
	}
	refused := false
	job := func(s simulation.Stage, number string) simulation.Job {
		s.Name += number
		j := simulation.Job{Stages: []simulation.Stage{s}, Again: []int{exit.Locked, exit.Unavailable}}
		if o.poison {
			j.Ended = func(codes []int) error {
				if refused = refused || codes[0] == exit.Malformed; refused {
					w.Stop() // the others wait for ever
				} else if codes[0] != exit.OK {
					return fmt.Errorf("exit code %d: %s", codes[0], w.Messages())
				}
				return nil
			}
		}
		return j
	}
	estepArgs := "lda --workers 1 --params " + url("parameters") + " -o " + url("contributions.private") + " " +
		url("rounds.private") + "?group=workers&session=10s"
	jobs := []simulation.Job{
		job(stage(sample.Program, "--poisson 0.5 --rounds "+fmt.Sprint(wallRounds)+
			" --run grant --secret /wall/coins -o "+url("rounds.private")+" /private.pp"), ""),
		job(stage(estep.Program, estepArgs), ""), job(stage(estep.Program, estepArgs), " 2"),
		job(stage(privatize.Program, "gaussian --grant "+grantName+" --ledger "+ledgerName+" -o "+url("releases")+" "+
			url("contributions.private")+"?group=privatizer"), ""),
		job(stage(mstep.Program, "lda --topics 2 --run grant --seed 1 --vocab /vocab.txt --params-out "+
			url("parameters")+" -o /out/model.pp "+url("releases")), ""),
		job(simulation.Stage{Name: "broker", Execute: outages(w, n, fake)}, ""),
	}
	if o.foreign || o.poison {
		jobs = append(jobs, job(simulation.Stage{Name: "foreign", Execute: o.other(w, fake)}, ""))
	}
	return jobs, func() error {
		if refused {
			_, err := watch.charged()
			return err
		}
		err := errors.Join(watch.ended(wallRounds), whole(w.Machine, "/out/model.pp"))
		if err != nil || !fixed {
			return err
		}
		return o.compare(w)
	}
}

// compare compares the sums of a run with the sums of the first run.
func (o *topics) compare(w *simulation.World) error {
	sums := make(map[int]string)
	for round := 1; round <= wallRounds; round++ {
		f := w.Machine.Files.At(fmt.Sprintf("%s.releases/grant/%09d.sum", ledgerName, round))
		if f == nil {
			return fmt.Errorf("round %d has no sum", round)
		}
		sums[round] = string(f.Content)
	}
	if o.sums == nil {
		o.sums = sums
	}
	if !maps.Equal(o.sums, sums) {
		return errors.New("other sums than without faults")
	}
	return nil
}

// do performs an effect of a program of the test.
func do(kind, object string, act func()) {
	effect.Perform(&effect.Effect{Kind: kind, Object: object, Do: func(effect.Fault) { act() }})
}

// wander lets up to so many effects of other programs pass. In virtual time most of a pipeline's effects are at once.
func wander(w *simulation.World, most int) {
	n := 0
	do("draw", "wander", func() { n = w.Random.IntN(most) })
	for range n {
		do("wait", "wander", func() {})
	}
}

// outages is a program that ends the broker, sometimes, and starts it again. Some outages are longer than the patience
// of stages.
func outages(w *simulation.World, n *network.Network, fake broker.Faked) func(context.Context, []string,
	*system.Handle, *system.Handle, io.Writer) int {
	return func(context.Context, []string, *system.Handle, *system.Handle, io.Writer) int {
		do("up", "broker", func() { n.Up(fake.Address) })
		for range 2 {
			var down time.Duration
			do("draw", "broker", func() {
				down = time.Duration(w.Random.Int64N(int64(4*time.Minute))) * time.Duration(w.Random.IntN(2))
			})
			if wander(w, 100); down > 0 {
				do("down", "broker", func() { n.Down(fake.Address) })
				time.Sleep(down)
				do("up", "broker", func() { n.Up(fake.Address) })
			}
		}
		return exit.OK
	}
}

// other is a program that writes a message to each topic. A foreign message repeats the topic's first frame, which
// holds a header, and its own headers announce the end. A poison is no frame.
func (o *topics) other(w *simulation.World, fake broker.Faked) func(context.Context, []string, *system.Handle,
	*system.Handle, io.Writer) int {
	return func(ctx context.Context, _ []string, _, _ *system.Handle, _ io.Writer) int {
		which := 0
		do("draw", "foreign", func() { which = w.Random.IntN(8) })
		wander(w, 200)
		client := &kafka.Client{Addr: kafka.TCP(fake.Address), Timeout: 10 * time.Second,
			Transport: &kafka.Transport{Dial: network.Dial, Context: ctx}}
		topic := []string{"rounds.private", "contributions.private", "releases", "parameters"}[which%4]
		record := kafka.Record{Value: kafka.NewBytes([]byte("this is no frame"))}
		if o.foreign {
			first, err := client.Fetch(ctx, &kafka.FetchRequest{Topic: topic, MinBytes: 1, MaxBytes: 1 << 20,
				MaxWait: 5 * time.Second})
			if err != nil {
				return exit.OK
			}
			frame, err := first.Records.ReadRecord()
			if err != nil {
				return exit.OK // nobody has written yet
			}
			value, err := kafka.ReadAll(frame.Value)
			if err != nil {
				return exit.OK
			}
			record.Value = kafka.NewBytes(value)
			for key, value := range map[string]string{"writer": "beef", "frame": "0", "since": "0",
				"round": fmt.Sprint(1 + which/4*2), "mark": []string{"close", "end"}[which/4]} {
				record.Headers = append(record.Headers, kafka.Header{Key: key, Value: []byte(value)})
			}
			slices.SortFunc(record.Headers, func(a, b kafka.Header) int { return strings.Compare(a.Key, b.Key) })
		}
		client.Produce(ctx, &kafka.ProduceRequest{Topic: topic, RequiredAcks: kafka.RequireAll,
			Records: kafka.NewRecordReader(record)}) // it tries once
		return exit.OK
	}
}

// A topicWatch watches what privatizers write to topics: a release only leaves when its charge is durable, and each
// round has one release, whoever writes it.
type topicWatch struct {
	world    *simulation.World
	written  map[string][]byte   // the frames of the open set, by writer
	released map[uint64][32]byte // the digest of a round's frames
}

// asked looks at a request that reaches the broker.
func (t *topicWatch) asked(p *effect.Process, r network.Request) {
	write, ok := r.Parsed().(*kmsg.ProduceRequest)
	if !ok || !strings.HasPrefix(p.Name, "privatize") {
		return
	}
	for _, topic := range write.Topics {
		for _, partition := range topic.Partitions {
			for _, m := range broker.Messages(partition.Records) {
				t.message(m)
			}
		}
	}
}

func (t *topicWatch) message(m kmsg.Record) {
	headers := make(map[string]string)
	for _, h := range m.Headers {
		headers[h.Key] = string(h.Value)
	}
	if bytes.Contains(m.Value, []byte(canary)) {
		t.world.Fail("private words were written to a topic")
	}
	writer := headers["writer"]
	if headers["since"] == "0" {
		t.written[writer] = nil
	}
	t.written[writer] = append(t.written[writer], m.Value...)
	round, err := strconv.ParseUint(headers["round"], 10, 32)
	if err != nil || headers["mark"] != "close" || round == 0 {
		return
	}
	digest := sha256.Sum256(t.written[writer])
	if before, ok := t.released[round]; ok && before != digest {
		t.world.Fail("round %d left twice, with different noise", round)
	}
	t.released[round] = digest
	if rounds, err := t.charged(); err != nil || !rounds[int(round)] {
		t.world.Fail("round %d left, and its charge is not durable, %v", round, err)
	}
}

// charged returns the rounds that the ledger charges.
func (t *topicWatch) charged() (map[int]bool, error) {
	ledger, err := event.ReadLedger(bytes.NewReader(t.world.Machine.Files.Durable(ledgerName)), ledgerName)
	if err != nil {
		return nil, err
	}
	rounds := make(map[int]bool)
	for _, c := range ledger.Charges() {
		if rounds[c.Round] {
			return nil, fmt.Errorf("round %d was charged twice", c.Round)
		}
		rounds[c.Round] = true
	}
	return rounds, ledger.Check(ledgerName)
}

// ended checks that each of the rounds was charged once, and left.
func (t *topicWatch) ended(rounds int) error {
	charged, err := t.charged()
	left := slices.Sorted(maps.Keys(t.released))
	if err == nil && (len(charged) != rounds || len(left) != rounds) {
		err = fmt.Errorf("charged %v, released %v, must be %d rounds", charged, left, rounds)
	}
	if err == nil && strings.Contains(t.world.Messages(), canary) {
		err = errors.New("messages have private words")
	}
	return err
}
