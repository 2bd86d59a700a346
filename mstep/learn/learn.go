// Package learn is the work that the M-steps of all models share. It reads releases, passes them to the learner, and
// writes parameters, checkpoints and the model.
package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Job are the flags that the commands of all models share.
type Job struct {
	Vocab      string        `placeholder:"FILE" help:"Read the vocabulary of the documents from FILE; by default the default vocabulary of tokenize."`
	RunName    string        `name:"run" placeholder:"NAME" help:"Refuse releases of another training run than NAME; by default take any run. In a topic, the run's name separates its parameters from another run's."`
	ParamsOut  string        `output:"" placeholder:"FILE" help:"Write the parameters of each round to FILE, the FIFO that estep --params reads; by default write none."`
	ParamsWait time.Duration `placeholder:"TIME" help:"Wait at most TIME for estep to open the FIFO, then fail; by default until the input ends, and at most --fifo-wait. estep opens the FIFO after sample has read its documents."`
	Output     string        `short:"o" placeholder:"FILE" help:"Write the model to FILE at the end; standard output by default."`
	Models     string        `output:"" placeholder:"DIR" help:"Also write the model after each round to DIR, as 000000001.pp and so on; estep --score --model DIR scores under each."`
	Checkpoint string        `output:"" placeholder:"FILE" help:"Keep the state after rounds in FILE, so that a killed run can resume; OUTPUT.checkpoint by default, none beside a device; \"none\" for no checkpoint."`
	Every      uint32        `name:"checkpoint-every" default:"1" placeholder:"N" help:"Write the checkpoint after every N-th round; 1 by default. A killed run learns the rounds since the checkpoint again, so with N above 1 the input must be a topic or a file."`
	Input      string        `arg:"" optional:"" default:"-" help:"Stream of releases; standard input by default."`
	filter.Compress

	Exact  float64 `kong:"-"` // number of releases without noise behind the models that the learner begins with
	Judged *Judged `kong:"-"` // how a model.Judge is judged; nil: as topics
}

// session is one learner's run.
type session struct {
	*Job
	run        *filter.Run
	learner    model.Learner
	vocab      vocabulary.Words
	parameters *endpoint.StreamWriter // nil without --params-out, or after the reader has closed them
	name       string                 // the training run; "" until a release or a checkpoint names it
	exact      float64                // number of releases without noise, Job.Exact included
	meter      *progress.Meter        // all of it is public, like all that mstep reads
}

// Learn trains a learner on the releases of the input.
func (l *Job) Learn(r *filter.Run, learner model.Learner, vocab vocabulary.Words) error {
	return l.LearnFrom(First{}, r, learner, vocab)
}

// LearnFrom is Learn, and also writes the first model. A resumed run writes the first model again, so that a killed run
// has it too.
func (l *Job) LearnFrom(first First, r *filter.Run, learner model.Learner, vocab vocabulary.Words) error {
	switch {
	case l.Checkpoint == "none":
		l.Checkpoint = ""
	case l.Checkpoint == "" && !endpoint.IsStdout(l.Output) && !endpoint.IsTopic(l.Output) &&
		!endpoint.Special(l.Output):
		l.Checkpoint = l.Output + ".checkpoint"
	}
	if err := l.checkEvery(r); err != nil {
		return err
	}
	if err := endpoint.CheckKept("--checkpoint", l.Checkpoint); err != nil {
		return err
	}
	if err := first.distinct(l); err != nil {
		return err
	}
	if err := l.distinct(r); err != nil {
		return err
	}
	s := &session{Job: l, run: r, learner: learner, vocab: vocab, exact: l.Exact,
		meter: &progress.Meter{Name: "mstep", Unit: "round"}}
	if err := s.restore(); err != nil {
		return err
	}
	if r.DryRun() {
		return endpoint.CheckStream(r, s.Input, releases)
	}
	s.meter.Done.Store(int64(learner.Round()))
	s.meter.Say("waiting for the next release", "")
	r.Show(l.Output, s.meter.Line)
	if err := s.writeFirst(first); err != nil {
		return err
	}
	if err := s.openParameters(); err != nil {
		return err
	}
	defer func() {
		if s.parameters != nil {
			s.parameters.Abort()
		}
	}()
	if err := s.follow(); err != nil {
		return err
	}
	s.judge()
	if err := s.writeModel(l.Output); err != nil {
		return err
	}
	if s.parameters != nil {
		if err := s.unread(s.parameters.Commit()); err != nil {
			return err
		}
	}
	if l.Checkpoint != "" {
		if err := os.Remove(l.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkEvery refuses --checkpoint-every above 1 if a killed run could then not go on. A pipe may not deliver its
// releases again: privatize --keep-releases forgets releases, and sample --window goes on after the last round. An
// E-step with a state answers no older round.
func (l *Job) checkEvery(ctx context.Context) error {
	if l.Every > 1 && !l.readAgain(ctx) {
		return exit.Errorf(exit.Usage,
			"--checkpoint-every %d wants releases that can be read again, from a topic or a file", l.Every)
	}
	return nil
}

// readAgain reports whether the input has the releases for another reading, as a topic and a file do.
func (l *Job) readAgain(ctx context.Context) bool {
	_, file := endpoint.Size(ctx, l.Input)
	return file || endpoint.IsTopic(l.Input)
}

// distinct refuses outputs that would replace each other or an input. Package filter checks the files that flags name.
// distinct checks the rest: standard output and topics are no files, and no flag names OUTPUT.checkpoint.
func (l *Job) distinct(ctx context.Context) error {
	switch {
	case l.ParamsOut == "":
	case l.ParamsOut == l.Output || endpoint.IsStdout(l.ParamsOut) && endpoint.IsStdout(l.Output):
		return exit.Errorf(exit.Usage, "--output and --params-out are both %s", l.ParamsOut)
	case l.ParamsOut == l.Checkpoint:
		return exit.Errorf(exit.Usage, "--params-out %s is the checkpoint of the output, too", l.ParamsOut)
	}
	return endpoint.Distinct(ctx, l.Checkpoint, l.Input, cmp.Or(l.Vocab, l.Input))
}

// header returns the header for a stream that the session writes.
func (s *session) header(kind wire.Kind, matrices []*wire.Matrix) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: kind, Side: wire.Side_PUBLIC, Run: s.name, Model: s.learner.Family().Name,
		Vocabulary: s.vocab.Hash(), VocabularySize: uint32(len(s.vocab)), Matrices: matrices,
	}
}

func (s *session) record(snapshot *model.Snapshot) *wire.Record {
	return &wire.Record{
		Round: s.learner.Round(),
		Body:  &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: snapshot.Scalars}},
	}
}

