package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// fakeSamplers are small samplers of topics in floating point, for the scripts of audit estep. Each sampler has one
// flaw and is named after it.
func fakeSamplers() map[string]func() {
	programs := make(map[string]func())
	for _, flaw := range []string{
		"none", "unclamped", "half-clamped", "in-place", "coupled", "coupled-at-times", "increments", "noisy",
		"negative", "fixed-coins",
		"fresh-coins", "coins-of-words", "other-state", "large-state", "no-state", "draws-less", "draws-unstated",
		"draws-of-documents", "two-matrices",
		"loses", "wide", "other-name", "other-round", "no-round", "releases", "refuses", "text",
	} {
		programs["fake-estep-"+flaw] = func() {
			f := &fakeSampler{flaw: flaw, flags: make(map[string]string)}
			if err := f.main(os.Args[1:]); err != nil {
				fmt.Fprintf(os.Stderr, "fake-estep-%s: error: %v\n", flaw, err)
				os.Exit(90)
			}
		}
	}
	return programs
}

type fakeSampler struct {
	flaw  string
	flags map[string]string

	k, v    int
	alpha   float64
	draws   float64
	weights []float64 // K×V
	table   []float64 // K×V, of in place
	state   map[string][]float32
	key     []byte
}

// main is called as estep gibbs --keep FLAG VALUE… IN, or as estep collapsed FLAG VALUE… IN.
func (f *fakeSampler) main(args []string) error {
	if f.flaw == "refuses" {
		return errors.New("no")
	}
	args = slices.DeleteFunc(args[1:], func(a string) bool { return a == "--keep" })
	for ; len(args) > 1; args = args[2:] {
		f.flags[args[0]] = args[1]
	}
	if f.flaw == "text" {
		return os.WriteFile(f.flags["-o"], []byte("words"), 0o600)
	}
	if err := f.parameters(); err != nil {
		return err
	}
	f.key = must(os.ReadFile(f.flags["--secret"]))
	if f.flaw == "fixed-coins" {
		clear(f.key)
	}
	return f.round(args[0])
}

