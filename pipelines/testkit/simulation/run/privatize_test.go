package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/testkit/simulation"
	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/system"
	"privpipe/pipelines/wire"
	privatize "privpipe/privatize/command"
)

// stage returns a stage that runs a program.
func stage(p filter.Program, args string) simulation.Stage {
	return simulation.Stage{Name: p.Name, Args: strings.Fields(args),
		Execute: func(ctx context.Context, args []string, in, out *system.Handle, messages io.Writer) int {
			return filter.Execute(ctx, p, args, filter.Stdio{In: file(in), Out: file(out), Err: messages})
		}}
}

// Names on the machine.
const (
	ledgerName = "/wall/ledger"
	grantName  = "/wall/grant.json"
	outputName = "/out/releases.pp"
	wallRounds = 3
)

var wallScheme = event.Scheme{Method: event.Poisson, Rate: 0.25, Rounds: wallRounds, Secret: true,
	Coins: strings.Repeat("c0", 16)}

func wallGrant() *event.Grant {
	return &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 2, NoiseMultiplier: 1, Scheme: wallScheme, Releases: wallRounds,
		Subject: event.Subject{Model: "lda", Vocabulary: strings.Repeat("0", 64), VocabularySize: 3,
			Matrices: []event.Matrix{{Name: "topics", Rows: 2, Columns: 3}}},
	}
}

// canary is in each private thing of a simulation, and must be in nothing that is public.
const canary = "canary"

// wallInput returns the contributions of three units in each round.
func wallInput() []byte {
	scheme, err := wire.SchemeOf(wallScheme)
	if err != nil {
		panic(err)
	}
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Model: "lda",
		Unit: wire.Unit_DOCUMENT, Vocabulary: make([]byte, 32), VocabularySize: 3,
		Matrices: []*wire.Matrix{{Name: "topics", Rows: 2, Columns: 3, Element: wire.Element_FLOAT32}},
	}
	var records []*wire.Record
	for round := range uint32(wallRounds) {
		closing := new(wire.RoundClose)
		opening := &wire.RoundOpen{Scheme: scheme}
		records = append(records, &wire.Record{Round: round + 1, Body: &wire.Record_RoundOpen{RoundOpen: opening}})
		for i := range 3 {
			unit := fmt.Sprint(canary, i)
			value := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(round)+1/float32(i+2)))
			c := &wire.Contribution{Unit: unit,
				Parts: []*wire.Part{{RowGaps: []uint32{0}, ColumnGaps: []uint32{uint32(i)}, Values: value}}}
			records = append(records, &wire.Record{Round: round + 1, Body: &wire.Record_Contribution{Contribution: c}})
			closing.Records++
			closing.Units++
			closing.UnitDigest += wire.UnitDigest(unit)
		}
		records = append(records, &wire.Record{Round: round + 1, Body: &wire.Record_RoundClose{RoundClose: closing}})
	}
	stream, _ := script.Stream(h, records...)
	return stream
}

// encoded returns the file of a grant.
func encoded(g *event.Grant) []byte {
	b, err := json.Marshal(g)
	if err != nil {
		panic(err)
	}
	return b
}

// A wall is a scenario of privatizers. They read a file, and write files or pipes.
type wall struct {
	piped   bool // the output is a pipe
	rival   bool // another privatizer has the same ledger, input and grant
	putBack bool // somebody puts an old copy of the ledger back
}