// openParameters begins the stream of parameters with the parameters for the first round.
func (s *session) openParameters() error {
	snapshot := s.learner.Parameters()
	if s.ParamsOut == "" || snapshot == nil {
		return nil
	}
	h := s.header(wire.Kind_PARAMETERS, snapshot.Matrices)
	// Not s.name, which the first release sets: a resumed stream must have the same header as before.
	h.Run = s.RunName
	options := endpoint.Of(s.run)
	options.ReaderPatience = cmp.Or(s.ParamsWait, options.ReaderPatience)
	out, err := endpoint.CreateStream(endpoint.With(s.run, options), s.ParamsOut, h, s.Compress.Compress)
	if err != nil {
		return err
	}
	s.parameters = out
	return s.sendParameters(snapshot)
}

// sendParameters sends the parameters after a round. It is no error if the reader has closed the FIFO: estep needs no
// parameters after the last round. If estep ended too early, the releases are truncated, and their reader reports it.
func (s *session) sendParameters(snapshot *model.Snapshot) error {
	if s.parameters == nil {
		return nil
	}
	snapshot = s.exactly(snapshot)
	err := s.parameters.WriteSet(s.record(snapshot), snapshot.Cells...)
	if err == nil {
		err = s.parameters.Flush()
	}
	return s.unread(err)
}

// unread drops the error that a FIFO has without a reader.
func (s *session) unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		s.parameters.Abort()
		s.parameters = nil
		return nil
	}
	return err
}

var releases = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_RELEASES}, Side: wire.Side_PUBLIC}

// follow learns from release after release until the input ends.
func (s *session) follow() error {
	in, h, err := endpoint.OpenStream(s.run, s.Input, releases)
	if err != nil {
		return err
	}
	defer in.Close()
	if string(h.Vocabulary) != string(s.vocab.Hash()) {
		return exit.Errorf(exit.Malformed, "%s: releases over another vocabulary than --vocab", in.Name()).
			WithHint("%s", vocabulary.Hint(s.run, h.Vocabulary))
	}
	if err := model.CheckReleases(h, s.learner); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", in.Name(), err)
	}
	if s.RunName != "" && s.RunName != h.Run {
		return exit.Errorf(exit.Malformed, "%s: releases of run %q, not of --run %s", in.Name(), h.Run, s.RunName)
	}
	if s.name != "" && s.name != h.Run {
		return exit.Errorf(exit.Malformed, "%s: releases of run %s, but %s is a checkpoint of run %s", in.Name(), h.Run,
			s.Checkpoint, s.name).
			WithHint("remove the checkpoint to start again, or resume with its grant and --run")
	}
	s.name = h.Run
	resumed := s.learner.Round()
	for s.run.Err() == nil {
		set, err := stream.OpenSet(in.Reader, nil)
		if err == io.EOF {
			return in.Complete()
		}
		if err != nil {
			return err
		}
		if set.Round <= s.learner.Round() {
			if err := set.Skip(); err != nil {
				return err
			}
			continue // a replayed release: the checkpoint already has its round
		}
		if resumed > 0 && set.Round > resumed+1 && s.readAgain(s.run) {
			return exit.Errorf(exit.Malformed,
				"%s: begins after the checkpoint's round %d with round %d, and those between are missing",
				in.Name(), resumed, set.Round)
		}
		resumed = 0
		if err := s.learnFrom(set); err != nil {
			return err
		}
	}
	return s.run.Err()
}

