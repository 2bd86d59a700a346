package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"privpipe/evaluate/internal/page"
	"privpipe/evaluate/internal/released"
	"privpipe/evaluate/measure"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Report writes the page of a model.
type Report struct {
	Model       string `required:"" placeholder:"FILE" help:"Report on this model file of mstep."`
	Title       string `placeholder:"TEXT" help:"Head the page with TEXT."`
	Ledger      string `placeholder:"FILE" help:"Read what was released, and when, from this ledger. Needs --account."`
	Account     string `placeholder:"FILE" help:"Read ε, δ and their theorem from FILE, the JSON of account report for the ledger as it is now."`
	Curve       string `placeholder:"FILE" help:"Draw ε over the releases from FILE, which account report --curve FILE.json wrote."`
	Releases    string `placeholder:"DIR|FILE|TOPIC" help:"Tell from these releases which words stand out of the noise: a folder of stored releases, or a stream of releases. By default LEDGER.releases if that exists and this user may read it."`
	Clusters    string `placeholder:"FILE" help:"The model has the words of clusters, of estep cluster-words, and FILE has the clusters, of mstep clusters: write of clusters, with their shares of the documents."`
	Start       string `placeholder:"FILE" help:"Show the topics before and after: those before the first release are in FILE, of mstep lda --start-out."`
	Words       string `placeholder:"FILE" help:"Say which kinds of public text the text reads like, by the released word frequencies in FILE, of mstep words --public or mstep choose. They are over the model's vocabulary."`
	Reference   string `placeholder:"FILE" help:"Compute the coherence of the topics on these documents, which tokenize --public made over the model's vocabulary."`
	Scores      string `placeholder:"FILE" help:"Show the perplexity by these scores of estep --score on public documents. They must be of this model; those of the folder of mstep --models that ends with it make a chart."`
	Predictions string `placeholder:"FILE" help:"Show how well the model predicts by these predictions of estep --score on public documents. They must be of this model."`
	Description string `placeholder:"FILE" help:"Show FILE as the description of the data: plain text, of which you know that all may read it."`
	Top         int    `default:"15" help:"Show this many words of each topic."`
	Internal    bool   `help:"Accept private scores, predictions and reference documents. Their numbers have no privacy, so the page says that it is internal, and only its owner may read the file."`
	Output      string `arg:"" name:"out.html" output:"" help:"Write the page to this file; - for standard output."`
	filter.Cells
}

// Help is kong's hook.
func (Report) Help() string {
	return "Writes one HTML file that needs no network, for readers without statistics first: the topics by name " +
		"with how much of the text each " +
		"takes, what follows and what does not, how well people are protected, and the budget. Further down, in " +
		"folds: the theorems, " +
		"words by relevance (Sievert and Shirley 2014), a map of topics, which words stand out of the noise, how " +
		"much of a topic is the data's own, " +
		"coefficients and hidden units of " +
		"models that have them, the perplexity, how well classes or pixels are predicted, and the pipeline with its " +
		"settings. ε is never computed here; account does that:\n\n" +
		"  account report --json --curve curve.json -o account.json run.ledger\n\n" +
		"  evaluate report --model model.pp --ledger run.ledger --account account.json --curve curve.json " +
		"report.html\n\n" +
		"Both must be of the ledger as it is now. The page holds public numbers only: private streams are refused " +
		"without --internal. Releases must be those that the ledger charges, by their SHA-256."
}

// Validate is kong's hook.
func (c *Report) Validate() error {
	switch {
	case c.Top < 2 || c.Top > 100:
		return fmt.Errorf("--top must be in [2, 100], is %d", c.Top)
	case (c.Ledger == "") != (c.Account == ""):
		return errors.New("--ledger and --account need each other: account computes the ε of the ledger")
	case c.Ledger == "" && (c.Curve != "" || c.Releases != ""):
		return errors.New("--curve and --releases need --ledger")
	}
	return nil
}

