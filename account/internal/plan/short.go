package plan

import (
	"slices"
	"strconv"
	"strings"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
)

// A sized model is the short form --model FAMILY:K. It stands for --model FAMILY, and for a --matrix for each matrix
// that the family contributes to with K components.
type sized struct {
	family     *model.Family
	components int
}

// sized reads the short form; nil: --model is not in it.
func (f *Subject) sized() (*sized, error) {
	name, number, short := strings.Cut(f.Model, ":")
	family, err := model.Named(modelfile.Families, name)
	if !short || err != nil {
		return nil, nil // a model of another program may have a colon in its name
	}
	components, err := strconv.ParseUint(number, 10, 31)
	m := &sized{family, int(components)}
	switch {
	case err != nil || components < 1:
		return nil, exit.Errorf(exit.Usage, "--model %s: after the colon stands the number of components", f.Model)
	case len(f.Matrix) > 0:
		return nil, exit.Errorf(exit.Usage, "--model %s names the matrices: leave out --matrix and --statistics",
			f.Model)
	case slices.Equal(m.matrices(1), (&sized{family, 1 + int(components)}).matrices(1)):
		return nil, exit.Errorf(exit.Usage, "--model %s: model %s has no number of components", f.Model, name)
	}
	return m, nil
}

// matrices returns the matrices over a vocabulary of this size.
func (m *sized) matrices(words int) (shapes []event.Matrix) {
	for _, s := range m.family.Statistics(model.Size{Words: words, Components: m.components}) {
		shapes = append(shapes,
			event.Matrix{Name: s.Name, Rows: int(s.Rows), Columns: int(s.Columns), Symmetric: s.Symmetric})
	}
	return shapes
}
