package command

import (
	"encoding/binary"
	"io"
	"strconv"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/local"
	"privpipe/privatize/rounds"
)

// RandomizedResponse is privatize randomized-response. It reports documents by randomized response.
type RandomizedResponse struct {
	grantFlag
	charged
	Output string `short:"o" placeholder:"FILE" help:"Write the reports to this file or topic. Default: standard output."`
	Shared bool   `name:"shared-topic" help:"The output is a topic in which other ledgers report, too, such as those of many authors. Then nothing there can show that this ledger is an old copy. Default: reports without a charge in this ledger are refused."`
	Input  string `arg:"" optional:"" default:"-" help:"Stream of documents to report. Default: standard input."`
	filter.Compress
}

// Validate is kong's hook.
func (c *RandomizedResponse) Validate() error {
	if c.Shared && !endpoint.IsTopic(c.Output) {
		return exit.Errorf(exit.Usage, "--shared-topic is for an output that is a topic, -o kafka://…")
	}
	return nil
}

// mostWords bounds the vocabulary, so that every report fits a record on the wire, whatever its bits are. A reported
// word takes one byte for its count, and its gap takes at most as many bytes as the gap is long. 64 bytes are for the
// id, tags and lengths.
const mostWords = (wire.MaxRecord - binary.MaxVarintLen32 - 64) / 2

// Run is kong's hook. This file only carries records to and from internal/local.
func (c *RandomizedResponse) Run(r *filter.Run) error {
	if err := c.need(); err != nil {
		return err
	}
	if err := r.Check(c.Input, c.Ledger, c.Grant); err != nil {
		return err
	}
	grant, err := c.read(r, event.RandomizedResponse)
	if err != nil {
		return err
	}
	if err := endpoint.Distinct(r, c.Output, c.Input); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(r, c.Input,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Whole: true, Ended: true})
	if err != nil {
		return err
	}
	defer in.Close()
	if h.Side == wire.Side_PUBLIC {
		return nothingToProtect(in.Name())
	}
	if h.VocabularySize < 1 || h.VocabularySize > mostWords {
		return exit.Errorf(exit.Malformed, "%s: a vocabulary of %d words, must be of 1 to %d to be reported bit by bit",
			in.Name(), h.VocabularySize, mostWords)
	}
	terms := local.Terms{Dataset: c.Dataset, Grant: grant, Subject: rounds.SubjectOf(h)}
	if terms.Run, err = c.name(h.Run, grant.ID); err != nil {
		return err
	}
	if terms.Settings, err = rounds.HashOf(h, grant); err != nil || r.DryRun() {
		return err
	}
	responder, err := local.Open(c.Ledger, terms)
	if err != nil {
		return err
	}
	defer responder.Close()
	create := endpoint.CreateStream
	if c.Shared {
		create = endpoint.CreateShared
	}
	out, err := create(r, c.Output, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PUBLIC, Run: terms.Run,
		Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize,
	}, c.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	if !c.Shared {
		sent, err := endpoint.Holds(c.Output)
		if err != nil {
			return err
		}
		if err := responder.Resume(sent); err != nil {
			return err
		}
	}
	replayed, err := responder.Respond(documentsOf(in))
	if err != nil {
		return err
	}
	if replayed {
		r.Log.Info("the documents were reported before: sending the stored reports again")
	}
	name, err := responder.Name()
	if err != nil {
		return err
	}
	if err := responder.Reports(reportsTo(out, name)); err != nil {
		return err
	}
	return out.Commit()
}

// documentsOf returns a function that returns the stream's documents in turn. After the last document it returns io.EOF
// if the stream is whole. A stream without a document is refused. The same Document is used each time.
func documentsOf(in *endpoint.StreamReader) func() (*local.Document, error) {
	d, any := new(local.Document), false
	return func() (*local.Document, error) {
		record, err := in.Next()
		if err == io.EOF && !any {
			return nil, exit.Errorf(exit.Malformed, "%s: no document", in.Name())
		}
		if err != nil {
			return nil, err
		}
		any = true
		document := record.GetDocument()
		d.ID, d.Counts = document.Id, document.Counts
		d.Words = wire.AppendIDs(d.Words[:0], document.WordGaps)
		return d, nil
	}
}

// reportsTo returns a function that writes a report as a document. Its id is the report's number and the name of the
// reports. The division into frames follows from the reports only.
func reportsTo(out *endpoint.StreamWriter, name string) func(words []uint32) error {
	d := new(wire.Document)
	record := &wire.Record{Body: &wire.Record_Document{Document: d}}
	number := 0
	return func(words []uint32) error {
		number++
		d.Id = strconv.Itoa(number) + "-" + name
		d.WordGaps = wire.AppendGaps(d.WordGaps[:0], words)
		for len(d.Counts) < len(words) {
			d.Counts = append(d.Counts, 1)
		}
		d.Counts = d.Counts[:len(words)]
		return out.Write(record)
	}
}
