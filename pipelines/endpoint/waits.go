package endpoint

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/wire/stream"
)

// A wait is for another program. Package filter tells the user about each long wait. WAITS.md lists all of them.
type wait struct {
	what  string
	since time.Time
	at    end
}

// An end says who could end a wait.
type end int

const (
	nobody   end = iota // nobody, as far as this process can see
	somebody            // a program that may be working, or may be stuck
	broker              // a broker; package metrics knows whether there is progress
)

// Await begins a wait for another program. Calling ended ends the wait.
func Await(ctx context.Context, what string) (ended func()) {
	return scopeOf(ctx).run.await(what, somebody)
}

func (r *run) await(what string, at end) (ended func()) {
	w := &wait{what, time.Now(), at}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.waits == nil {
		r.waits = make(map[*wait]bool)
	}
	r.waits[w] = true
	return func() {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		delete(r.waits, w)
	}
}

// Awaited describes the run's waits that have lasted longer than the given time, sorted and without duplicates. alone
// are the waits without a program at the other end. For others a program is there, and may be working.
func Awaited(ctx context.Context, longer time.Duration) (alone, others []string) {
	r := scopeOf(ctx).run
	return r.lasting(longer, nobody), r.lasting(longer, somebody, broker)
}

// Silent describes long waits as Awaited does, but only waits for a program that is at the other end of a pipe.
func Silent(ctx context.Context, longer time.Duration) []string {
	return scopeOf(ctx).run.lasting(longer, somebody)
}

func (r *run) lasting(longer time.Duration, ends ...end) (all []string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for w := range r.waits {
		if time.Since(w.since) >= longer && slices.Contains(ends, w.at) {
			all = append(all, w.what)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// until says in words when a wait ends by itself.
func until(limit time.Duration) string {
	if limit <= 0 {
		return ""
	}
	return fmt.Sprintf(", for at most %v", limit)
}

// told returns in. If file is a pipe, the reads are reported as waits.
func (r *run) told(in io.Reader, file *os.File, name string) io.Reader {
	if !pipe(file.Stat()) {
		return in
	}
	return awaited{in, r, "what is to come from " + name, somebody}
}

// awaited is a pipe or a topic. Another program writes to it, so each read is a wait.
type awaited struct {
	io.Reader
	run  *run
	what string
	at   end
}

func (a awaited) Read(b []byte) (int, error) {
	defer a.run.await(a.what, a.at)()
	return a.Reader.Read(b)
}

// awaitedLog is a partition. Other programs append to it, so each read is a wait.
type awaitedLog struct {
	topic.Log
	run *run
}

func (l awaitedLog) Frame() (stream.Frame, error) {
	defer l.run.await("messages of "+l.Name(), broker)()
	return l.Log.Frame()
}
