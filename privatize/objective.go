package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/objective"
)

// objectiveCommand releases logistic regression weights by objective perturbation.
type objectiveCommand struct {
	Grant string `placeholder:"FILE" help:"Read the grant from account plan: the claimed ε and the regularisation. Required, except for --noiseless."`
	charged
	RowNorm        float64 `required:"" placeholder:"R" help:"Scale each row x to x·min(1, R/|x|)/R, of norm at most 1, as estep blr does. R is public, and the same in scoring."`
	Positive       string  `default:"1" placeholder:"CLASS" help:"Take CLASS as the positive class (default 1), and all other labels as the negative class."`
	Noiseless      bool    `help:"NO PRIVACY: release the minimiser without perturbation, for an infinite charge without a grant."`
	Regularisation float64 `placeholder:"X" help:"Set Λ of the objective (1/n)·Σ loss + ½·Λ·|w|², with --noiseless. Otherwise the grant says it."`
	Vocab          string  `placeholder:"FILE" help:"Name the features in the output, from this public list of tokenize features. Other programs need the names; estep does not."`
	Output         string  `short:"o" placeholder:"FILE" help:"Write the weights to this file or topic, as a model of estep blr --score. Default: standard output."`
	Input          string  `arg:"" optional:"" default:"-" help:"Stream of rows with labels, from tokenize rows. Default: standard input."`
	filter.Compress
}

// Help is what --help adds for this command.
func (*objectiveCommand) Help() string {
	return "The weights minimise (1/n)·Σ log(1 + e^(−y·xᵀw)) + ½·(Λ+Δ)·|w|² + bᵀw/n, with random b (Chaudhuri, " +
		"Monteleoni, Sarwate 2011, " +
		"Algorithm 2). The paper's ε is for the exact minimiser and noise of real numbers, and the number of rows is " +
		"public. It is claimed, and " +
		"not proved of this program: the charge has no bound. All rows are in memory, 12 bytes for each feature that " +
		"is not 0."
}

// Validate is kong's hook.
func (c *objectiveCommand) Validate() error {
	switch {
	case !(c.RowNorm > 0) || math.IsInf(c.RowNorm, 0):
		return exit.Errorf(exit.Usage, "--row-norm must be positive, is %v", c.RowNorm)
	case c.Positive == "" || strings.ContainsFunc(c.Positive, unicode.IsSpace):
		return exit.Errorf(exit.Usage, "--positive must be one word, is %q", c.Positive)
	case c.Noiseless && c.Grant != "":
		return errors.New("--noiseless needs no --grant: nothing is perturbed")
	case !c.Noiseless && c.Grant == "":
		return errors.New("missing flags: --grant=FILE")
	case !c.Noiseless && c.Regularisation != 0:
		return errors.New("--regularisation goes with --noiseless: otherwise the grant says it")
	case c.Noiseless && c.RunName == "":
		return errors.New("--noiseless needs --run: no grant names the run")
	case c.Noiseless:
		return event.CheckRegularisation(c.Regularisation)
	}
	return nil
}

// Run is kong's hook. This file only carries records to and from internal/objective.
func (c *objectiveCommand) Run(r *filter.Run) error {
	if err := c.need(); err != nil {
		return err
	}
	if err := r.Check(c.Input, c.Ledger, c.Grant, c.Vocab); err != nil {
		return err
	}
	terms := objective.Terms{Dataset: c.Dataset, Lambda: c.Regularisation, Norm: c.RowNorm}
	otherwise := ""
	if !c.Noiseless {
		grant, err := (&leave{c.Grant}).read(event.Objective)
		if err != nil {
			return err
		}
		terms.Grant, otherwise = grant, grant.ID
	}
	if err := endpoint.Distinct(c.Output, c.Input, c.Vocab); err != nil {
		return err
	}
	in, h, err := c.open()
	if err != nil {
		return err
	}
	defer in.Close()
	names, err := c.features(h)
	if err != nil {
		return err
	}
	terms.Subject = subjectOf(h)
	if terms.Run, err = c.name(h.Run, otherwise); err != nil {
		return err
	}
	if terms.Settings, err = c.settings(terms); err != nil || r.DryRun() {
		return err
	}
	regression, err := objective.Open(c.Ledger, terms)
	if err != nil {
		return err
	}
	defer regression.Close()
	c.warn(r, terms.Grant)
	out, err := endpoint.CreateStream(c.Output, weightsHeader(h, terms.Run), c.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	sent, err := endpoint.Holds(c.Output)
	if err == nil {
		err = regression.Resume(sent)
	}
	if err == nil {
		err = c.rows(in, regression)
	}
	if err != nil {
		return err
	}
	result, replayed, err := regression.Release()
	if err != nil {
		return err
	}
	if replayed {
		r.Log.Info("the weights were released before: sending the stored weights again")
	} else {
		r.Status("weights released")
	}
	if err := sendWeights(out, names, result); err != nil {
		return err
	}
	return out.Commit()
}

// warn says what the ledger holds from now on.
func (c *objectiveCommand) warn(r *filter.Run, g *event.Grant) {
	if c.Noiseless {
		r.Log.Warn("no privacy: the weights are not perturbed, and the ledger's epsilon is infinite from now on")
		return
	}
	r.Log.Warn(fmt.Sprintf("no proof: a paper claims epsilon %v of the weights, and the ledger's epsilon is infinite "+
		"from now on", g.ClaimedEpsilon))
}

// open opens the stream of rows.
func (c *objectiveCommand) open() (*endpoint.StreamReader, *wire.Header, error) {
	in, h, err := endpoint.OpenStream(c.Input,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Whole: true, Ended: true, Values: true})
	if err != nil {
		return nil, nil, err
	}
	switch {
	case h.Side == wire.Side_PUBLIC:
		err = nothingToProtect(in.Name())
	case !h.Values:
		err = exit.Errorf(exit.Malformed,
			"%s: documents hold counts of words, must hold real numbers, as tokenize rows writes them", in.Name())
	case h.VocabularySize < 1 || h.VocabularySize > objective.MaxFeatures:
		err = exit.Errorf(exit.Malformed, "%s: rows over %d features, must be over 1 to %d", in.Name(),
			h.VocabularySize, objective.MaxFeatures)
	}
	if err != nil {
		in.Close()
	}
	return in, h, err
}

