package endpoint

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
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

// waits has this process's waits that have begun and not ended.
var waits struct {
	sync.Mutex
	all map[*wait]bool
}

// Await begins a wait for another program. Calling ended ends the wait.
func Await(what string) (ended func()) { return await(what, somebody) }

func await(what string, at end) (ended func()) {
	w := &wait{what, time.Now(), at}
	waits.Lock()
	defer waits.Unlock()
	if waits.all == nil {
		waits.all = make(map[*wait]bool)
	}
	waits.all[w] = true
	return func() {
		waits.Lock()
		defer waits.Unlock()
		delete(waits.all, w)
	}
}

// Awaited describes the waits that have lasted longer than the given time, sorted and without duplicates. alone are the
// waits without a program at the other end. For others a program is there, and may be working.
func Awaited(longer time.Duration) (alone, others []string) {
	return lasting(longer, nobody), lasting(longer, somebody, broker)
}

// Silent describes long waits as Awaited does, but only waits for a program that is at the other end of a pipe.
func Silent(longer time.Duration) []string { return lasting(longer, somebody) }

func lasting(longer time.Duration, ends ...end) (all []string) {
	waits.Lock()
	defer waits.Unlock()
	for w := range waits.all {
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

// Usual is the default limit for the wait at a FIFO. After a day the next day's job is due.
const Usual = 24 * time.Hour

// told returns in. If file is a pipe, the reads are reported as waits.
func told(in io.Reader, file *os.File, name string) io.Reader {
	if !pipe(file.Stat()) {
		return in
	}
	return awaited{in, "what is to come from " + name, somebody}
}

// awaited is a pipe or a topic. Another program writes to it, so each read is a wait.
type awaited struct {
	io.Reader
	what string
	at   end
}

func (a awaited) Read(b []byte) (int, error) {
	defer await(a.what, a.at)()
	return a.Reader.Read(b)
}

// awaitedLog is a partition. Other programs append to it, so each read is a wait.
type awaitedLog struct{ topic.Log }

func (l awaitedLog) Frame() (stream.Frame, error) {
	defer await("messages of "+l.Name(), broker)()
	return l.Log.Frame()
}
