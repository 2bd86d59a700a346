package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/release"
)

var contributions = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS}}

// privatize reads contributions and writes releases. This file only carries records to and from internal/release.
func (w *wall) privatize(r *filter.Run, grant *event.Grant, run string) error {
	if err := endpoint.Distinct(w.Output, w.Input); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(w.Input, contributions)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, name := range []string{h.Run, w.Run_} {
		if name != "" {
			run = name
		}
	}
	if err := event.CheckName(run); err != nil {
		return exit.Errorf(exit.Usage, "name of the run: %w", err)
	}
	terms := release.Terms{Dataset: w.Dataset, Run: run, Unit: event.Document, Grant: grant}
	if h.Unit == wire.Unit_USER {
		terms.Unit = event.User
	}
	for _, m := range h.Matrices {
		terms.Layout.Append(int(m.Rows), int(m.Columns))
	}
	if terms.Settings, err = settings(h, grant); err != nil || r.DryRun() {
		return err
	}
	privatizer, err := release.Open(w.Ledger, terms)
	if err != nil {
		return err
	}
	defer privatizer.Close()
	// Both take their names at the end: they would replace the ledger, and all that was charged with it.
	for _, name := range []string{w.Output, cli.Summary} {
		if endpoint.Distinct(name, w.Ledger) != nil {
			return exit.Errorf(exit.Usage, "output %s is also the ledger", name)
		}
	}
	out, err := endpoint.CreateStream(w.Output, releaseHeader(h, run), w.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	if grant == nil {
		r.Log.Warn("no privacy: releases are exact sums, and the ledger's epsilon is infinite from now on")
	}
	c := carrier{run: r, privatizer: privatizer, grant: grant, layout: &terms.Layout, in: in, out: out}
	if err := c.rounds(); err != nil {
		return err
	}
	return out.Commit()
}

// settings is the hash of all public settings that the stored release of a round depends on.
func settings(h *wire.Header, grant *event.Grant) (string, error) {
	type shape struct {
		Name          string
		Rows, Columns uint32
	}
	s := struct {
		Model, Vocabulary, Unit string
		Matrices                []shape
		Grant                   *event.Grant
	}{Model: h.Model, Vocabulary: hex.EncodeToString(h.Vocabulary), Unit: h.Unit.String(), Grant: grant}
	for _, m := range h.Matrices {
		s.Matrices = append(s.Matrices, shape{m.Name, m.Rows, m.Columns})
	}
	b, err := json.Marshal(s)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

func releaseHeader(h *wire.Header, run string) *wire.Header {
	out := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: run, Model: h.Model, Unit: h.Unit,
		Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize,
	}
	for _, m := range h.Matrices {
		out.Matrices = append(out.Matrices, &wire.Matrix{
			Name: m.Name, Rows: m.Rows, Columns: m.Columns, Element: wire.Element_INT64,
		})
	}
	return out
}

// carrier carries records between streams and the privatizer.
type carrier struct {
	run        *filter.Run
	privatizer *release.Privatizer
	grant      *event.Grant
	layout     *fixed.Layout
	in         *endpoint.StreamReader
	out        *endpoint.StreamWriter

	vector        fixed.Vector // of the unit under way
	rows, columns []uint32
	values        []float32
}

// rounds takes round after round until the input ends.
func (c *carrier) rounds() error {
	for {
		record, err := c.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.round(record); err != nil {
			return err
		}
	}
}

func (c *carrier) round(open *wire.Record) error {
	scheme, err := open.GetRoundOpen().Scheme.Event()
	if err != nil {
		return err
	}
	stored, err := c.privatizer.Begin(int(open.Round), scheme)
	if err != nil {
		return err
	}
	if stored != nil {
		c.run.Log.Info("round was released before: sending its stored release again", "round", open.Round)
		if err := c.send(open, stored); err != nil {
			return err
		}
	}
	for {
		record, err := c.in.Next()
		if err != nil {
			return err
		}
		if end := record.GetRoundClose(); end != nil {
			if stored != nil {
				return nil
			}
			return c.release(open, end)
		}
		if stored == nil {
			if err := c.add(record.GetContribution()); err != nil {
				return err
			}
		}
	}
}

// add takes one record of a unit's contribution; the last one hands the whole over.
func (c *carrier) add(contribution *wire.Contribution) error {
	if contribution.Record != "" {
		return exit.Errorf(exit.Usage, "%s: units of several records are not supported by this mechanism", c.in.Name())
	}
	for _, p := range contribution.Parts {
		c.rows = wire.AppendIDs(c.rows[:0], p.RowGaps)
		c.columns = wire.AppendIDs(c.columns[:0], p.ColumnGaps)
		c.values = c.values[:0]
		for i := 0; i < len(p.Values); i += 4 {
			c.values = append(c.values, math.Float32frombits(binary.LittleEndian.Uint32(p.Values[i:])))
		}
		if err := c.privatizer.Quantise(&c.vector, int(p.Matrix), c.rows, c.columns, c.values); err != nil {
			return c.in.Errorf("%w", err)
		}
	}
	if contribution.More {
		return nil
	}
	err := c.privatizer.Add(contribution.Unit, wire.UnitDigest(contribution.Unit), &c.vector)
	c.vector.Reset()
	return err
}

// release ends the round and sends its release, which is in the ledger by then.
func (c *carrier) release(open *wire.Record, end *wire.RoundClose) error {
	cells, err := c.privatizer.Release(end.Units, end.UnitDigest)
	if err != nil {
		return err
	}
	c.run.Status("round %d released", open.Round)
	return c.send(open, cells)
}

// send writes the release of a round and flushes, so that the next stage can go on.
func (c *carrier) send(open *wire.Record, cells []int64) error {
	scheme, err := wire.SchemeOf(c.privatizer.Scheme())
	if err != nil {
		return err
	}
	head := &wire.Release{
		Mechanism: event.None, Grid: c.privatizer.Step(), Clip: c.privatizer.Bound(), Scale: c.privatizer.Scale(),
		Scheme: scheme,
	}
	if c.grant != nil {
		head.Mechanism, head.Grant = c.grant.Mechanism, c.grant.ID
	}
	matrices := make([][]byte, c.layout.Matrices())
	for i := range matrices {
		from, to := c.layout.Span(i)
		matrices[i] = stream.AppendCells(nil, cells[from:to])
	}
	record := &wire.Record{Round: open.Round, Body: &wire.Record_Release{Release: head}}
	if err := c.out.WriteSet(record, matrices...); err != nil {
		return err
	}
	return c.out.Flush()
}
