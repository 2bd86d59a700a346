package kafka

import (
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire/stream"
)

// BenchmarkTopic writes frames to a partition and reads them as they come. Beside MB/s it reports how much longer that
// takes than the same frames through a pipe of this machine.
func BenchmarkTopic(b *testing.B) {
	b.Run("fake", func(b *testing.B) {
		fake := broker.Fake(b, map[string]int{"t.private": 1})
		benchmarkTopic(b, location(b, fake.Address, "t.private", "?from=end"))
	})
	b.Run("real", func(b *testing.B) {
		real := broker.Real(b)
		benchmarkTopic(b, location(b, real.Address, real.Topic(b, "t.private", 1, nil), "?from=end"))
	})
}

func benchmarkTopic(b *testing.B, l *Location) {
	frame := make([]byte, 256<<10)
	rand.NewChaCha8([32]byte{}).Read(frame)
	b.SetBytes(int64(len(frame)))
	log, a := openLog(b, l), appendTo(b, l)
	transfer := func(write func(last bool) error, read func() error) time.Duration {
		began := time.Now()
		ended := make(chan error, 1)
		go func() {
			for range b.N {
				if err := read(); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
		for i := range b.N {
			if err := write(i == b.N-1); err != nil {
				b.Fatal(err)
			}
		}
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	b.ResetTimer()
	topic := transfer(
		func(last bool) error { return a.WriteFrame(frame, stream.Mark{Round: 1, Closes: last}) },
		func() error { _, err := log.Frame(); return err })
	b.StopTimer()
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	copied := make([]byte, len(frame))
	pipe := transfer(
		func(bool) error { _, err := out.Write(frame); return err },
		func() error { _, err := io.ReadFull(in, copied); return err })
	b.ReportMetric(topic.Seconds()/pipe.Seconds(), "pipes")
}
