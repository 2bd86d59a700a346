package parallel

import (
	"context"
	"sync"

	"privpipe/pipelines/exit"
)

// Map calls work on each input that next returns, on workers goroutines. It calls emit on each result, in the order of
// the inputs, on the calling goroutine. next is called on one further goroutine; it returns false at the end. At most
// 2·workers results wait, so memory stays bounded when emit is slow. work gets the number of its goroutine, from 0, to
// find its own scratch memory.
//
// Map returns the first error of emit, work or next in the order of the inputs, or ctx's. All work has ended by then.
// After an error next may still be waiting for its input; the input is dropped.
func Map[In, Out any](ctx context.Context, workers int, next func() (In, bool, error),
	work func(worker int, in In) (Out, error), emit func(Out) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	type result struct {
		out Out
		err error
	}
	type job struct {
		in   In
		done chan result
	}
	jobs := make(chan job, workers)
	pending := make(chan chan result, 2*workers) // in the order of the inputs

	go func() {
		defer close(jobs)
		defer close(pending)
		defer exit.Guard()
		for {
			in, ok, err := next()
			if err == nil && !ok {
				return
			}
			done := make(chan result, 1)
			select {
			case pending <- done:
			case <-ctx.Done():
				return
			}
			if err != nil {
				done <- result{err: err}
				return
			}
			select {
			case jobs <- job{in, done}:
			case <-ctx.Done():
				return
			}
		}
	}()
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			defer exit.Guard()
			for {
				select {
				case j, ok := <-jobs:
					if !ok {
						return
					}
					out, err := work(w, j.in)
					j.done <- result{out, err}
				case <-ctx.Done():
					return
				}
			}
		})
	}

	err := func() error {
		for {
			var done chan result
			var ok bool
			select {
			case done, ok = <-pending:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if !ok {
				return context.Cause(ctx) // nil unless the caller's context ended
			}
			select {
			case r := <-done:
				if r.err != nil {
					return r.err
				}
				if err := emit(r.out); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}()
	cancel(err)
	group.Wait()
	return err
}
