package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/model"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// train answers every document of every round with a contribution, on each stream of the input.
func (j *Job) train(r *filter.Run, w Work) error {
	rounds := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_ROUNDS}, Values: w.Family.Values}
	if r.DryRun() {
		return cmp.Or(r.Check(j.Params), endpoint.CheckStream(r, j.Input, rounds))
	}
	params := sync.OnceValues(func() (*parameters, error) {
		if j.Params == "" {
			return nil, nil
		}
		options := endpoint.Of(r)
		options.Patience = j.ParamsWait
		return follow(endpoint.With(r, options), j.Params, j.ParametersWanted(), j.Stale, w.New)
	})
	key, err := w.key(r, j)
	if err != nil {
		return err
	}
	if j.N() == 1 && topic.Is(j.Input) {
		// One of several workers on a machine: on more cores its few goroutines wake each other's threads at each
		// frame, which took an eighth of its time (SCALE.md of the recipes for Kafka, section 9).
		runtime.GOMAXPROCS(1)
	}
	meter := &progress.Meter{Name: "estep", Unit: "round"}
	r.Show(j.Output, meter.Line)
	return endpoint.Share(r, j.Input, rounds, j.Output, func(ctx context.Context, in *endpoint.Partition) error {
		p, err := params()
		if err != nil {
			return err
		}
		t := &trainer{Job: j, work: w, Context: ctx, run: r, key: key, step: w.New(), params: p, in: in, meter: meter}
		return t.train()
	})
}

// A trainer works on one stream of rounds.
type trainer struct {
	*Job
	context.Context // ends with the trainer's work
	work            Work
	run             *filter.Run
	key             []byte      // key of the secret coins; nil: the model has no coins
	size            model.Size  // the model's
	step            model.EStep // with the parameters of the current round
	params          *parameters // nil: the model needs none
	state           *state      // nil: the model keeps none
	in              *endpoint.Partition
	memory          batches // memory for the documents in progress
	out             *endpoint.StreamWriter
	header          *wire.Header
	meter           *progress.Meter
}

func (t *trainer) train() (err error) {
	h := t.in.Header
	if err := t.work.named(h.Run); err != nil {
		return err
	}
	if _, coupled := t.step.(model.Whole); coupled {
		if err := endpoint.CheckOne(t, t.Input); err != nil {
			return err
		}
	}
	if p := t.work.Public; p != nil {
		if err := sharedVocabulary(t.in.Name(), h, cmp.Or(t.Model, "--vocab"), p); err != nil {
			return err
		}
	}
	var parametersHeader *wire.Header
	if t.params != nil {
		parametersHeader = t.params.header
		if err := sharedVocabulary(t.in.Name(), h, t.Params, parametersHeader); err != nil {
			return err
		}
		if err := sharedRun(t.in.Name(), h, t.Params, parametersHeader); err != nil {
			return err
		}
	}
	if t.size, err = t.work.Family.Fit(h, parametersHeader); err != nil {
		return exit.Errorf(exit.Malformed, "%w", err)
	}
	t.header = &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: h.Side, Run: h.Run, Model: t.work.Family.Name,
		Unit:       h.Unit,
		Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize, Matrices: t.work.Family.Statistics(t.size),
	}
	if t.work.Scaled {
		t.header.Version = wire.Newest
		for _, m := range t.header.Matrices {
			m.Element = wire.Element_INT16
		}
	}
	if t.header.Settings, err = Settings(t.header.Version, t.work.Family.Name, t.step, t.Stale); err != nil {
		return err
	}
	if t.state, err = t.openState(); err != nil {
		return err
	}
	if t.out, err = t.in.CreateStream(t, t.header, t.Compress.Compress); err != nil {
		return err
	}
	defer t.out.Abort()
	t.in.Reuse() // batches have copies
	if err := t.rounds(); err != nil {
		return err
	}
	return t.out.Commit()
}

// Settings is the hash of all settings that contributions depend on. Workers with different settings must not share a
// run. All hashed settings are public. They do not include the machine, the number of cores or the names of files.
func Settings(version uint32, name string, m model.EStep, stale int) ([]byte, error) {
	settings := map[string]any{"wire": version, "model": name, "settings": m.Settings()}
	if version == 2 { // it changed no contribution, so workers of versions 1 and 2 may work on one run
		settings["wire"] = 1
	}
	if stale > 0 {
		settings["stale"] = stale
	}
	b, err := json.Marshal(settings)
	hash := sha256.Sum256(b)
	return hash[:], err
}

