package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/simulation"
	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/system"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	sample "privpipe/sample/command"
)

// windows is the scenario of a sampler that cuts a live stream into windows of an hour. A document comes twenty minutes
// after the one before. After a restart all documents come again. Whatever happens, no unit is in two windows, and a
// window that is written again is the same.
type windows struct{ documents, hours int }

const between = 20 * time.Minute

func (l windows) scenario(share int) *simulation.Scenario {
	return &simulation.Scenario{Faults: simulation.Usual, Share: share,
		Prepare: func(w *simulation.World) ([]simulation.Job, func() error) {
			begin(w.Machine)
			start := time.Now()
			feed := func(_ context.Context, _ []string, _, out *system.Handle, _ io.Writer) int {
				return l.feed(start, file(out))
			}
			args := fmt.Sprintf("--epoch --window 1h --rounds %d --run live --window-start %s", l.hours,
				start.UTC().Format(time.RFC3339)) + " --window-state /wall/state"
			watch := &rounds{world: w, documents: l.documents, outputs: make(map[*system.Handle][]byte),
				in: make(map[string]uint32), whole: make(map[uint32]map[string]bool)}
			w.Machine.Wrote = watch.wrote
			return []simulation.Job{{Stages: []simulation.Stage{
				{Name: "feed", Execute: feed}, stage(sample.Program, args), {Name: "reader", Execute: drain},
			}}}, watch.ended
		}}
}

// feed writes the live stream. What was due before it began comes at once.
func (l windows) feed(start time.Time, out io.WriteCloser) int {
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		panic(err)
	}
	w, err := stream.NewWriter(out, &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS,
		Side: wire.Side_PRIVATE, Vocabulary: make([]byte, 32), VocabularySize: 3}, c)
	for i := 0; err == nil && i < l.documents; i++ {
		time.Sleep(time.Until(start.Add(time.Duration(i+1) * between)))
		d := &wire.Document{Id: fmt.Sprint(canary, i), WordGaps: []uint32{uint32(i % 3)}, Counts: []uint32{1}}
		if err = w.Write(&wire.Record{Body: &wire.Record_Document{Document: d}}); err == nil {
			err = w.Flush()
		}
	}
	if err == nil {
		time.Sleep(time.Until(start.Add(time.Duration(l.hours+1) * time.Hour)))
		err = w.Close()
	}
	out.Close()
	if code := exit.Code(err); code != exit.ClosedOutput { // the windows are over
		return code
	}
	return exit.OK
}

// drain reads its input to the end.
func drain(_ context.Context, _ []string, in, _ *system.Handle, _ io.Writer) int {
	f := file(in)
	defer f.Close()
	_, err := io.Copy(io.Discard, f)
	return exit.Code(err)
}

// rounds watches the rounds that a sampler writes.
type rounds struct {
	world     *simulation.World
	documents int // of the stream
	outputs   map[*system.Handle][]byte
	in        map[string]uint32 // the window of each unit
	whole     map[uint32]map[string]bool
}

func (r *rounds) wrote(p *effect.Process, h *system.Handle, b []byte) {
	if p.Name != sample.Program.Name || !strings.Contains(h.Path, "|") {
		return
	}
	r.outputs[h] = append(r.outputs[h], b...)
	in, err := stream.NewReader(bytes.NewReader(r.outputs[h]), "rounds")
	var units map[string]bool
	for err == nil {
		var record *wire.Record
		if record, err = in.Next(); err != nil {
			break
		}
		switch {
		case record.GetRoundOpen() != nil:
			units = make(map[string]bool)
		case record.GetDocument() != nil:
			unit := record.GetDocument().Id
			if before := r.in[unit]; before != 0 && before != record.Round {
				r.world.Fail("a unit is in windows %d and %d", before, record.Round)
			}
			r.in[unit], units[unit] = record.Round, true
		case record.GetRoundClose() != nil:
			if before := r.whole[record.Round]; before != nil && !maps.Equal(before, units) {
				r.world.Fail("window %d was written twice, with other units", record.Round)
			}
			r.whole[record.Round] = units
		}
	}
	if err != io.EOF && !errors.Is(err, stream.ErrEmpty) && !stream.Cut(err, "rounds") {
		r.world.Fail("%v", err)
	}
}

// ended checks that each unit is in a window if nothing failed, and that no message has a private word.
func (r *rounds) ended() error {
	if len(r.world.Struck()) == 0 && len(r.in) != r.documents {
		return fmt.Errorf("%d of %d units are in a window", len(r.in), r.documents)
	}
	if strings.Contains(r.world.Messages(), canary) {
		return errors.New("messages have private words")
	}
	return nil
}