// Run is kong's hook.
func (c *Report) Run(r *filter.Run) error {
	inputs := []string{
		c.Model, c.Ledger, c.Account, c.Curve, c.Releases, c.Clusters, c.Start, c.Words,
		c.Reference, c.Scores, c.Predictions, c.Description,
	}
	if err := r.Check(inputs...); err != nil {
		return err
	}
	p, err := c.Page(r, func(message string) { r.Log.Warn(message) })
	if err != nil || r.DryRun() {
		return err
	}
	html, err := p.HTML()
	if err != nil {
		return exit.Errorf(exit.Usage, "%w", err)
	}
	side := wire.Side_PUBLIC
	if c.Internal {
		side = wire.Side_PRIVATE
	}
	return endpoint.WriteFile(r, c.Output, side, html)
}

// Page gathers the contents of the page. A part that is missing and that nobody asked for is no error: warn gets a
// message.
func (c *Report) Page(ctx context.Context, warn func(string)) (*page.Page, error) {
	file, err := modelfile.Read(ctx, c.Model, c.MaxCells)
	if err != nil {
		return nil, err
	}
	p := &page.Page{Title: c.Title, Internal: c.Internal}
	if p.Title == "" {
		p.Title = strings.TrimSpace("Report on a model of " + c.family(file) + ", run " + file.Header.Run)
	}
	p.Sources = append(p.Sources, page.Row{Name: "model", Value: described(c.Model)})
	p.Settings = c.settings(file)
	var run *released.Run
	if c.Ledger != "" {
		if run, err = c.addLedger(ctx, p, file); err != nil {
			return nil, err
		}
	}
	shares, err := c.addClusters(ctx, p, file)
	if err != nil {
		return nil, err
	}
	if err := c.addTopics(ctx, p, file, run, shares, warn); err != nil {
		return nil, err
	}
	if err := AddWeights(p, file); err != nil {
		return nil, err
	}
	if c.Predictions != "" {
		if err := c.addPredictions(ctx, p, file); err != nil {
			return nil, err
		}
	}
	if c.Scores != "" {
		if p.Perplexity, err = c.perplexity(ctx, file); err != nil {
			return nil, err
		}
		p.Sources = append(p.Sources, page.Row{Name: "scores", Value: described(c.Scores)})
	}
	if c.Description != "" {
		if p.Description, err = describe(ctx, c.Description); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// settings returns the public numbers in a model file.
func (c *Report) settings(file *modelfile.File) []page.Row {
	features, components := "words", "topics"
	switch {
	case file.Family.Name == families.Clusters.Name:
		features, components = "dimensions", "clusters"
	case file.Family.Topics == nil && file.Family != families.Words:
		features, components = "features", "components"
	case c.Clusters != "":
		components = "clusters"
	}
	rows := []page.Row{{Name: "family", Value: file.Family.Name},
		{Name: "vocabulary", Value: fmt.Sprintf("%d %s", file.Size.Words, features)}}
	if file.Size.Components > 0 {
		rows = append(rows, page.Row{Name: components, Value: fmt.Sprint(file.Size.Components)})
	}
	for _, s := range file.Set.Parameters.GetScalars() {
		rows = append(rows, page.Row{Name: s.Name, Value: fmt.Sprintf("%.6g", s.Value)})
	}
	if digest, ok := publictext.DigestOf(file.Set); ok {
		rows = append(rows, page.Row{Name: "prior from public text", Value: fmt.Sprintf("digest %x", digest)})
	}
	return rows
}

// addLedger adds account's statements about the ledger to the page. It returns the model's run.
func (c *Report) addLedger(ctx context.Context, p *page.Page, file *modelfile.File) (*released.Run, error) {
	in, err := endpoint.Open(ctx, c.Ledger)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ledger, err := event.ReadLedger(in, in.Name)
	if err == nil {
		err = ledger.Check(in.Name) // a forged run might name a folder elsewhere
	}
	if err != nil {
		return nil, err
	}
	report, err := released.ReadReport(ctx, c.Account, ledger)
	if err != nil {
		return nil, err
	}
	var curve *released.Curve
	if c.Curve != "" {
		if curve, err = released.ReadCurve(ctx, c.Curve, report); err != nil {
			return nil, err
		}
	}
	run, err := released.Of(ledger, file.Header.Run)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", c.Ledger, err)
	}
	if g := run.Grant; g != nil && g.Model != "" && g.Model != file.Family.Name {
		return nil, exit.Errorf(exit.Malformed, "%s charges run %s as model %s, %s is a model of %s", c.Ledger,
			run.Name, g.Model, c.Model, file.Family.Name)
	}
	if g := run.Grant; g != nil && g.Vocabulary != "" &&
		g.Vocabulary != hex.EncodeToString(vocabulary.Words(file.Words).Hash()) {
		return nil, exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", c.Ledger, c.Model)
	}
	p.Protection = page.NewProtection(report)
	p.Protection.Vectors = c.Clusters != "" || file.Family.Name == families.Clusters.Name
	p.Protection.AddHistory(ledger, report, curve)
	p.Runs = page.NewRuns(ledger, needsParameters, c.learner(file))
	p.Sources = append(p.Sources,
		page.Row{Name: "ledger", Value: fmt.Sprintf("%s, %d lines, last hash %s", filepath.Base(c.Ledger),
			len(ledger.Lines), ledger.LastHash())},
		page.Row{Name: "ε and δ", Value: fmt.Sprintf("account report of this ledger, accountant %s: %s",
			report.Accountant, described(c.Account))})
	if c.Curve != "" {
		p.Sources = append(p.Sources, page.Row{Name: "ε over the releases", Value: described(c.Curve)})
	}
	if head := ledger.Head(); head != nil {
		p.Sources = append(p.Sources, page.Row{Name: "identity of the ledger", Value: head.ID})
	}
	return run, nil
}

// needsParameters says whether the E-step for a model reads new parameters in each round.
func needsParameters(name string) bool {
	for _, f := range modelfile.Families {
		if f.Name == name {
			return f.Parameters != nil
		}
	}
	return false
}

// learnerFlags returns the flags of mstep that the model file reveals.
func learnerFlags(file *modelfile.File) string {
	if file.Size.Components == 0 || file.Family.Topics == nil {
		return ""
	}
	flags := fmt.Sprintf(" --topics %d", file.Size.Components)
	for _, name := range []string{"alpha", "eta"} {
		if x, ok := file.Set.Scalar(name); ok {
			flags += fmt.Sprintf(" --%s %g", name, x)
		}
	}
	if _, ok := publictext.DigestOf(file.Set); ok {
		flags += " --public FILE"
	}
	return flags
}

// doubtAlpha bounds the probability that any mark on the page is wrong.
const doubtAlpha = 0.01

// addTopics adds the model's distributions over words, if it has any. The run's releases and the reference documents
// add marks and measure.Coherences. shares are those of clusters, and nil for topics.
func (c *Report) addTopics(ctx context.Context, p *page.Page, file *modelfile.File, run *released.Run,
	shares []float64, warn func(string)) error {
	cells, err := distributions(file)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", c.Model, err)
	}
	if c.Start != "" && file.Family.Topics == nil {
		return exit.Errorf(exit.Usage, "--start needs a model with topics, %s is one of %s", c.Model, file.Family.Name)
	}
	if cells == nil {
		return nil
	}
	var doubt *page.Doubt
	var sure []bool
	unmarked := "no releases of this model were given"
	if c.releases() != "" {
		if unmarked = Unmarkable(run, file); unmarked == "" {
			doubt, sure, err = c.doubt(ctx, p, file, run, len(cells))
		}
	}
	if c.Releases == "" && exit.Code(err) == exit.Missing { // account prune removes them
		warn(err.Error() + ": no word is marked")
		unmarked = "not all releases of the run are there"
	} else if err != nil {
		return err
	}
	if shares == nil {
		p.Topics = page.NewTopics(file.Words, cells, sure, c.Top)
	} else {
		p.Topics = page.NewClusters(file.Words, cells, sure, c.Top, shares)
	}
	p.Topics.Doubt, p.Topics.Unmarked = doubt, unmarked
	if err := errors.Join(addNames(p, file), addOrigins(p, file)); err != nil {
		return err
	}
	if c.Start != "" {
		if err := c.addStart(ctx, p, file, cells); err != nil {
			return err
		}
	}
	if c.Words != "" {
		if err := c.addKinds(ctx, p, file); err != nil {
			return err
		}
	}
	if c.Reference == "" || !p.Topics.Plural {
		return nil
	}
	return c.addCoherence(ctx, p)
}