func records(name string, each func(*wire.Header, *wire.Record)) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	r, err := stream.NewReader(bytes.NewReader(content), name)
	if err != nil {
		return err
	}
	h, err := r.Header()
	for err == nil {
		var record *wire.Record
		if record, err = r.Next(); err == nil {
			each(h, record)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// parameters takes the weights, within a factor of e^(draws/2) in each topic.
func (f *fakeSampler) parameters() error {
	err := records(f.flags["--params"], func(h *wire.Header, r *wire.Record) {
		f.k, f.v = int(h.Matrices[0].Rows), int(h.Matrices[0].Columns)
		for _, s := range r.GetParameters().GetScalars() {
			if s.Name == "alpha" {
				f.alpha = s.Value
			}
		}
		for _, x := range cells(r.GetBlock().GetValues()) {
			f.weights = append(f.weights, max(float64(x), 1e-7))
		}
	})
	f.table = slices.Clone(f.weights)
	f.draws = 40
	if e := f.flags["--draws"]; e != "" {
		f.draws = must(strconv.ParseFloat(e, 64))
		within := f.draws
		switch f.flaw {
		case "unclamped":
			within = 100
		case "half-clamped": // the numerator alone is within the bound
			within *= 2
		}
		for topic := range f.k {
			row := f.weights[topic*f.v : (topic+1)*f.v]
			for i, x := range row {
				row[i] = max(x, slices.Max(row)*math.Exp(-within/2))
			}
		}
	}
	return err
}

func cells(values []byte) (all []float32) {
	for i := 0; i < len(values); i += 4 {
		all = append(all, math.Float32frombits(binary.LittleEndian.Uint32(values[i:])))
	}
	return all
}

// round answers the round of a file.
func (f *fakeSampler) round(name string) error {
	f.state = make(map[string][]float32)
	if _, err := os.Stat(f.flags["--state"]); err == nil {
		if err := records(f.flags["--state"], func(_ *wire.Header, r *wire.Record) {
			if c := r.GetContribution(); c != nil {
				f.state[c.Unit] = cells(c.Parts[len(c.Parts)-1].Values)
			}
		}); err != nil {
			return err
		}
	}
	var sent, kept []*wire.Record
	var header *wire.Header
	err := records(name, func(h *wire.Header, r *wire.Record) {
		header = h
		if d := r.GetDocument(); d != nil {
			s, k := f.answer(r.Round, d)
			if f.flaw == "loses" && d.Id == "witness 7" {
				return
			}
			sent, kept = append(sent, s), append(kept, k)
			return
		}
		if open := r.GetRoundOpen(); open != nil {
			open.Draws = f.states(r.Round)
			open.Coupled = f.flaw == "coupled" || f.flaw == "coupled-at-times" && r.Round == 2
		}
		if end := r.GetRoundClose(); end != nil {
			end.Records = uint64(len(sent))
			end.Units = end.Records
		}
		sent, kept = append(sent, r), append(kept, r)
	})
	if err != nil {
		return err
	}
	counts := []*wire.Matrix{{Name: "topics", Rows: uint32(f.k), Columns: uint32(f.v), Element: wire.Element_FLOAT32}}
	hidden := slices.Clone(counts)
	if f.hides() {
		hidden = append(hidden, &wire.Matrix{Name: "counts", Rows: uint32(f.k), Columns: uint32(f.v),
			Element: wire.Element_FLOAT32})
	}
	switch f.flaw {
	case "two-matrices":
		counts = hidden
	case "wide":
		counts = []*wire.Matrix{{Name: "topics", Rows: 1 << 15, Columns: 1 << 15, Element: wire.Element_FLOAT32}}
	}
	write := func(file string, kind wire.Kind, matrices []*wire.Matrix, records []*wire.Record) error {
		h := &wire.Header{
			Version: wire.Version, Kind: kind, Side: wire.Side_PRIVATE, Run: header.Run, Model: "lda",
			Unit:       header.Unit,
			Vocabulary: header.Vocabulary, VocabularySize: header.VocabularySize, Matrices: matrices,
		}
		switch {
		case f.flaw == "releases" && kind == wire.Kind_CONTRIBUTIONS:
			h.Kind = wire.Kind_STATE
		case (f.flaw == "no-round" || f.flaw == "wide") && kind == wire.Kind_CONTRIBUTIONS:
			records = nil
		case f.flaw == "no-state" && kind == wire.Kind_STATE:
			return nil
		case f.flaw == "other-round":
			for _, r := range records {
				r.Round = 7
			}
		}
		content, _ := script.Stream(h, records...)
		return os.WriteFile(file, content, 0o600)
	}
	return cmp.Or(write(f.flags["-o"], wire.Kind_CONTRIBUTIONS, counts, f.closed(sent)),
		write(f.flags["--state"], wire.Kind_STATE, hidden, f.closed(kept)))
}

// closed returns records whose close counts the contributions before it.
func (f *fakeSampler) closed(records []*wire.Record) []*wire.Record {
	end := records[len(records)-1].GetRoundClose()
	end.Records, end.UnitDigest = 0, 0
	for _, r := range records {
		if c := r.GetContribution(); c != nil {
			end.Records++
			end.UnitDigest += wire.UnitDigest(c.Unit)
		}
	}
	end.Units = end.Records
	return records
}

// hides says whether the state has the counts beside the contribution.
func (f *fakeSampler) hides() bool {
	return f.flags["--statistic"] == "increments" || f.flaw == "increments" || f.flaw == "large-state" ||
		f.flaw == "two-matrices"
}

// states returns what the rounds state as the loss of their draws.
func (f *fakeSampler) states(round uint32) float64 {
	switch {
	case f.flaw == "draws-less":
		return f.draws / 2
	case f.flaw == "draws-unstated" && f.flags["--draws"] == "":
		return 0
	case f.flaw == "draws-of-documents" && len(f.state) > 500:
		return f.draws + float64(f.key[0])
	}
	return f.draws
}

// coins returns the coins of a document in a round.
func (f *fakeSampler) coins(round uint32, d *wire.Document) *rand.Rand {
	name := d.Id
	switch f.flaw {
	case "coins-of-words":
		name = fmt.Sprint(d.WordGaps, d.Counts)
	case "fresh-coins":
		name += fmt.Sprint(rand.Uint64())
	}
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%x %d %s", f.key, round, name))))
}

// answer returns the contribution of a document, and what is kept of it.
func (f *fakeSampler) answer(round uint32, d *wire.Document) (sent, kept *wire.Record) {
	random := f.coins(round, d)
	last := f.state[d.Id]
	type token struct{ word, topic int }
	var tokens []token
	members := make([]float64, f.k)
	for i, id := range wire.AppendIDs(nil, d.WordGaps) {
		left := d.Counts[i]
		for topic := range f.k {
			n := uint32(0)
			if last != nil {
				n = uint32(last[topic*f.v+int(id)])
			}
			for range n {
				tokens = append(tokens, token{int(id), topic})
			}
			left -= n
		}
		for range left {
			tokens = append(tokens, token{int(id), random.IntN(f.k)})
		}
	}
	for _, t := range tokens {
		members[t.topic]++
	}
	random.Shuffle(len(tokens), func(i, j int) { tokens[i], tokens[j] = tokens[j], tokens[i] })
	now := make([]float32, f.k*f.v)
	for _, t := range tokens {
		members[t.topic]--
		t.topic = f.draw(t.word, members, random)
		members[t.topic]++
		f.table[t.topic*f.v+t.word]++
		now[t.topic*f.v+t.word]++
	}
	values := slices.Clone(now)
	if (f.flags["--statistic"] == "increments" || f.flaw == "increments") && last != nil {
		for i, n := range last {
			values[i] -= n
		}
	}
	word := wire.AppendIDs(nil, d.WordGaps)[0]
	switch f.flaw {
	case "noisy":
		values[word] += 0.5
		values[f.v+int(word)] -= 0.5
	case "negative":
		values[word] += 100
		values[f.v+int(word)] -= 100
	}
	record := func(id string, all ...[]float32) *wire.Record {
		c := &wire.Contribution{Unit: id}
		for m, v := range all {
			c.Parts = append(c.Parts, &wire.Part{Matrix: uint32(m), Values: stream.AppendCells(nil, v)})
		}
		return &wire.Record{Round: round, Body: &wire.Record_Contribution{Contribution: c}}
	}
	state := [][]float32{values}
	if f.hides() {
		state = append(state, now)
	}
	if f.flaw == "other-state" {
		state[0] = slices.Clone(values)
		state[0][word], state[0][f.v+int(word)] = values[f.v+int(word)], values[word]
	}
	id := d.Id
	if f.flaw == "other-name" {
		id += "!"
	}
	return record(id, values), record(d.Id, state...)
}

// draw draws the topic of a token.
func (f *fakeSampler) draw(word int, members []float64, random *rand.Rand) int {
	weights := f.weights
	if f.flaw == "in-place" {
		weights = f.table
	}
	total, ends := 0.0, make([]float64, f.k)
	for topic := range ends {
		total += weights[topic*f.v+word] * (members[topic] + f.alpha)
		ends[topic] = total
	}
	at := random.Float64() * total
	return min(slices.IndexFunc(ends, func(end float64) bool { return at < end }), f.k-1)
}
