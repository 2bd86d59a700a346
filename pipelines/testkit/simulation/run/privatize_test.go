package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/testkit/simulation"
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

// wall is the scenario of one privatizer, which reads a file and writes a file.
func wall() *simulation.Scenario {
	input := wallInput()
	grant, err := json.Marshal(wallGrant())
	if err != nil {
		panic(err)
	}
	return &simulation.Scenario{Name: "wall", Faults: simulation.Usual,
		Prepare: func(w *simulation.World) ([]simulation.Job, func() error) {
			begin(w.Machine)
			w.Machine.Put("/private.pp", input)
			w.Machine.Put(grantName, grant)
			watch := simulation.Watch(w, ledgerName, canary)
			args := "gaussian --grant " + grantName + " --ledger " + ledgerName + " -o " + outputName + " /private.pp"
			job := simulation.Job{Stages: []simulation.Stage{stage(privatize.Program, args)}}
			return []simulation.Job{job}, func() error {
				return errors.Join(watch.Ended(wallRounds), whole(w.Machine, outputName))
			}
		}}
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

// whole says whether an output is there, and durable.
func whole(m *system.Machine, name string) error {
	f := m.Files.At(name)
	if f == nil || !bytes.Equal(m.Files.Durable(name), f.Content) {
		return fmt.Errorf("%s is not there, or not durable", name)
	}
	return nil
}
