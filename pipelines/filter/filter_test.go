package filter_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"fake": fake, "outside": outside}) }

func TestScripts(t *testing.T) { script.Run(t, nil) }

// fake is a stage that does what its argument says.
func fake() { behave(filter.Stage{Name: "fake"}) }

// outside is a fake that stands outside the privacy wall.
func outside() { behave(filter.Stage{Name: "outside", Outside: true}) }

type fakeCommands struct {
	filter.Common
	Work  work `cmd:"" default:"withargs" help:"Behave."`
	Other struct {
		Topics int `help:"A flag of another command."`
	} `cmd:"" help:"Another command."`
}

func behave(stage filter.Stage) {
	stage.Summary, stage.Example, stage.Notes = "Behave well or badly.", "fake copy -o out", "A note."
	filter.Main(filter.Program{Stage: stage,
		New: func() filter.Commands { return new(fakeCommands) }})
}

type work struct {
	MinDocuments int           `default:"2" help:"A number with a default."`
	Seed         *uint64       `zero:"" help:"A number that may be absent."`
	Until        time.Time     `help:"A time."`
	Pause        time.Duration `help:"A while."`
	Rate         float64       `xor:"scheme" help:"One of two."`
	All          bool          `xor:"scheme" help:"The other."`
	Output       string        `short:"o" help:"Output."`
	Read         []string      `placeholder:"FILE" help:"Files."`
	Ledger       string        `placeholder:"FILE" help:"A ledger."`
	State        string        `output:"" placeholder:"FILE" help:"A file to write."`
	Folder       string        `output:"" placeholder:"DIR" help:"A folder to write to."`
	Name         string        `help:"A name, which may be that of a file, too."`

	Behaviour string `arg:"" enum:"copy,late,wait,hang,spew,log,count,refuse,show,watch,always,print,panic,panic-beside" help:"One of ${enum}."`
	Page      string `arg:"" optional:"" output:"" help:"A file to write."`
}

func (w *work) Validate() error {
	if w.MinDocuments < 1 {
		return errors.Join(errors.New("--min-documents must be positive"), errors.New("try 1"))
	}
	return nil
}

// line counts how often it was drawn, and fills what it is given.
func line() func(columns int) string {
	drawn := 0
	return func(columns int) string {
		drawn++
		text := fmt.Sprintf("line %d, so wide: ", drawn)
		if len(text) > columns {
			return text[:columns]
		}
		return text + strings.Repeat("=", columns-len(text))
	}
}

// awaited returns a line, and a function that waits until it is drawn from the beginning once more. Without a terminal
// it is never drawn.
func awaited() (draw func(columns int) string, drawn func()) {
	counting, came := line(), make(chan struct{})
	draw = func(columns int) string {
		select {
		case came <- struct{}{}:
		default:
		}
		return counting(columns)
	}
	return draw, func() {
		if term.IsTerminal(int(os.Stderr.Fd())) {
			<-came
		}
	}
}

func (w *work) Run(r *filter.Run) error {
	if r.DryRun() {
		return nil
	}
	r.Round(3, 40)
	metrics.Documents(12345)
	out, err := endpoint.Create(r, w.Output, wire.Side_PRIVATE)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := fmt.Fprintln(out, "a record"); err != nil {
		return err
	}
	switch w.Behaviour {
	case "copy":
		r.Summarize("rounds", 40)
		r.SummarizePrivate("documents", 12345)
		return out.Commit()
	case "late": // everything is written, and the end comes after the reader has gone
		fmt.Println("ready")
		<-r.Done()
		return nil
	case "wait": // until a signal
		fmt.Println("ready")
		<-r.Done()
		return r.Err()
	case "hang": // even then
		fmt.Println("ready")
		select {}
	case "spew":
		for {
			if _, err := fmt.Println("ready"); err != nil {
				return err
			}
		}
	case "log":
		r.Log.Info("an info", "round", 3)
		r.Log.Warn("a warning", "round", 3)
		r.Log.Error("an error", "round", 3)
	case "count":
		r.Round(4, 0)
		r.Status("all counted")
	case "refuse":
		return exit.Errorf(exit.Refused, "the grant allows %d releases", 40).WithHint("ask for more")
	case "panic":
		panic(errors.New("SECRET"))
	case "panic-beside": // on a goroutine whose end tells another that all work is done
		next := func() (int, bool, error) { return []int{1}[w.MinDocuments], true, nil }
		work := func(_, in int) (int, error) { return in, nil }
		if err := parallel.Map(r, 1, next, work, func(int) error { return nil }); err != nil {
			return err
		}
		return out.Commit()
	case "show": // a line, with messages in between
		draw, drawn := awaited()
		r.Show(w.Output, draw)
		for range 3 {
			drawn()
			r.Log.Warn("a warning")
		}
		drawn()
		return os.ErrNotExist
	case "watch": // a line until a signal
		r.Show(w.Output, line())
		<-r.Done()
		return r.Err()
	case "always":
		if !r.ShowAlways(line()) {
			return errors.New("no line")
		}
		<-r.Done()
		return r.Err()
	case "print": // a line, and then the output
		draw, drawn := awaited()
		r.Show("", draw)
		drawn()
		if err := endpoint.WriteFile(r, "", wire.Side_PUBLIC, []byte("an answer\n")); err != nil {
			return err
		}
		time.Sleep(600 * time.Millisecond) // more than a tick: a line that came again would be seen
	}
	return nil
}
