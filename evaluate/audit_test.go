package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// fakes are small privatizers, each with a flaw by which it is called, for the scripts of audit.
func fakes() map[string]func() {
	programs := make(map[string]func())
	for _, flaw := range []string{
		"none", "half-noise", "seeded", "deduplicates", "counts-twice", "uncharged", "recharges", "other-adjacency",
		"varying-charge", "mute", "refuses", "one-round", "exact",
	} {
		programs["fake-"+flaw] = func() {
			if err := (&fake{flaw: flaw}).main(os.Args); err != nil {
				fmt.Fprintf(os.Stderr, "fake-%s: error: %v\n", flaw, err)
				os.Exit(90)
			}
		}
	}
	return programs
}

type fake struct {
	flaw   string
	grant  *event.Grant
	ledger event.Ledger
	lines  []byte
}

// main is called as privatize is: MECHANISM --grant G --ledger L -o OUT IN.
func (f *fake) main(args []string) error {
	if len(args) != 9 || args[2] != "--grant" || args[4] != "--ledger" || args[6] != "-o" {
		return fmt.Errorf("called with %q", args)
	}
	if f.flaw == "refuses" {
		return fmt.Errorf("no\nat all")
	}
	text, err := os.ReadFile(args[3])
	if err != nil {
		return err
	}
	if f.grant, err = event.ParseGrant(text); err != nil {
		return err
	}
	if _, err := os.Stat(args[5]); err == nil && f.flaw != "recharges" {
		return fmt.Errorf("released before")
	}
	in, err := os.Open(args[8])
	if err != nil {
		return err
	}
	out, err := os.Create(args[7])
	if err != nil || f.flaw == "mute" {
		return err
	}
	if err := f.release(in, out); err != nil {
		os.Remove(args[7])
		return err
	}
	return os.WriteFile(args[5], f.lines, 0o600)
}

func (f *fake) release(in io.Reader, out io.Writer) error {
	r, err := stream.NewReader(in, "input")
	if err != nil {
		return err
	}
	h, err := r.Header()
	if err != nil {
		return err
	}
	m := h.Matrices[0]
	w, err := stream.NewWriter(out, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Unit: h.Unit,
		Matrices: []*wire.Matrix{{Name: m.Name, Rows: m.Rows, Columns: m.Columns, Element: wire.Element_INT64}},
	}, must(stream.NewCompressor(stream.Fast)))
	if err != nil {
		return err
	}
	var sum []float64
	seen := make(map[string]bool)
	for {
		record, err := r.Next()
		switch {
		case err == io.EOF:
			return w.Close()
		case err != nil:
			return err
		case record.GetRoundOpen() != nil:
			sum, seen = make([]float64, m.Cells()), make(map[string]bool)
		case record.GetContribution() != nil:
			c := record.GetContribution()
			if seen[c.Unit] && f.flaw != "deduplicates" && f.flaw != "counts-twice" {
				return fmt.Errorf("a unit contributes twice")
			}
			if !seen[c.Unit] || f.flaw == "counts-twice" {
				f.add(sum, c)
			}
			seen[c.Unit] = true
		case record.GetRoundClose() != nil:
			if f.flaw == "one-round" && record.Round > 1 {
				continue
			}
			if err := f.send(w, record.Round, sum, len(seen)); err != nil {
				return err
			}
		}
	}
}

// add clips a contribution, whose cells all have one value, and adds it in steps.
func (f *fake) add(sum []float64, c *wire.Contribution) {
	bound, _ := f.grant.Steps()
	p := c.Parts[0]
	columns := wire.AppendIDs(nil, p.ColumnGaps)
	value := float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Values)))
	norm := math.Abs(value) * math.Sqrt(float64(len(columns)))
	for _, column := range columns {
		sum[column] += math.Trunc(value / norm * float64(bound))
	}
}

func (f *fake) send(w *stream.Writer, round uint32, sum []float64, units int) error {
	bound, scale := f.grant.Steps()
	normal := rand.NormFloat64
	if f.flaw == "seeded" {
		normal = rand.New(rand.NewPCG(1, uint64(round))).NormFloat64
	}
	cells := make([]int64, len(sum))
	for i, v := range sum {
		noise := normal() * float64(scale)
		switch f.flaw {
		case "half-noise":
			noise /= 2
		case "exact":
			noise = 0
		}
		cells[i] = int64(math.Round(v + noise))
	}
	wireScheme := must(wire.SchemeOf(f.grant.Scheme))
	head := &wire.Release{
		Mechanism: f.grant.Mechanism, Grant: f.grant.ID, Grid: 1, Clip: bound, Scale: scale, Scheme: wireScheme,
	}
	released := stream.AppendCells(nil, cells)
	err := w.WriteSet(&wire.Record{Round: round, Body: &wire.Record_Release{Release: head}}, released)
	if err != nil {
		return err
	}
	charge := f.grant.Charge(int(round), f.grant.Scheme)
	digest := sha256.Sum256(released)
	charge.Run, charge.Release = "audit", hex.EncodeToString(digest[:])
	switch f.flaw {
	case "uncharged":
		charge.Release = charge.Settings
	case "other-adjacency":
		charge.Adjacency = event.ReplaceOne
	case "varying-charge":
		charge.Sensitivity += uint64(units)
	case "exact":
		charge.Mechanism, charge.Scale, charge.Sensitivity = event.None, 0, 0
	}
	line := f.ledger.Next(time.Now())
	line.Type, line.Charge = event.TypeCharge, charge
	f.lines = append(f.lines, must(line.Encode(f.ledger.LastHash()))...)
	f.ledger.Lines = append(f.ledger.Lines, line)
	return nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