// doubt says which of the model's cells hold words of some document beyond doubt, by the run's releases.
func (c *Report) doubt(ctx context.Context, p *page.Page, file *modelfile.File, run *released.Run,
	cells int) (*page.Doubt, []bool, error) {
	from := c.releases()
	mean, err := run.Mean(ctx, from, file.Family.Statistics(file.Size)[0].Name, cells)
	if err != nil {
		return nil, nil, err
	}
	p.Sources = append(p.Sources, page.Row{Name: "releases",
		Value: fmt.Sprintf("%s, %d of run %s, each with the SHA-256 of its charge",
			filepath.Base(from), len(run.Charges), run.Name)})
	rounds := fmt.Sprintf("%d to %d", run.First(), run.Grant.Scheme.Rounds)
	return &page.Doubt{Alpha: doubtAlpha, Cells: cells, Rounds: rounds}, mean.Marked(doubtAlpha), nil
}

// releases returns the place of the stored releases. It is empty if there is none.
func (c *Report) releases() string {
	if c.Releases != "" || c.Ledger == "" || c.Ledger == endpoint.Stdio {
		return c.Releases
	}
	beside := c.Ledger
	if target, err := filepath.EvalSymlinks(beside); err == nil {
		beside = target
	}
	if _, err := os.ReadDir(beside + ".releases"); err == nil { // the folder exists and this user may read it
		return beside + ".releases"
	}
	return ""
}

