package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// parameters follows the stream of parameters in the background, because mstep must never wait for a reader.
type parameters struct {
	name   string
	header *wire.Header
	stale  uint32 // the wanted parameters are this many rounds before the previous round
	once   bool   // earlier parameters do not come again, as with a FIFO

	mutex  sync.Mutex
	change *sync.Cond
	sets   []*stream.Set // the newest sets, ascending: one, and stale more
	err    error         // io.EOF after the last set

	newStep func() model.EStep
	making  sync.Mutex  // guards the fields below: making an E-step is slow, and the next set must not wait for it
	step    model.EStep // with the parameters of stepOf
	stepOf  *stream.Set
}

// follow opens the parameters and returns once it has read their header. In a topic it begins with the newest
// parameters.
func follow(ctx context.Context, name string, wanted endpoint.Wanted, stale int,
	newStep func() model.EStep) (*parameters, error) {
	wanted.Newest = true
	in, h, err := endpoint.OpenStream(ctx, name, wanted)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Errorf(exit.Missing, "%w", err).
			WithHint("make it with mkfifo %s, and give it to mstep --params-out", name)
	}
	if err != nil {
		return nil, err
	}
	p := &parameters{name: in.Name(), header: h, stale: uint32(stale), newStep: newStep}
	p.change = sync.NewCond(&p.mutex)
	read := func() {
		defer in.Close()
		for {
			set, err := stream.ReadSet(in.Reader, nil)
			p.mutex.Lock()
			if err == nil {
				p.keep(set)
			}
			p.err = err
			p.change.Broadcast()
			p.mutex.Unlock()
			if err != nil {
				return
			}
		}
	}
	info, err := os.Stat(name) // a topic has no file
	p.once = err == nil && info.Mode()&fs.ModeNamedPipe != 0
	if err == nil && info.Mode().IsRegular() {
		// Read a file as a whole: which rounds are skipped must not depend on the speed of reading.
		read()
	} else {
		go func() {
			defer exit.Guard()
			read()
		}()
	}
	return p, nil
}

// keep keeps the newest set, and as many sets before it as the number stale says.
func (p *parameters) keep(set *stream.Set) {
	p.sets = append(slices.Clone(p.sets[max(0, len(p.sets)-int(p.stale)):]), set)
}

// after waits for the parameters for the round after previous. It returns an E-step with them, for a model of the given
// size. It also returns the round of the newest parameters, which is later if the round is already released.
func (p *parameters) after(ctx context.Context, previous uint32,
	size model.Size) (step model.EStep, newest uint32, err error) {
	set, newest, err := p.wait(ctx, previous)
	if err != nil {
		return nil, 0, err
	}
	p.making.Lock()
	defer p.making.Unlock()
	if p.stepOf != set { // the previous E-step may still be in use by another partition
		step := p.newStep()
		if err := step.SetParameters(set, size); err != nil {
			return nil, 0, exit.Errorf(exit.Malformed, "%s: %w", p.name, err)
		}
		p.step, p.stepOf = step, set
	}
	return p.step, newest, nil
}

// wait waits for the parameters for the round after previous: the parameters after round previous − stale, or else the
// first later ones. The choice does not depend on other arrivals, so all workers answer one round with the same
// parameters. The only exception is a worker that starts in a topic: it has only the newest parameters. A FIFO that
// begins after the wanted parameters is refused: a killed run may have charged the round for an answer by the wanted
// ones.
func (p *parameters) wait(ctx context.Context, previous uint32) (set *stream.Set, newest uint32, err error) {
	stop := context.AfterFunc(ctx, func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		defer exit.Guard()
		p.change.Broadcast()
	})
	defer stop()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	wanted := previous - min(p.stale, previous)
	var ended func() // ends the wait, if there is one
	for {
		for _, set := range p.sets {
			if set.Round < wanted {
				continue
			}
			newest := p.sets[len(p.sets)-1].Round
			if p.once && set.Round > wanted && newest == previous {
				return nil, 0, exit.Errorf(exit.Missing,
					"%s: begins with the parameters after round %d, and --stale wants those after round %d",
					p.name, set.Round, wanted).
					WithHint("remove the checkpoint of mstep and start again: what was charged is released as it was " +
						"stored")
			}
			return set, newest, nil
		}
		switch {
		case ctx.Err() != nil:
			return nil, 0, context.Cause(ctx)
		case errors.Is(p.err, io.EOF):
			return nil, 0, exit.Errorf(exit.Malformed, "%s: ends before the parameters after round %d", p.name, wanted)
		case p.err != nil:
			return nil, 0, p.err
		}
		if ended == nil {
			ended = endpoint.Await(ctx, fmt.Sprintf("the parameters after round %d in %s", wanted, p.name))
			defer ended()
		}
		p.change.Wait()
	}
}