// rounds answers round after round until the input ends.
func (t *trainer) rounds() error {
	var answered, skipped uint32 // the last answered and the last skipped round
	for {
		open, err := t.in.Next()
		if err == io.EOF {
			if answered == 0 && skipped > 0 {
				t.run.Log.Warn(fmt.Sprintf("%s: no round is answered: %s has the parameters after round %d or a "+
					"later one, so all are released",
					t.in.Name(), t.Params, skipped))
			}
			if answered+skipped == 0 && !t.in.Amid() {
				return exit.Errorf(exit.Malformed, "%s: no round", t.in.Name())
			}
			return t.in.Complete()
		}
		if err != nil {
			return err
		}
		if err := t.once(open.GetRoundOpen().Scheme); err != nil {
			return err
		}
		wanted, err := t.prepare(open.Round)
		if err == nil {
			err = t.state.check(open.Round, wanted)
		}
		if err != nil {
			return err
		}
		t.run.Round(int(open.Round), int(open.GetRoundOpen().Scheme.Rounds))
		if wanted {
			answered, err = open.Round, t.round(open)
		} else {
			skipped, err = open.Round, t.skip()
		}
		if err != nil {
			return err
		}
		t.meter.Total.Store(int64(open.GetRoundOpen().Scheme.Rounds))
		t.meter.Done.Store(int64(open.Round))
		t.in.Answered(open.Round)
	}
}

// once refuses a round that Work.Once excludes.
func (t *trainer) once(s *wire.Scheme) error {
	switch {
	case !t.work.Once:
		return nil
	case s.Method != wire.Scheme_ALL || s.Rounds != 1:
		return exit.Errorf(exit.Refused, "%s: the claim is of one round of all documents (sample --all)", t.in.Name())
	case t.in.Header.Unit != wire.Unit_DOCUMENT:
		return exit.Errorf(exit.Refused, "%s: the claim is of documents, and not of another privacy unit", t.in.Name())
	}
	return nil
}

// prepare waits for the parameters after the previous round, or with --stale 1 after the round before the previous one.
// It returns false if the parameters after round itself have already arrived: then the run was resumed, and round is
// released.
func (t *trainer) prepare(round uint32) (wanted bool, err error) {
	if t.params == nil {
		return true, nil
	}
	step, newest, err := t.params.after(t, round-1, t.size)
	t.step = step
	return err == nil && newest < round, err
}

// skip discards the documents in one round.
func (t *trainer) skip() error {
	for {
		record, err := t.in.Next()
		if err != nil || record.GetRoundClose() != nil {
			return err
		}
	}
}