// distributions returns the model's distributions over words, row by row. All cells are positive. It returns nil for a
// model without such distributions.
func distributions(file *modelfile.File) ([]float64, error) {
	switch {
	case file.Family.Topics != nil:
		return file.Family.Topics(file.Set, file.Size)
	case file.Family == families.Words:
		return families.Probabilities.Of(file.Set, file.Size)
	}
	return nil, nil
}

// addCoherence adds the coherence of the topics on the reference documents.
func (c *Report) addCoherence(ctx context.Context, p *page.Page) error {
	const compared = 10 // words for each topic, as Lau, Newman and Baldwin 2014 do
	topics, header, err := measure.ReadTopics(ctx, c.Model, modelfile.DefaultLambda, compared, c.MaxCells)
	if err != nil {
		return err
	}
	in, err := measure.OpenReference(ctx, c.Reference, c.Model, c.wanted(wire.Kind_DOCUMENTS), header)
	if err != nil {
		return err
	}
	defer in.Close()
	values, err := measure.Coherences(in, topics)
	if err != nil {
		return err
	}
	of := make(map[int]*float64)
	for i, t := range topics {
		if values[i].CoherenceRow != nil {
			of[t.Topic] = &values[i].NPMI
		}
	}
	if mean := measure.MeanCoherence(values); mean.CoherenceRow != nil {
		p.Topics.MeanNPMI = &mean.NPMI
	}
	for i := range p.Topics.All {
		p.Topics.All[i].NPMI = of[p.Topics.All[i].ID]
	}
	p.Topics.Reference, p.Topics.ReferenceTop = filepath.Base(c.Reference), compared
	p.Sources = append(p.Sources, page.Row{Name: "reference documents", Value: described(c.Reference)})
	return nil
}

