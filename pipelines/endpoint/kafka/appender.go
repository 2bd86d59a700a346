package kafka

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An Appender appends the frames of one stream to a partition. It implements stream.FrameWriter. It sends in the
// background, one request after the other. WriteFrame waits at a frame that closes a round or a set: when it returns,
// all replicas have this frame and all frames before it.
type Appender struct {
	client    *client
	partition int
	context   context.Context
	stop      context.CancelCauseFunc
	label     label // the label of the next frame
	end       int64 // the offset after the last message that was sent
	written   metrics.Counter

	batch []packet
	size  int
	queue chan []packet
	done  chan struct{} // closed when the sender has ended

	mutex  sync.Mutex
	idle   *sync.Cond
	unsent int   // batches
	err    error // the error of the first batch that failed
}

// A packet is a queued message.
type packet struct {
	frame   []byte
	headers []kafka.Header
}

const (
	// defaultLimit is a broker's default limit for a batch, in bytes (message.max.bytes). maxBatch is the limit here.
	defaultLimit = 1048588
	maxBatch     = wire.MaxFrame
	// A batch is sent once it has goodBatch bytes, which three stored frames have. Larger batches are hardly faster
	// (design page kafka.md, section 4). Smaller batches wake writer, broker and readers more often: with 256 KiB all
	// stages together took a twentieth more CPU time.
	goodBatch = 640 << 10
	// overhead bounds the bytes that a batch adds to its frames: its own header, and the headers and lengths of each
	// message.
	overhead = 64 << 10
)

// Append opens the partitions of the location for appending.
func Append(ctx context.Context, l *Location) ([]*Appender, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	appenders := make([]*Appender, len(partitions))
	for i, partition := range partitions {
		appenders[i] = c.appender(ctx, partition)
	}
	return appenders, nil
}

func (c *client) appender(ctx context.Context, partition int) *Appender {
	a := &Appender{
		client: c, partition: partition, queue: make(chan []packet, 1), done: make(chan struct{}),
		written: metrics.MessagesWritten(c.Topic, partition),
	}
	a.idle = sync.NewCond(&a.mutex)
	a.context, a.stop = context.WithCancelCause(ctx)
	var name [16]byte
	rand.Read(name[:])
	a.label.Writer = hex.EncodeToString(name[:])
	c.users.Add(1)
	go a.send()
	return a
}

// WriteFrame implements stream.FrameWriter.
func (a *Appender) WriteFrame(frame []byte, mark stream.Mark) error {
	if a.size+len(frame) > maxBatch || len(a.batch) == maxMessages {
		if err := a.push(); err != nil {
			return err
		}
	}
	a.label.Mark = mark
	a.batch = append(a.batch, packet{bytes.Clone(frame), a.label.headers()})
	a.size += len(frame)
	a.label.Number++
	a.label.Since++
	if mark.Closes {
		a.label.Since = 0
	}
	switch {
	case mark.Closes || mark.Ends:
		return a.Flush()
	case a.size >= goodBatch:
		return a.push()
	}
	return nil
}

// maxMessages bounds the messages in one batch, so that their headers stay within overhead.
const maxMessages = 256

// Write implements io.Writer for frames without a mark. Every frame in a stream has a mark, so Write returns an error.
func (a *Appender) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// push hands the current batch to the sender.
func (a *Appender) push() error {
	if len(a.batch) == 0 {
		return a.failed()
	}
	batch := a.batch
	a.batch, a.size = nil, 0
	a.mutex.Lock()
	a.unsent++
	a.mutex.Unlock()
	select {
	case a.queue <- batch:
		return a.failed()
	case <-a.done:
		return a.failed()
	}
}

func (a *Appender) failed() error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.err
}

// Flush sends all frames that were written, and waits until all replicas have them.
func (a *Appender) Flush() error {
	if err := a.push(); err != nil {
		return err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for a.unsent > 0 && a.err == nil {
		a.idle.Wait()
	}
	return a.err
}

// send sends the queued batches in order. If an acknowledgement is lost, send retries the batch, and the topic may hold
// the batch twice. Readers deduplicate the messages by writer and frame number.
func (a *Appender) send() {
	tick := time.NewTicker(watching)
	defer tick.Stop()
	defer func() {
		a.mutex.Lock()
		if a.err == nil {
			a.err = context.Cause(a.context)
		}
		a.idle.Broadcast()
		a.mutex.Unlock()
		a.client.leave()
		close(a.done)
	}()
	defer exit.Guard()
	for {
		var batch []packet
		select {
		case batch = <-a.queue:
		case <-tick.C:
			if err := a.stands(); err != nil {
				a.stop(err)
				return
			}
			continue
		case <-a.context.Done():
			return
		}
		ended := metrics.AwaitWrite(a.client.Topic, a.partition, a.client.awaits(appending))
		err := a.client.retry(a.context, appending, func(ctx context.Context) error {
			records := make([]kafka.Record, len(batch)) // an attempt reads them to their end
			for i, p := range batch {
				records[i] = kafka.Record{Value: kafka.NewBytes(p.frame), Headers: p.headers}
			}
			r, err := a.client.kafka.Produce(ctx, &kafka.ProduceRequest{
				Topic: a.client.Topic, Partition: a.partition, RequiredAcks: kafka.RequireAll,
				Records: kafka.NewRecordReader(records...),
			})
			if err != nil {
				return err
			}
			if r.Error == nil && r.BaseOffset < a.end {
				return a.gone()
			}
			if r.Error == nil {
				a.end = r.BaseOffset + int64(len(batch))
			}
			return r.Error
		})
		ended()
		a.mutex.Lock()
		if a.err = err; err == nil {
			a.unsent--
			a.written.Add(float64(len(batch)))
			metrics.Progress()
		}
		a.idle.Broadcast()
		a.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

// stands returns an error if the partition no longer holds all messages that were sent.
func (a *Appender) stands() error {
	_, end, err := a.client.bounds(a.context, a.partition)
	if err == nil && end < a.end {
		return a.gone()
	}
	return cmp.Or(err, a.client.unchanged(a.context))
}

// gone is the error when the partition has lost messages that this appender sent.
func (a *Appender) gone() error {
	return exit.Errorf(exit.Malformed, "%s[%d]: the messages that were written are gone: the topic was recreated or "+
		"truncated", a.client.Topic, a.partition).
		WithHint("a restarted stage writes again the rounds that its input still has; for other rounds see new " +
			"private topics in the runbook")
}

// Context ends with the appender. Its cause is context.Canceled if the appender was closed.
func (a *Appender) Context() context.Context { return a.context }

// Close ends the appender, and drops frames that were not sent. Close may be called again.
func (a *Appender) Close() error {
	a.stop(context.Canceled)
	<-a.done
	return nil
}
