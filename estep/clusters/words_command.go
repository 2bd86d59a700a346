package clusters

import (
	"context"
	"io"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
)

// WordsCommand is estep cluster-words.
type WordsCommand struct {
	job.Rounds
	Model       string  `required:"" placeholder:"FILE" help:"Read the released clusters from FILE, a model of mstep clusters."`
	PublicModel bool    `help:"Accept a model from privatize none. You state that it was learned from public vectors."`
	Vectors     string  `required:"" placeholder:"FILE" help:"Read the vectors of the documents from FILE of tokenize vectors. A document and its vector have the same id, and the same user or none. A document without a vector contributes nothing, nor does a vector without a document."`
	RowNorm     float64 `default:"1" placeholder:"R" help:"As in estep clusters (default 1)."`
}

// Help is what --help adds for this command.
func (*WordsCommand) Help() string {
	return "Answers the rounds of the words of documents, for mstep lda --topics K: topic k gets the words of " +
		"cluster k. A contribution has the norm 1, so none is clipped. It depends on the document, its vector and " +
		"the released clusters."
}

// Validate is kong's hook.
func (c *WordsCommand) Validate() error { return row.Bounded{RowNorm: c.RowNorm}.Check() }

// Run is kong's hook.
func (c *WordsCommand) Run(r *filter.Run) error {
	if c.Params != "" || c.Stale != 0 {
		return exit.Errorf(exit.Usage, "takes --model, not --params: the clusters are the same in every round")
	}
	if err := endpoint.Distinct(r, c.Output, c.Input, c.Model, c.Vectors); err != nil {
		return err
	}
	if err := r.Check(c.Model, c.Vectors); err != nil {
		return err
	}
	work := job.Work{Family: families.Clusters, New: func() model.EStep { return New(Options{Norm: c.RowNorm}) }}
	wanted := endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: c.MaxCells,
	}
	released, err := job.OpenReleased(r, c.Model, wanted, work, c.PublicModel)
	if err != nil {
		return err
	}
	words := &Words{model: released, joined: new(atomic.Bool)}
	if !r.DryRun() {
		if words.clusters, err = assign(r, c.Vectors, released); err != nil {
			return err
		}
	}
	family := *lda.Family
	family.Parameters = nil
	family.Statistics = func(s model.Size) []*wire.Matrix {
		return lda.Family.Statistics(model.Size{Words: s.Words, Components: released.Components})
	}
	err = c.Answer(r, job.Work{Family: &family, New: func() model.EStep { return words }})
	if err == nil && !r.DryRun() && !words.joined.Load() {
		r.Log.Warn("no document has a vector: the words say nothing of the clusters. Are the ids, and the users, of " +
			"both inputs the same?")
	}
	return err
}

// noCluster is that of a vector of zeros.
const noCluster = math.MaxUint32

// assign returns the most probable cluster of each vector, or noCluster.
func assign(ctx context.Context, vectors string, released *job.Released) (map[name]uint32, error) {
	in, h, err := endpoint.OpenStream(ctx, vectors,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if !h.Values {
		return nil, exit.Errorf(exit.Malformed, "%s: documents of counts, and no vectors", in.Name())
	}
	if string(h.Vocabulary) != string(released.Header.Vocabulary) {
		return nil, exit.Errorf(exit.Malformed, "%s: vectors of other dimensions than --model", in.Name())
	}
	clusters, worker := make(map[name]uint32), released.Step.NewWorker().(*worker)
	for {
		record, err := in.Next()
		if err == io.EOF {
			return clusters, nil
		}
		if err != nil {
			return nil, err
		}
		d := record.GetDocument()
		if _, again := clusters[nameOf(d)]; again {
			return nil, exit.Errorf(exit.Malformed, "%w", in.Errorf("a second vector of one document"))
		}
		clusters[nameOf(d)] = noCluster
		if len(d.WordGaps) == 0 {
			continue
		}
		worker.read(d)
		worker.respond()
		clusters[nameOf(d)] = uint32(floats.MaxIdx(worker.r))
	}
}