// round answers the documents in one round.
func (t *trainer) round(open *wire.Record) error {
	whole, coupled := t.step.(model.Whole)
	if err := t.state.sampled(open.GetRoundOpen(), coupled); err != nil {
		return err
	}
	open.GetRoundOpen().Coupled = coupled
	if drawer, ok := t.step.(model.Drawer); ok {
		open.GetRoundOpen().Draws = drawer.Draws()
	}
	if err := t.out.Write(open); err != nil {
		return err
	}
	var end *wire.Record
	next := func() (*batch, bool, error) {
		b := t.memory.take()
		for end == nil && len(b.documents) < perFrame {
			record, err := t.in.Next()
			if err != nil {
				return nil, false, err
			}
			if record.GetRoundClose() != nil {
				end = record
			} else {
				b.add(record.GetDocument())
			}
		}
		return b, len(b.documents) > 0, nil
	}
	write := func(a answer) error {
		t.state.keep(a.kept)
		for _, b := range a.batches {
			if err := t.out.WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	switch {
	case coupled:
		err = t.answerAll(whole, open.Round, next, write)
	case t.work.Mean && t.header.Unit == wire.Unit_USER:
		contributions := 0
		if contributions, err = t.answerUsers(open.Round, next, write); err == nil {
			end.GetRoundClose().Records = uint64(contributions)
		}
	default:
		worker := workers(t.step, t.N())
		work := func(i int, b *batch) (answer, error) {
			defer t.memory.give(b)
			return t.answer(worker(i), open.Round, b.documents)
		}
		err = parallel.Map(t, t.N(), next, work, write)
	}
	if err == nil {
		err = t.state.save(t, open)
	}
	if err != nil {
		return err
	}
	if err := t.out.Write(end); err != nil {
		return err
	}
	return t.out.Flush()
}

// An answer has the contributions of some documents.
type answer struct {
	batches []*stream.Batch // encoded
	kept    []*wire.Record  // for the state; else nil
}

// answer answers some documents.
func (t *trainer) answer(worker model.Worker, round uint32, documents []*wire.Document) (answer, error) {
	metrics.Documents(len(documents))
	t.meter.Documents.Add(int64(len(documents)))
	coins := t.coins(round)
	a := answering{t: t, round: round, to: t.out.Framer().Batcher()}
	var c *wire.Contribution
	for _, d := range documents {
		if c == nil || t.state != nil { // the state keeps c
			c = new(wire.Contribution)
		}
		t.name(c, d)
		coins.Document = d
		parts, err := t.state.contribute(worker, round, d, c, &coins)
		if err == nil {
			err = a.add(c, parts)
		}
		if err != nil {
			return answer{}, err
		}
	}
	return a.answer(), nil
}

// answering is an answer in progress.
type answering struct {
	t     *trainer
	round uint32
	to    *stream.Batcher
	sent  []*wire.Record // records of the last contribution
	kept  []*wire.Record
}

// add adds a contribution. Hidden parts go only to the state. Without a state the caller may reuse the memory of the
// parts afterwards.
func (a *answering) add(c *wire.Contribution, parts []*wire.Part) error {
	state := a.t.state
	sent := state.sent(parts)
	if a.sent = a.sent[:0]; state != nil { // the state keeps the records
		a.sent = nil
	}
	a.sent = appendContribution(a.sent, a.round, c, sent) // a record has room for parts of FLOAT32, with their gaps
	if a.t.work.Scaled {
		for _, p := range sent {
			if err := scaled(p); err != nil {
				return err
			}
		}
	}
	for _, r := range a.sent {
		if err := a.to.Add(r); err != nil {
			return err
		}
	}
	switch {
	case state == nil:
	case len(sent) == len(parts):
		a.kept = append(a.kept, a.sent...)
	default:
		a.kept = appendContribution(a.kept, a.round, &wire.Contribution{Unit: c.Unit, Record: c.Record}, parts)
	}
	return nil
}

func (a *answering) answer() answer { return answer{a.to.All(), a.kept} }

// contribution returns the document's contribution, without parts yet.
func (t *trainer) contribution(d *wire.Document) *wire.Contribution {
	c := new(wire.Contribution)
	t.name(c, d)
	return c
}

// name makes c the document's contribution, without parts yet.
func (t *trainer) name(c *wire.Contribution, d *wire.Document) {
	c.Unit, c.Record, c.Parts, c.More = wire.UnitName(t.header.Unit, d), "", c.Parts[:0], false
	if t.header.Unit == wire.Unit_USER {
		c.Record = d.Id
	}
}

// coins returns the coins for one round, for no document yet.
func (t *trainer) coins(round uint32) model.Coins {
	return model.Coins{Key: t.key, Scope: model.Scope(t.header.Run, round)}
}

// appendContribution appends c with its parts, cut into as many records as they need. It reuses records in the list's
// spare capacity.
func appendContribution(records []*wire.Record, round uint32, c *wire.Contribution, parts []*wire.Part) []*wire.Record {
	size := 0
	for i, p := range parts {
		if size += len(p.Values); size > model.MaxPart && i > 0 {
			c.More = true
			records = appendRecord(records, round, c)
			c = &wire.Contribution{Unit: c.Unit, Record: c.Record}
			size = len(p.Values)
		}
		c.Parts = append(c.Parts, p)
	}
	return appendRecord(records, round, c)
}

func appendRecord(records []*wire.Record, round uint32, c *wire.Contribution) []*wire.Record {
	n := len(records)
	if n == cap(records) || records[:n+1][n] == nil {
		return append(records, &wire.Record{Round: round, Body: &wire.Record_Contribution{Contribution: c}})
	}
	records = records[:n+1]
	records[n].Round, records[n].Body.(*wire.Record_Contribution).Contribution = round, c
	return records
}