// learnFrom learns from one release. The release arrives while the learner takes it. If it breaks off, the run ends,
// and nothing of the release is kept.
//
// learnFrom writes the checkpoint, if one is due, before it sends the parameters. An E-step that keeps a state replaces
// the state in the next round, and could then not answer this round again. After a crash in between, the checkpoint
// still gives these parameters. The parameters are computed while the checkpoint is written, since neither changes the
// learner.
func (s *session) learnFrom(set *stream.Set) error {
	release, err := model.NewRelease(set)
	if err == nil {
		err = s.learner.Update(release)
	}
	if err := set.Err(); err != nil {
		return err
	}
	if err != nil {
		return exit.Errorf(exit.Malformed, "%w", err)
	}
	if err := set.Skip(); err != nil { // skip cells that the learner did not read
		return err
	}
	if release.Exact {
		s.exact++
	}
	s.run.Round(int(release.Round), int(release.Rounds))
	s.meter.Total.Store(int64(release.Rounds))
	s.meter.Done.Store(int64(release.Round))
	s.meter.Say("", "")
	if err := s.saveModel(); err != nil {
		return err
	}
	saved := make(chan error, 1)
	go func() {
		defer exit.Guard()
		saved <- s.save()
	}()
	var parameters *model.Snapshot
	if s.parameters != nil {
		parameters = s.learner.Parameters()
	}
	if err := <-saved; err != nil || parameters == nil {
		return err
	}
	return s.sendParameters(parameters)
}

// saveModel writes the model after a round to the folder of models. It runs before the checkpoint is written, so a
// resumed run writes each model that the checkpoint does not have.
func (s *session) saveModel() error {
	if s.Models == "" {
		return nil
	}
	if err := os.MkdirAll(s.Models, 0o777); err != nil {
		return exit.Errorf(exit.Missing, "--models: %w", err)
	}
	return s.writeModel(filepath.Join(s.Models, fmt.Sprintf("%09d.pp", s.learner.Round())))
}

// save writes the checkpoint in each round that is a multiple of Every. A killed run learns the rounds since then
// again, from a topic or a file. This is post-processing and costs no privacy.
func (s *session) save() error {
	if s.Checkpoint == "" || s.learner.Round()%s.Every != 0 {
		return nil
	}
	state := s.exactly(s.learner.State())
	out, err := endpoint.CreateStream(s.run, s.Checkpoint, s.header(wire.Kind_CHECKPOINT, state.Matrices), "none")
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := out.WriteSet(s.record(state), state.Cells...); err != nil {
		return err
	}
	return out.Commit()
}

// exactly adds the number of releases without noise to a snapshot, if there are any.
func (s *session) exactly(snapshot *model.Snapshot) *model.Snapshot {
	if s.exact > 0 {
		model.Exact.Put(snapshot, s.exact)
	}
	return snapshot
}

// restore resumes from the checkpoint if there is one.
func (s *session) restore() error {
	if s.Checkpoint == "" {
		return nil
	}
	in, h, err := endpoint.OpenStream(s.run, s.Checkpoint,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CHECKPOINT}, Side: wire.Side_PUBLIC})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if h.Model != s.learner.Family().Name || string(h.Vocabulary) != string(s.vocab.Hash()) {
		return exit.Errorf(exit.Malformed, "%s: checkpoint of another model or vocabulary", s.Checkpoint).
			WithHint("remove it to start again")
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return err
	}
	exact, err := model.ExactOf(set)
	if err != nil {
		return err
	}
	s.exact = max(s.exact, exact) // older programs did not count the models that a run began with
	if err := s.learner.Restore(set); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", s.Checkpoint, err).WithHint("remove it to start again")
	}
	s.name = h.Run
	s.run.Log.Info("resuming from a checkpoint", "round", set.Round)
	return nil
}

// writeModel writes a model file.
func (s *session) writeModel(name string) error {
	if s.learner.Round() == 0 {
		return exit.Errorf(exit.Malformed, "no release to learn from")
	}
	snapshot, err := s.learner.Model()
	if err != nil {
		return exit.Errorf(exit.Malformed, "%w", err)
	}
	return modelfile.Write(s.run, name, s.Compress.Compress, s.header(wire.Kind_PARAMETERS, snapshot.Matrices), s.vocab,
		s.learner.Round(), s.exact, snapshot)
}
