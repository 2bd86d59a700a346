package streams

import (
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Match checks that texts and vectors are of the same documents, as estep cluster-words pairs them.
type Match struct {
	Vectors string `required:"" placeholder:"FILE" help:"Stream of tokenize vectors. A text and its vector have the same id, and the same user or none."`
	Unit    string `enum:"document,user" default:"document" help:"Privacy unit of the planned run: ${enum}. In a unit no id occurs twice."`
	Input   string `arg:"" optional:"" default:"-" help:"Stream of tokenize text; standard input by default."`
}

// Help is what --help adds for this command.
func (*Match) Help() string {
	return "The exit code is 90 if no text has the id of a vector, or if an id occurs twice. estep cluster-words " +
		"would find that after the clusters were paid for. A warning says, without a number, that fewer than half " +
		"of the texts have the id of a vector, or the other way round. The answer depends on private documents and " +
		"no budget covers it: it is for the operator behind the privacy wall. Each document takes some 100 bytes of " +
		"memory."
}

// A name is what a text shares with its vector.
type name struct{ user, id string }

// Run is kong's hook.
func (m *Match) Run(r *filter.Run) error {
	if err := endpoint.Once(r, []string{m.Vectors, m.Input}); err != nil {
		return err
	}
	vectors, err := m.names(r, m.Vectors, true)
	if err != nil {
		return err
	}
	texts, err := m.names(r, m.Input, false)
	if err != nil || r.DryRun() {
		return err
	}
	both := 0
	for n := range texts {
		if vectors[n] {
			both++
		}
	}
	if both == 0 {
		return exit.Errorf(exit.Malformed, "%s: no text has the id of a vector", m.Input).
			WithHint("a text and its vector have one id, and one user or none: --columns id=NAME,user=NAME names the " +
				"columns of the text, --vector-columns of clusters.sh those of vectors, and --ids a file of ids")
	}
	if 2*both < max(len(texts), len(vectors)) {
		r.Log.Warn("fewer than half of the texts have the id of a vector, or the other way round: the words of a " +
			"text without a vector count in no cluster. Are the ids, and the users, of both inputs the same?")
	}
	return nil
}

// names returns the names of the documents in a stream of vectors, or of texts. In a dry run it reads the header only.
func (m *Match) names(r *filter.Run, input string, vectors bool) (map[name]bool, error) {
	in, h, err := endpoint.OpenStream(r, input,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: vectors})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if vectors && !h.Values {
		return nil, exit.Errorf(exit.Malformed, "%s: documents of counts, and no vectors", in.Name())
	}
	unit := wire.Unit_DOCUMENT
	if m.Unit == "user" {
		unit = wire.Unit_USER
	}
	names, units := make(map[name]bool), make(map[name]bool)
	for r.Err() == nil && !r.DryRun() {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		d := record.GetDocument()
		// sample refuses the same, when it comes to the texts (sample/internal/corpus).
		of := name{wire.UnitName(unit, d), d.Id}
		if units[of] {
			return nil, exit.Errorf(exit.Malformed, "%s: a document id occurs twice", in.Name())
		}
		units[of], names[name{d.User, d.Id}] = true, true
	}
	return names, r.Err()
}