// features returns the names of the rows' features, or nil if no file names them. The file's hash must be the stream's
// vocabulary hash. The privatizer does not import package vocabulary, which opens files of all kinds.
func (c *objectiveCommand) features(h *wire.Header) ([]string, error) {
	if c.Vocab == "" {
		return nil, nil
	}
	content, err := endpoint.ReadFile(c.Vocab, objective.MaxFeatures*(wire.MaxWord+1))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], h.Vocabulary) {
		return nil, exit.Errorf(exit.Usage, "%s: not the list of features of the rows, as tokenize features writes it",
			c.Vocab)
	}
	return strings.Fields(string(content)), nil
}

// settings returns the hash of all public settings that the stored weights depend on.
func (c *objectiveCommand) settings(terms objective.Terms) (string, error) {
	return digest(struct {
		Subject        event.Subject
		Grant          *event.Grant
		Regularisation float64
		RowNorm        float64
		Positive       string
	}{terms.Subject, terms.Grant, c.Regularisation, c.RowNorm, c.Positive})
}

// rows hands all rows of the stream over, up to its end record.
func (c *objectiveCommand) rows(in *endpoint.StreamReader, to *objective.Regression) error {
	d := new(objective.Document)
	for {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		document := record.GetDocument()
		if document.Label == "" {
			return exit.Errorf(exit.Malformed, "%s: a row has no class: every document needs a label", in.Name())
		}
		d.ID, d.Positive = document.Id, document.Label == c.Positive
		d.Features = wire.AppendIDs(d.Features[:0], document.WordGaps)
		d.Values = wire.AppendFloats(d.Values[:0], document.Values)
		if err := to.Add(d); err != nil {
			return err
		}
	}
}

// weightsHeader returns the header that a model file of estep blr has.
func weightsHeader(h *wire.Header, run string) *wire.Header {
	d := h.VocabularySize
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: run, Model: "blr",
		Vocabulary: h.Vocabulary, VocabularySize: d,
		Matrices: []*wire.Matrix{
			{Name: "mean", Rows: 1, Columns: d, Element: wire.Element_FLOAT64},
			{Name: "moments", Rows: d, Columns: d, Element: wire.Element_FLOAT64},
		},
	}
}

// sendWeights writes the weights as a posterior that is a point mass: its moments E[w·wᵀ] are w·wᵀ.
func sendWeights(out *endpoint.StreamWriter, names []string, result *objective.Result) error {
	const some = 1000 // words in one record
	for first := 0; first < len(names); first += some {
		words := &wire.Words{First: uint32(first), Words: names[first:min(first+some, len(names))]}
		if err := out.Write(&wire.Record{Body: &wire.Record_Words{Words: words}}); err != nil {
			return err
		}
	}
	w := result.Weights
	moments := make([]float64, 0, len(w)*len(w))
	for _, x := range w {
		for _, y := range w {
			moments = append(moments, x*y)
		}
	}
	head := &wire.Record{Round: 1, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: []*wire.Scalar{
		{Name: "precision", Value: result.Precision}, {Name: "rounds", Value: 1},
	}}}}
	return out.WriteSet(head, stream.RowsOf(w), stream.RowsOf(moments))
}