// wanted accepts streams of the given kind. Private streams are accepted only for an internal page.
func (c *Report) wanted(kind wire.Kind) endpoint.Wanted {
	w := endpoint.Wanted{Kinds: []wire.Kind{kind}}
	if !c.Internal {
		w.Side = wire.Side_PUBLIC
	}
	return w
}

// perplexity reads scores, one total for each round.
func (c *Report) perplexity(ctx context.Context, file *modelfile.File) (*page.Perplexity, error) {
	in, err := measure.Open(ctx, c.Scores, c.wanted(wire.Kind_SCORES))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	h := in.Header
	if string(h.Vocabulary) != string(file.Header.Vocabulary) {
		return nil, exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", c.Scores, c.Model)
	}
	if err := refuseOther(in, file); err != nil {
		return nil, err
	}
	totals, err := measure.SumScores(in, true)
	if err != nil {
		return nil, err
	}
	if last := totals[len(totals)-1].Round; last != file.Set.Round {
		return nil, in.Errorf("its last scores are of the parameters after round %d, %s has those after round %d", last,
			c.Model, file.Set.Round)
	}
	p := &page.Perplexity{Source: filepath.Base(c.Scores), Private: h.Side == wire.Side_PRIVATE,
		Uniform: int(h.VocabularySize)}
	// The plug-in perplexity is left out: it knows the words that it predicts, so a comparison with word frequencies
	// says nothing.
	by, err := measure.First(in, totals, measure.ByBound, measure.ByCompletion)
	if err != nil {
		return nil, err
	}
	p.Measure = string(by)
	for _, t := range totals {
		model, unigram, _ := by.Of(&t.Total)
		p.Rounds = append(p.Rounds,
			page.RoundPerplexity{Round: t.Round, Documents: t.Documents, Model: model, Unigram: unigram})
	}
	p.Draw()
	return p, nil
}

// refuseOther refuses scores or predictions unless their header names the model by its digest.
func refuseOther(in *measure.Input, file *modelfile.File) error {
	h := in.Header
	digest := file.Set.Digest()
	if bytes.Equal(h.Settings, digest[:]) {
		return nil
	}
	what, folder := strings.ToLower(h.Kind.String()), ""
	err := in.Errorf("%s under other parameters than those of %s", what, file.Name)
	switch {
	case len(h.Settings) == 0:
		err = in.Errorf("does not tell which model it scores: it has no digest of a model file")
	case h.Run != file.Header.Run:
		err = in.Errorf("%s of run %q, and %s is of run %q", what, h.Run, file.Name, file.Header.Run)
	}
	if h.Kind == wire.Kind_SCORES {
		folder = "; or the folder of mstep --models that belongs to it"
	}
	return exit.Errorf(exit.Malformed, "%w", err).
		WithHint("score this model: estep %s --score --model %s%s", file.Family.Name, file.Name, folder)
}

// describe reads the data's description. Empty lines separate its paragraphs.
func describe(ctx context.Context, name string) (paragraphs []string, err error) {
	b, err := endpoint.ReadFile(ctx, name, 64<<10)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(b) {
		return nil, exit.Errorf(exit.Malformed, "%s: the description must be text in UTF-8", name)
	}
	text := strings.ReplaceAll(string(b), "\r\n", "\n")
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			paragraphs = append(paragraphs, paragraph)
		}
	}
	return paragraphs, nil
}

// described returns a file's name and, for a regular file, its SHA-256.
func described(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return filepath.Base(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return filepath.Base(name)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return filepath.Base(name)
	}
	return fmt.Sprintf("%s, SHA-256 %x", filepath.Base(name), hash.Sum(nil))
}
