package endtoend

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/crash"
)

// A victim is a privatizer that is killed over and over, and run again on what it left.
type victim struct {
	*variant
	program string
	folder  string // where it runs
	random  *rand.Rand
	// The disk of the ledger's folder; nil: none is kept, because several calls may be under way at once.
	disk  *crash.Disk
	kinds map[string]int // the boundaries at which it was killed
	seen  []sighting     // what left it, up to each kill and end

	powerCuts int
	checked   map[string]int // how often the order of what is durable was checked before a write, by its place
}

// Names in the folder of a victim. The ledger has a folder of its own, of which account is kept.
const (
	ledgerName   = "wall/run.ledger"
	releasesName = ledgerName + ".releases"
	outputName   = "out.pp"
)

// runDeadline is far longer than a run takes.
const runDeadline = 10 * time.Minute

func newVictim(v *variant, program, folder string, seed uint64) (*victim, error) {
	if err := os.Mkdir(filepath.Join(folder, "wall"), 0o700); err != nil {
		return nil, err
	}
	if err := begin(filepath.Join(folder, ledgerName)); err != nil {
		return nil, err
	}
	victim := &victim{
		variant: v, program: program, folder: folder, random: rand.New(rand.NewPCG(seed, 0)),
		kinds: make(map[string]int), checked: make(map[string]int),
	}
	if v.every {
		return victim, nil
	}
	var err error
	victim.disk, err = crash.NewDisk(victim.path("wall"))
	return victim, err
}

// begin begins a ledger.
func begin(path string) error {
	content, err := event.NewLedger(event.NewHead(), time.Now())
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

func (v *victim) path(name string) string { return filepath.Join(v.folder, name) }

// run runs the victim and kills it at a boundary, counted from 1; 0: it is not killed. It returns the number of
// boundaries up to the kill, or up to the end. An error is what privatize did wrong.
func (v *victim) run(at int) (killed bool, boundaries int, err error) {
	b := &boundary{victim: v, at: at}
	output, end, err := v.trace(b.visit)
	if err != nil {
		return false, b.count, err
	}
	when := "at the end"
	if end.Killed {
		when = "after the kill " + b.kind
		v.kinds[b.kind]++
	}
	if v.file {
		return end.Killed, b.count, v.sight(when)
	}
	return end.Killed, b.count, v.look([][]byte{output}, when)
}

// trace runs the victim with a visit and returns what came out of it. If it fails of itself, that is an error.
func (v *victim) trace(visit func(*crash.Stop) (bool, error)) (output []byte, end crash.End, err error) {
	path, err := exec.LookPath(v.program)
	if err != nil {
		return nil, end, err
	}
	p := crash.Program{Path: path, Args: v.args, Dir: v.folder, Deadline: runDeadline, Every: v.every}
	out, err := newCollector()
	if err != nil {
		return nil, end, err
	}
	messages, err := newCollector()
	if err != nil {
		out.end()
		return nil, end, err
	}
	p.Files[1], p.Files[2] = out.write, messages.write
	end, err = crash.Run(p, visit)
	output, text := out.end(), messages.end()
	if err == nil && !end.Killed && end.Status.ExitStatus() != 0 {
		err = fmt.Errorf("exit code %d: %s", end.Status.ExitStatus(), text)
	}
	return output, end, err
}

// powerCut lets the power fail after a kill. What left before does not come back.
func (v *victim) powerCut() error {
	if err := v.disk.PowerCut(v.random); err != nil {
		return err
	}
	v.powerCuts++
	var outputs [][]byte
	for _, s := range v.seen {
		outputs = append(outputs, s.outputs...)
	}
	return v.look(outputs, "after a power cut")
}

// A collector reads a pipe to its end.
type collector struct {
	write *os.File
	read  chan []byte
}

func newCollector() (*collector, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &collector{w, make(chan []byte, 1)}
	go func() {
		defer r.Close()
		b, _ := io.ReadAll(r) // of a pipe nothing can fail but its end
		c.read <- b
	}()
	return c, nil
}

// end returns all that was written, once nobody else holds the pipe's end.
func (c *collector) end() []byte {
	c.write.Close()
	return <-c.read
}

// A boundary counts the boundaries of a run and kills at one.
type boundary struct {
	*victim
	at, count int
	kind      string      // of the boundary at which it killed
	cut       *crash.Stop // a write that was made shorter, after which the kill comes
	flying    int         // calls on our files under way
}

func (b *boundary) visit(s *crash.Stop) (kill bool, err error) {
	ours := s.Below(b.folder) || s.File == 1 || s.Name == "exit_group"
	if b.disk != nil {
		if err := b.disk.Apply(s); err != nil {
			return false, err
		}
	}
	if !ours && !b.every {
		return false, nil
	}
	if ours {
		if s.After {
			b.flying--
		} else {
			b.flying++
			if err := b.order(s); err != nil {
				return false, err
			}
		}
	}
	if s == b.cut {
		return true, nil
	}
	// Where another thread is in the midst of a call, nobody can say whether that was made.
	if b.disk != nil && (s.After && b.flying > 0 || b.flying > 1) || b.cut != nil {
		return false, nil
	}
	if b.here(s, map[bool]string{false: "before", true: "after"}[s.After]) {
		return true, nil
	}
	if s.Name == "write" && !s.After && ours && s.Count > 1 && b.here(s, "within") {
		b.cut = s
		bytes := s.Count - 1 // all but a line's newline
		if b.random.IntN(4) > 0 {
			bytes = 1 + b.random.IntN(s.Count-1)
		}
		return false, s.Shorten(bytes)
	}
	return false, nil
}

// here counts a boundary and says whether it is the one.
func (b *boundary) here(s *crash.Stop, when string) bool {
	b.count++
	if b.count != b.at {
		return false
	}
	b.kind = strings.Join(strings.Fields(when+" "+s.Name+" "+b.place(&s.Call)), " ")
	return true
}

// place says what a call is about.
func (v *victim) place(c *crash.Call) string {
	path := strings.TrimPrefix(strings.TrimPrefix(c.Path, v.folder), "/")
	switch {
	case c.File == 1 || strings.HasPrefix(strings.TrimPrefix(path, "."), outputName):
		return "output"
	case path == ledgerName:
		return "ledger"
	case strings.HasPrefix(path, releasesName+"/"+crashRun+"/"):
		return "stored release"
	case c.Below(v.folder):
		return "folder"
	}
	return ""
}
