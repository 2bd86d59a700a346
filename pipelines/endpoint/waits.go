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

// A wait is for another program. Package filter tells the user of each that lasts. WAITS.md lists them all.
type wait struct {
	what  string
	since time.Time
	at    end
}

// An end is who is at the other end of a wait.
type end int

const (
	nobody   end = iota // as far as this process can see
	somebody            // a program that may be working, and may be stuck
	broker              // of which package metrics knows whether there is progress
)

// waits are those of this process that have begun and not ended.
var waits struct {
	sync.Mutex
	all map[*wait]bool
}

// Await begins a wait for what another program does, until the function that it returns is called.
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

// Awaited describes the waits that began more than a time ago, each once and in order. alone are those without a
// program at the other end. The others are for one that is there, and may be working.
func Awaited(longer time.Duration) (alone, others []string) {
	return lasting(longer, nobody), lasting(longer, somebody, broker)
}

// Silent describes the waits for another program at a pipe that began more than a time ago, as Awaited does.
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

// until says when a wait ends by itself.
func until(limit time.Duration) string {
	if limit <= 0 {
		return ""
	}
	return fmt.Sprintf(", for at most %v", limit)
}

// Usual is how long a FIFO is waited for by default: until the job of the next day is due.
const Usual = 24 * time.Hour

// told returns the reader in of a file, whose waits are told if the file is a pipe.
func told(in io.Reader, file *os.File, name string) io.Reader {
	if !pipe(file.Stat()) {
		return in
	}
	return awaited{in, "what is to come from " + name, somebody}
}

// awaited is a pipe or a topic, which another program writes to.
type awaited struct {
	io.Reader
	what string
	at   end
}

func (a awaited) Read(b []byte) (int, error) {
	defer await(a.what, a.at)()
	return a.Reader.Read(b)
}

// awaitedLog is a partition, to which other programs append.
type awaitedLog struct{ topic.Log }

func (l awaitedLog) Frame() (stream.Frame, error) {
	defer await("messages of "+l.Name(), broker)()
	return l.Log.Frame()
}
