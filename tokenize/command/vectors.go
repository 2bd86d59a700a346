package command

import (
	"errors"
	"fmt"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/features"
	"privpipe/tokenize/internal/name"
	"privpipe/tokenize/internal/source"
	"privpipe/tokenize/internal/words"
)

// Vectors makes documents of vectors, such as embeddings of texts.
type Vectors struct {
	Dimension  int            `required:"" placeholder:"NUMBER" help:"How many numbers each vector has. It is public; a vector of another length is malformed."`
	Norm       features.Bound `default:"unit" placeholder:"unit|R" help:"Scale each vector to norm 1 (${default}, the default), or divide it by R after its norm is brought down to R, which is public. A vector of zeros is an empty document."`
	Project    int            `placeholder:"ROWS" help:"Multiply the vectors by a random matrix with ROWS rows, before --norm. It follows from --dimension, ROWS and --seed (FORMATS.md)."`
	Seed       *uint64        `zero:"" placeholder:"N" help:"Public seed of --project (default 1)."`
	Projection string         `placeholder:"FILE" help:"Multiply the vectors by the matrix of FILE, a .npy array with --dimension columns, before --norm. It must be public: never of the private vectors."`
	Centre     string         `placeholder:"FILE" help:"First subtract the vector of FILE, a .npy array of --dimension numbers. It must be public: never the mean of the private vectors."`
	Format     source.Format  `enum:"auto,jsonl,csv,tsv,parquet,npy,npz,avro,protobuf" default:"auto" help:"Format of the inputs: ${enum}. auto goes by the extension, and reads other files, and standard input, as JSON Lines."`
	Column     string         `default:"vector" placeholder:"NAME" help:"Column, or member of JSON Lines, of the vectors (default ${default})."`
	Columns    source.Columns `placeholder:"ROLE=NAME,…" help:"Name the columns, or members of JSON Lines, that are not called id, user and label: id=post_id,user=author. user= means that no column is that of users. A name a.b is also a path to b in a. user=:key is the key of a message, :header.NAME a header."`
	IDs        []string       `name:"ids" sep:"none" placeholder:"FILE" help:"Read the names of the vectors of a .npy file from FILE: in each line an id, or id, user and label with tabs between. Repeat it for each input, in their order."`
	output
	conversion
}

// Help is what --help adds for this command.
func (*Vectors) Help() string {
	return "The vectors must come from a model that is public and fixed. LSA, TF-IDF, PCA, UMAP, centring or " +
		"whitening that is fitted to the private texts makes each vector a function of all texts, and then no ε " +
		"holds. The same goes for --projection and --centre.\n\n" +
		"A vector becomes a document of real numbers, of either sign, over the features x1, x2 and so on (tokenize " +
		"features --dimension). It is an array of JSON, a cell of CSV with such an array, a list of floating-point " +
		"numbers in Parquet, a row of a .npy array of float16, float32 or float64, or a row of the array vectors in " +
		"a .npz archive; its arrays ids, users and labels are names.\n\n" + namesHelp
}

// Validate is kong's hook.
func (v *Vectors) Validate() error {
	switch {
	case v.Dimension < 1 || v.Dimension > features.MaxDimension:
		return fmt.Errorf("--dimension must be from 1 to %d, is %d", features.MaxDimension, v.Dimension)
	case v.Project < 0:
		return fmt.Errorf("--project must be at least 1, is %d", v.Project)
	case v.Project > 0 && v.Projection != "":
		return errors.New("--project and --projection exclude each other")
	case v.Seed != nil && v.Project == 0:
		return errors.New("--seed needs --project")
	case v.Column == "" || strings.Contains(v.Column, ","):
		return errors.New("--column must be one name")
	case v.Columns.SetsText():
		return errors.New("--columns names those of id, user and label; --column names that of the vectors")
	}
	v.Columns.SetVector(v.Column)
	return v.conversion.Validate()
}

// rule returns the rule that the flags state.
func (v *Vectors) rule(r *filter.Run) (*features.VectorRule, error) {
	rule := features.NewVectorRule(v.Dimension, v.Norm)
	if v.Centre != "" {
		if err := rule.OpenCentre(r, v.Centre); err != nil {
			return nil, err
		}
	}
	switch {
	case v.Projection != "":
		return rule, rule.OpenProjection(r, v.Projection)
	case v.Project > 0:
		seed := uint64(1)
		if v.Seed != nil {
			seed = *v.Seed
		}
		if err := rule.Project(v.Project, seed); err != nil {
			return nil, exit.Errorf(exit.Usage, "%w", err)
		}
	}
	return rule, nil
}

// Run is kong's hook.
func (v *Vectors) Run(r *filter.Run) error {
	all := append(v.names(), v.IDs...)
	if err := v.checkTopics(all...); err != nil {
		return err
	}
	if err := endpoint.Once(r, all); err != nil {
		return err
	}
	if err := r.Check(append(all, v.Projection, v.Centre)...); err != nil {
		return err
	}
	rule, err := v.rule(r)
	if err != nil {
		return err
	}
	v.spelling = words.Rule{Number: 2}.User // as of texts, so that both name the same users
	in, err := v.reader(r, source.Options{Format: v.Format, Columns: v.Columns, Dimension: v.Dimension, Names: v.IDs})
	if err != nil || r.DryRun() {
		return err
	}
	h := v.header(features.VectorFeatures(rule.Dimension()), rule.Settings())
	h.Values = true
	out, err := endpoint.CreateStream(r, v.Output, h, v.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	recorders := make([]recorder, v.N())
	for i := range recorders {
		recorders[i] = &vectorRecorder{VectorEncoder: features.NewVectorEncoder(rule)}
	}
	total, err := v.convert(r, show(r, v.Output, in), in, out, recorders)
	if err != nil {
		return err
	}
	return total.commit(r, out)
}

// A vectorRecorder makes documents from vectors.
type vectorRecorder struct {
	*features.VectorEncoder
	hasher name.Hasher
}

func (v *vectorRecorder) record(of document) (e entry, err error) {
	d := of.names
	if of.numbers != nil {
		err = v.Document(d, of.numbers)
	} else {
		err = v.Parse(d, strings.TrimSpace(string(of.text.Content)))
	}
	if err != nil {
		return e, exit.Errorf(exit.Malformed, "the vector %w", err).WithHint("%s", exit.Hint(err))
	}
	if d.Id == "" {
		e.content = v.hasher.Document(d)
	}
	e.names, e.record, e.empty = d, &wire.Record{Body: &wire.Record_Document{Document: d}}, len(d.Values) == 0
	return e, nil
}