func (o wall) scenario() *simulation.Scenario {
	input := wallInput()
	grant := encoded(wallGrant())
	stages := func(output string) []simulation.Stage {
		all := []simulation.Stage{stage(privatize.Program, "gaussian --grant "+grantName+" --ledger "+ledgerName+
			" -o "+output+" /private.pp")}
		if o.piped {
			all = append(all, simulation.Stage{Name: "reader", Execute: readAll})
		}
		return all
	}
	outputs := []string{outputName}
	if o.piped {
		outputs = []string{"-"}
	}
	if o.rival {
		outputs = append(outputs, "/out/rival.pp")
	}
	var undisturbed map[uint32]string
	faults := slices.Clone(simulation.Usual)
	if o.putBack { // a power cut may take the hash that shows the loss: see event.LastName
		faults = slices.DeleteFunc(faults, func(f effect.Fault) bool { return f == effect.Power })
	}
	return &simulation.Scenario{Faults: faults,
		Prepare: func(w *simulation.World) ([]simulation.Job, func() error) {
			begin(w.Machine)
			w.Machine.Put("/private.pp", input)
			w.Machine.Put(grantName, grant)
			watch := simulation.Watch(w, ledgerName, canary)
			again := w.Seed%2 == 0
			if again {
				w.Coins.Seed = 0
				w.Coins.Again = func(string) int { return charges(w.Machine.Files.At(ledgerName).Content) }
			}
			var jobs []simulation.Job
			for i, output := range outputs {
				all := stages(output)
				if i > 0 {
					all[0].Name += " 2"
				}
				jobs = append(jobs, simulation.Job{Stages: all, Again: []int{exit.Locked}})
			}
			back := &copies{world: w}
			if o.putBack {
				jobs[0].Before, jobs[0].Ended = back.before, back.ended
			}
			return jobs, func() error {
				if back.lost {
					return nil
				}
				err := errors.Join(watch.Ended(wallRounds), tidy(w))
				for _, output := range outputs {
					if output != "-" {
						err = errors.Join(err, whole(w.Machine, output))
					}
				}
				if err == nil && again && undisturbed == nil {
					undisturbed = watch.Released()
				} else if err == nil && again && !maps.Equal(undisturbed, watch.Released()) {
					err = errors.New("other releases than without faults")
				}
				return err
			}
		}}
}

// copies puts an old copy of a ledger back, after a fault. The folder beside it stays, and shows that charges are lost.
type copies struct {
	world *simulation.World
	old   []byte
	lost  bool
}

func (c *copies) before() {
	m := c.world.Machine
	if c.old == nil {
		c.old = m.Files.At(ledgerName).Content
		return
	}
	last := m.Files.At(ledgerName + ".releases/" + event.LastName)
	ledger, err := event.ReadLedger(bytes.NewReader(c.old), ledgerName)
	if err == nil && last != nil && !ledger.HasLast(last.Content) && c.world.Random.IntN(2) == 0 {
		m.Put(ledgerName, c.old)
		c.lost = true
	}
}

// ended wants the refusal of a ledger that lacks charges.
func (c *copies) ended(codes []int) error {
	if want := map[bool]int{false: exit.OK, true: exit.Malformed}[c.lost]; codes[0] != want {
		return fmt.Errorf("exit code %d, must be %d: %s", codes[0], want, c.world.Messages())
	}
	return nil
}

// charges counts the whole charges in a ledger.
func charges(ledger []byte) (n int) {
	for line := range bytes.Lines(ledger) {
		if bytes.HasSuffix(line, []byte("\n")) && bytes.Contains(line, []byte(`"type":"charge"`)) {
			n++
		}
	}
	return n
}

// readAll is a program that reads its input to the end. It fails if the input is cut.
func readAll(_ context.Context, _ []string, in, _ *system.Handle, _ io.Writer) int {
	f := file(in)
	b, err := io.ReadAll(f)
	if f.Close(); err != nil || !simulation.Complete(b) {
		return exit.Malformed
	}
	return exit.OK
}

// tidy says whether nothing unfinished is left. It may be left where the disk failed to remove it.
func tidy(w *simulation.World) error {
	if slices.ContainsFunc(w.Struck(), func(f effect.Planned) bool { return f.Fault == system.IO }) {
		return nil
	}
	for _, path := range w.Machine.Files.Paths() {
		if strings.HasSuffix(path, ".tmp") {
			return fmt.Errorf("%s was left behind", path)
		}
	}
	return nil
}

// begin begins a ledger.
func begin(m *system.Machine) {
	content, err := event.NewLedger(&event.Head{ID: strings.Repeat("1d", 16)}, time.Now())
	if err != nil {
		panic(err)
	}
	for _, folder := range []string{"/wall", "/out", "/tmp"} {
		m.Put(folder, nil)
	}
	m.Put(ledgerName, content)
}

// whole says whether an output is there, complete and durable.
func whole(m *system.Machine, name string) error {
	f := m.Files.At(name)
	if f == nil || !bytes.Equal(m.Files.Durable(name), f.Content) {
		return fmt.Errorf("%s is not there, or not durable", name)
	}
	if !simulation.Complete(f.Content) {
		return fmt.Errorf("%s is not complete", name)
	}
	return nil
}
