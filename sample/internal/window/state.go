package window

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// version is the version of the file format. In version 1 a document's key was made from only its id.
const version = 2

// Settings are what all windows of one run have in common. They are the first line of the state, as JSON.
type Settings struct {
	Version int           `json:"version"` // of the state
	Name    string        `json:"name"`    // of the state, drawn at random: State.Name
	Run     string        `json:"run"`
	Unit    string        `json:"unit"`
	Start   time.Time     `json:"start"`
	Window  time.Duration `json:"window"` // in nanoseconds
	Rounds  int           `json:"rounds"`
	// Documents are the settings of the document streams, in hexadecimal. They name the rule that cut the documents
	// into words. Names by content depend on the rule. Empty if the streams state none.
	Documents string `json:"documents,omitempty"`
}

// A State is the file that records the units of all windows. So no unit is in a second window, however often a run is
// restarted. It is append-only, and locked while it is open. It holds hashes of names without a secret, and is as
// private as the names. It is not safe for concurrent use.
//
// Blocks follow the settings (see block.go). A block with the keys of a window's units begins the window. This block is
// on disk before the window's first document is sent. A block without keys marks the window as done, when its round is
// written. A window that is begun and not done is written again, with the same documents: its readers may have a part
// of it.
type State struct {
	path     string
	file     *os.File
	settings Settings
	units    map[corpus.Key]struct{}
	last     int // the last window that was begun, 0 for none
	done     bool
	again    *again // content of last, nil if it is done, or begun by this run
}

// Open opens the state, or makes it. settings are the settings that the document streams state. Open refuses a state
// with other settings. If plan has no start, Open takes the state's start, or for a new state the start of
// plan.At(now).
func Open(ctx context.Context, path, run, unit string, settings []byte, plan Plan, now time.Time) (*State, error) {
	want := Settings{Version: version, Run: run, Unit: unit, Start: plan.Start, Window: plan.Length,
		Rounds:    plan.Rounds,
		Documents: hex.EncodeToString(settings)}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		fresh := want
		fresh.Name, fresh.Start = rand.Text(), plan.At(now).Start.UTC()
		line, err := json.Marshal(fresh)
		if err != nil {
			return nil, err
		}
		if err := endpoint.WriteFile(ctx, path, wire.Side_PRIVATE, append(line, '\n')); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	s := &State{path: path, file: file, units: make(map[corpus.Key]struct{}), done: true}
	err = s.read(want)
	if err == nil {
		err = endpoint.SyncFolder(path) // a killed process may have left the name only in memory
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// read takes the lock and reads all of the file.
func (s *State) read(want Settings) error {
	if err := syscall.Flock(int(s.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return exit.Errorf(exit.Locked, "%s: another run holds the state of these windows", s.path)
	} else if err != nil {
		return err
	}
	if err := s.ours(); err != nil {
		return err
	}
	in := bufio.NewReaderSize(s.file, 1<<16)
	line, err := in.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if err != nil || json.Unmarshal(line, &s.settings) != nil || s.settings.Version < 1 || s.settings.Name == "" {
		return exit.Errorf(exit.Malformed, "%s: not a state of windows", s.path)
	}
	if s.settings.Version != version {
		return exit.Errorf(exit.Malformed, "%s: a state of version %d, must be of version %d", s.path,
			s.settings.Version, version).WithHint("begin a new run, with a new state, new topics and a new grant")
	}
	want.Name = s.settings.Name
	if want.Start.IsZero() {
		want.Start = s.settings.Start
	}
	if !want.Start.Equal(s.settings.Start) {
		return s.differs("start")
	}
	want.Start = s.settings.Start
	if want.Documents != s.settings.Documents {
		return s.differs("rule by which text is cut into words").
			WithHint("go on with documents of that rule: tokenize --rule 1 has that of older versions")
	}
	if want != s.settings {
		return s.differs("run, unit, length or number")
	}
	return s.readBlocks(in, int64(len(line)))
}

func (s *State) differs(what string) *exit.Error {
	return exit.Errorf(exit.Usage, "%s: holds windows of another %s", s.path, what).
		WithHint("its first line has the settings; resume a run with the flags that it was begun with")
}

// ours refuses a file that was replaced under its name: another run could lock the new file.
func (s *State) ours() error {
	open, err := s.file.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(s.path); err != nil || !os.SameFile(open, named) {
		return exit.Errorf(exit.Locked, "%s: was replaced while it was open", s.path)
	}
	return nil
}

// Close frees the file.
func (s *State) Close() error { return s.file.Close() }

// Name is the public name of the state, drawn at random when it was made. The rounds bear it. If a run lost its state
// and began a new one, the name distinguishes its later rounds from its earlier rounds.
func (s *State) Name() string { return s.settings.Name }

// Start is the start of the first window.
func (s *State) Start() time.Time { return s.settings.Start }

// Open is the next window to be written: the first window that is not done.
func (s *State) Open() int {
	if s.done {
		return s.last + 1
	}
	return s.last
}

// Has reports whether a unit is in a window that was begun.
func (s *State) Has(unit corpus.Key) bool {
	_, ok := s.units[unit]
	return ok
}

// Begun is the last window that was begun, 0 for none.
func (s *State) Begun() int { return s.last }

// Begin records the units of window n and, if users are the units, their documents. It returns when the record is
// durable.
func (s *State) Begin(n int, units, documents []corpus.Key) error {
	if n != s.last+1 || !s.done {
		return exit.Errorf(exit.Internal, "window %d begins after window %d", n, s.last)
	}
	return s.append(block{begun, n, units, documents})
}

// Done records that the round of window n, the last that was begun, is written.
func (s *State) Done(n int) error {
	if n != s.last || s.done {
		return exit.Errorf(exit.Internal, "window %d is done, and window %d was begun", n, s.last)
	}
	return s.append(block{kind: done, window: n})
}
