package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	client "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/simulation"
	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/network"
	"privpipe/pipelines/testkit/simulation/system"
)

const textTopic = "texts.private"

// remadeText is a scenario of a reader of texts. An author writes them, and somebody deletes the topic and makes it
// again between two of them. The reader gets no text of the new topic after texts of the old one, and says so.
func remadeText() *simulation.Scenario {
	return &simulation.Scenario{
		Faults: []effect.Fault{network.CutBefore, network.CutAfter, network.SlowAnswer, effect.Pause, effect.Kill},
		Prepare: func(w *simulation.World) ([]simulation.Job, func() error) {
			w.Limit, w.Longest = 20*time.Minute, time.Minute
			n := network.Simulated(w.Scheduler)
			fake, err := broker.NewFake(map[string]int{textTopic: 1}, kfake.ListenFn(broker.Mending(n.Listen)))
			if err != nil {
				panic(err)
			}
			w.Closing = func() {
				fake.Close()
				n.Close()
			}
			reader := simulation.Job{Again: []int{exit.Unavailable},
				Stages: []simulation.Stage{{Name: "reader", Execute: readTexts(w, fake.Address)}}}
			reader.Ended = func(codes []int) error {
				if codes[0] != exit.OK && codes[0] != exit.Malformed {
					return fmt.Errorf("exit code %d: %s", codes[0], w.Messages())
				}
				w.Stop()
				return nil
			}
			author := simulation.Job{Again: []int{exit.Unavailable},
				Stages: []simulation.Stage{{Name: "author", Execute: writeTexts(w, fake)}}}
			return []simulation.Job{reader, author}, func() error { return nil }
		}}
}

// readTexts is a program that reads texts until the last one.
func readTexts(w *simulation.World, address string) func(context.Context, []string, *system.Handle, *system.Handle,
	io.Writer) int {
	return func(ctx context.Context, _ []string, _, _ *system.Handle, messages io.Writer) int {
		location, err := kafka.Parse("kafka://" + address + "/" + textTopic)
		if err != nil {
			panic(err)
		}
		text, err := kafka.OpenText(ctx, location)
		if err != nil {
			fmt.Fprintln(messages, err)
			return exit.Code(err)
		}
		defer text.Close()
		var all string
		for b := make([]byte, 100); !strings.Contains(all, "last"); {
			n, err := text.Read(b)
			all += string(b[:n])
			if strings.Contains(all, "old") && strings.Contains(all, "new") {
				do("mixed", "texts", func() { w.Fail("texts of two topics were read as one: %q", all) })
			}
			if err != nil {
				fmt.Fprintln(messages, err)
				return exit.Code(err)
			}
		}
		return exit.OK
	}
}

// writeTexts is a program that writes texts, and has the topic made again between two of them.
func writeTexts(w *simulation.World, fake broker.Faked) func(context.Context, []string, *system.Handle, *system.Handle,
	io.Writer) int {
	again := false // whether the topic was made again
	return func(ctx context.Context, _ []string, _, _ *system.Handle, _ io.Writer) int {
		c := &client.Client{Addr: client.TCP(fake.Address), Timeout: 10 * time.Second,
			Transport: &client.Transport{Dial: network.Dial, Context: ctx}}
		put := func(text string) error {
			answer, err := c.Produce(ctx, &client.ProduceRequest{Topic: textTopic, RequiredAcks: client.RequireAll,
				Records: client.NewRecordReader(client.Record{Value: client.NewBytes([]byte(text + "\n"))})})
			if err == nil {
				err = answer.Error
			}
			return err
		}
		var olds int
		do("draw", "texts", func() { olds = 1 + w.Random.IntN(3) })
		for i := 0; i < olds && !again; i++ {
			// A request without an answer may still be under way. It would write an old text to the new topic.
			if put(fmt.Sprint("old ", i)) != nil {
				return exit.Unavailable
			}
			time.Sleep(time.Second)
		}
		var err error
		do("make again", "texts", func() {
			if !again {
				again = true
				err = errors.Join(err, fake.DeleteTopic(textTopic), fake.CreateTopic(textTopic, 1, nil))
			}
		})
		for i := range 2 * olds {
			err = errors.Join(err, put(fmt.Sprint("new ", i)))
			time.Sleep(time.Second)
		}
		if errors.Join(err, put("last")) != nil {
			return exit.Unavailable
		}
		return exit.OK
	}
}
