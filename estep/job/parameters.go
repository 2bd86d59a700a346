package job

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// parameters follows the stream of parameters in the background: mstep must never wait for a reader.
type parameters struct {
	name   string
	header *wire.Header

	mutex  sync.Mutex
	change *sync.Cond
	latest *stream.Set
	err    error // io.EOF after the last

	newStep func() model.EStep
	making  sync.Mutex  // guards the fields below: making an E-step is slow, and the next set must not wait for it
	step    model.EStep // with the parameters of stepOf
	stepOf  *stream.Set
}

// follow opens the parameters and returns when it has read their header. In a topic it begins with the newest parameters.
func follow(name string, wanted endpoint.Wanted, newStep func() model.EStep) (*parameters, error) {
	wanted.Newest = true
	in, h, err := endpoint.OpenStream(name, wanted)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Errorf(exit.Missing, "%w", err).WithHint("make it with mkfifo %s, and give it to mstep --params-out", name)
	}
	if err != nil {
		return nil, err
	}
	p := &parameters{name: in.Name(), header: h, newStep: newStep}
	p.change = sync.NewCond(&p.mutex)
	read := func() {
		defer in.Close()
		for {
			set, err := stream.ReadSet(in.Reader, nil)
			p.mutex.Lock()
			if err == nil {
				p.latest = set
			}
			p.err = err
			p.change.Broadcast()
			p.mutex.Unlock()
			if err != nil {
				return
			}
		}
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		read() // read a file as a whole: the rounds that are skipped must not depend on the speed of reading
	} else {
		go func() {
			defer exit.Guard()
			read()
		}()
	}
	return p, nil
}

// after waits for the parameters after a round, or takes later parameters if they have arrived already. It returns an E-step
// with these parameters, for a model of the given size.
func (p *parameters) after(ctx context.Context, round uint32, size model.Size) (step model.EStep, of uint32, err error) {
	set, err := p.wait(ctx, round)
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
	return p.step, set.Round, nil
}

// wait waits for the parameters after a round, or later parameters.
func (p *parameters) wait(ctx context.Context, round uint32) (*stream.Set, error) {
	stop := context.AfterFunc(ctx, func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		defer exit.Guard()
		p.change.Broadcast()
	})
	defer stop()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for p.latest == nil || p.latest.Round < round {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(p.err, io.EOF) {
			return nil, exit.Errorf(exit.Malformed, "%s: ends before the parameters after round %d", p.name, round)
		}
		if p.err != nil {
			return nil, p.err
		}
		p.change.Wait()
	}
	return p.latest, nil
}
