package window

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"syscall"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// version is that of states that are written and read. In version 1 a document's key was that of its id alone.
const version = 2

// Settings are what the windows of a run have in common, and the first line of its state, as JSON.
type Settings struct {
	Version int           `json:"version"` // of the state
	Name    string        `json:"name"`    // of the state, drawn at random: State.Name
	Run     string        `json:"run"`
	Unit    string        `json:"unit"`
	Start   time.Time     `json:"start"`
	Window  time.Duration `json:"window"` // in nanoseconds
	Rounds  int           `json:"rounds"`
	// Documents are the settings of the streams of documents, in hexadecimal: the rule by which they were cut into words, from
	// which names by content follow. Empty where the streams state none.
	Documents string `json:"documents,omitempty"`
}

// A State is the file that knows which units were in a window, so that none is in a second one, however often a run is
// started again. It is only ever appended to, and locked while it is open. It holds hashes of names without a secret, and
// is as private as they are. It is not safe for concurrent use.
//
// Behind the settings stand blocks (see block.go). A window is begun by one that has the keys of its units, which is on disk
// before the first of its documents leaves; and done by one without keys, when its round is written. A window that is
// begun and not done is written again, with the same documents: its readers may have a part of it.
type State struct {
	path     string
	file     *os.File
	settings Settings
	units    map[corpus.Key]struct{}
	last     int // the window that was begun last, 0 for none
	done     bool
	again    *again // what last holds, unless it is done, or begun by this run
}

// Open opens the state of a run over documents whose streams state settings, or makes it. It refuses one of other settings; a start that is zero is that of the state,
// or else of plan.At(now).
func Open(path, run, unit string, settings []byte, plan Plan, now time.Time) (*State, error) {
	want := Settings{Version: version, Run: run, Unit: unit, Start: plan.Start, Window: plan.Length, Rounds: plan.Rounds,
		Documents: hex.EncodeToString(settings)}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		fresh := want
		fresh.Name, fresh.Start = rand.Text(), plan.At(now).Start.UTC()
		line, err := json.Marshal(fresh)
		if err != nil {
			return nil, err
		}
		if err := endpoint.WriteFile(path, wire.Side_PRIVATE, append(line, '\n')); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	s := &State{path: path, file: file, units: make(map[corpus.Key]struct{}), done: true}
	if err := s.read(want); err != nil {
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
	if err != nil || json.Unmarshal(line, &s.settings) != nil || s.settings.Version < 1 || s.settings.Name == "" {
		return exit.Errorf(exit.Malformed, "%s: not a state of windows", s.path)
	}
	if s.settings.Version != version {
		return exit.Errorf(exit.Malformed, "%s: a state of version %d, this program goes on with those of version %d", s.path,
			s.settings.Version, version).WithHint("begin a run of its own, with a new state, new topics and a new grant")
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
		return s.differs("rule by which text is cut into words")
	}
	if want != s.settings {
		return s.differs("run, unit, length or number")
	}
	return s.readBlocks(in, int64(len(line)))
}

func (s *State) differs(what string) error {
	return exit.Errorf(exit.Usage, "%s: is of windows of another %s", s.path, what).
		WithHint("its first line says which; a run goes on with the flags that it was begun with")
}

// ours refuses a file that is not that of its name any more: another run could take the other one.
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

// Name is the public name of the state, drawn at random when it was made. The rounds bear it, so that those of a run that
// lost its state, and began another, are told from those before.
func (s *State) Name() string { return s.settings.Name }

// Start is when the first window begins.
func (s *State) Start() time.Time { return s.settings.Start }

// Open is the window that is to be written next: the first that is not done.
func (s *State) Open() int {
	if s.done {
		return s.last + 1
	}
	return s.last
}

// Has says whether a unit is in a window that was begun.
func (s *State) Has(unit corpus.Key) bool {
	_, ok := s.units[unit]
	return ok
}

// Begun is the window that was begun last, 0 for none.
func (s *State) Begun() int { return s.last }

// Begin notes the units of window n and, where users are the units, their documents; it returns when that is durable.
func (s *State) Begin(n int, units, documents []corpus.Key) error {
	if n != s.last+1 || !s.done {
		return exit.Errorf(exit.Internal, "window %d begins after window %d", n, s.last)
	}
	return s.append(block{begun, n, units, documents})
}

// Done notes that the round of window n, which was begun last, is written.
func (s *State) Done(n int) error {
	if n != s.last || s.done {
		return exit.Errorf(exit.Internal, "window %d is done, and window %d was begun", n, s.last)
	}
	return s.append(block{kind: done, window: n})
}
