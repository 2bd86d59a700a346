package modeltest_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// tokens is a family with one statistic and no parameters. Its fields are what a test gets wrong.
type tokens struct {
	family     *model.Family
	contribute func(*wire.Document, *model.Coins) ([]*wire.Part, error)
	size       model.Size
	round      uint32
	kept       []float64
}

var total = model.Matrix[float64]{Name: "total", Rows: model.One, Columns: model.One, Rule: model.NotNegative}

const v = 9

func newTokens() *tokens {
	return &tokens{
		family: &model.Family{
			Name: "tokens",
			Statistics: func(model.Size) []*wire.Matrix {
				return []*wire.Matrix{{Name: "total", Rows: 1, Columns: 1, Element: wire.Element_FLOAT32}}
			},
			Model: []model.Field{total},
		},
		contribute: func(*wire.Document, *model.Coins) ([]*wire.Part, error) { return cell(0, 0), nil },
		size:       model.Size{Words: v},
		kept:       []float64{0},
	}
}

func cell(matrix, column uint32) []*wire.Part {
	return model.AppendParts(nil, matrix, []uint32{0}, []uint32{column}, []float32{1})
}

func (m *tokens) Settings() any                               { return nil }
func (m *tokens) SetParameters(*stream.Set, model.Size) error { return nil }
func (m *tokens) NewWorker() model.Worker                     { return m }
func (m *tokens) Family() *model.Family                       { return m.family }
func (m *tokens) Size() model.Size                            { return m.size }
func (m *tokens) Round() uint32                               { return m.round }
func (m *tokens) Parameters() *model.Snapshot                 { return nil }
func (m *tokens) Model() (*model.Snapshot, error)             { return m.State(), nil }

func (m *tokens) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, nil
	}
	return m.contribute(d, coins)
}

// shareOfNegative contributes 1 for a document of real numbers, and less for one without a negative value.
func shareOfNegative(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.Values) != 4*len(d.WordGaps) || len(d.Counts) > 0 {
		return nil, errors.New("not a document of real numbers")
	}
	for i := 3; i < len(d.Values); i += 4 {
		if d.Values[i]&0x80 != 0 { // the sign
			return cell(0, 0), nil
		}
	}
	return model.AppendParts(nil, 0, []uint32{0}, []uint32{0}, []float32{0.5}), nil
}

func (m *tokens) Update(r *model.Release) error {
	s, err := r.Statistic("total")
	if err == nil {
		m.round, m.kept = r.Round, s.Values
	}
	return err
}

func (m *tokens) State() *model.Snapshot {
	s := new(model.Snapshot)
	total.Put(s, m.size, m.kept[:1])
	return s
}

func (m *tokens) Restore(set *stream.Set) error {
	_, err := total.Of(set, m.size)
	return err
}

// wrong has what a family may get wrong, and what modeltest says about it.
var wrong = map[string]struct {
	spoil func(*tokens)
	check func(*testing.T, *tokens)
	want  string
}{
	"column": {
		func(m *tokens) {
			m.contribute = func(*wire.Document, *model.Coins) ([]*wire.Part, error) { return cell(0, 7), nil }
		},
		roundTrip, "column is not below 1",
	},
	"matrix": {
		func(m *tokens) {
			m.contribute = func(*wire.Document, *model.Coins) ([]*wire.Part, error) { return cell(3, 0), nil }
		},
		roundTrip, "part of matrix 3, but the header has 1",
	},
	"order": {
		func(m *tokens) {
			m.contribute = func(*wire.Document, *model.Coins) ([]*wire.Part, error) {
				return append(cell(0, 0), cell(0, 0)...), nil
			}
		},
		eStep, "parts of a contribution are not in ascending order of matrices and rows",
	},
	"components": {
		func(m *tokens) {
			m.size.Components = 8
			m.family.Statistics = func(s model.Size) []*wire.Matrix {
				return []*wire.Matrix{{Name: "total", Rows: 1, Columns: uint32(s.Components),
					Element: wire.Element_FLOAT32}}
			}
		},
		roundTrip, "Family.Parameters is nil, so the E-step knows no K",
	},
	"state": {
		func(m *tokens) {},
		func(t *testing.T, m *tokens) {
			modeltest.Learner(t, func() model.Learner {
				l := *m
				l.kept = []float64{-1}
				return &negative{l}
			})
		},
		"Restore refused what State returned after round 1: each cell of total must be 0 or more",
	},
	"name": {
		func(m *tokens) {
			m.contribute = func(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
				return model.AppendParts(nil, 0, []uint32{0}, []uint32{0}, []float32{1 / float32(1+len(d.Id))}), nil
			}
		},
		eStep, `contributes something else as`,
	},
	"nothing": {func(*tokens) {}, eStep, ""},
	"a family that says that nothing is negative": {
		func(m *tokens) {
			m.family.NonNegative = true
			m.contribute = func(*wire.Document, *model.Coins) ([]*wire.Part, error) {
				return model.AppendParts(nil, 0, []uint32{0}, []uint32{0}, []float32{-1}), nil
			}
		},
		func(t *testing.T, m *tokens) {
			modeltest.RoundTrip(t, modeltest.Halves{
				Step: func() model.EStep { return m }, Learner: func() model.Learner { return m }, Norm: 1, Attained: 1,
			})
		},
		"a cell of a contribution is negative",
	},
	"real numbers": {
		func(m *tokens) {
			m.family.Values = true
			m.contribute = shareOfNegative
		},
		func(t *testing.T, m *tokens) {
			eStep(t, m)
			roundTrip(t, m)
		},
		"",
	},
	"secret coins": {
		func(m *tokens) {
			m.contribute = func(_ *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
				random, err := coins.Secret("half")
				return model.AppendParts(nil, 0, []uint32{0}, []uint32{0}, []float32{random.Float32()}), err
			}
		},
		eStep, "",
	},
}

// negative learns −1 whatever is released.
type negative struct{ tokens }

func (m *negative) Update(r *model.Release) error { m.round = r.Round; return nil }

func roundTrip(t *testing.T, m *tokens) {
	modeltest.RoundTrip(t, modeltest.Halves{
		Step: func() model.EStep { return m }, Learner: func() model.Learner { return m }, Norm: 1, Attained: 1,
		NonNegative: true,
	})
}

func eStep(t *testing.T, m *tokens) {
	modeltest.EStep(t, modeltest.Case{Family: m.family, Step: m, Size: m.size, Norm: 1})
}

// TestWrong: each fault in a family fails the family's test by a message that names the fault, without a panic. A test
// that should fail runs in its own process.
func TestWrong(t *testing.T) {
	const variable = "MODELTEST_WRONG"
	if name := os.Getenv(variable); name != "" {
		m := newTokens()
		wrong[name].spoil(m)
		wrong[name].check(t, m)
		return
	}
	for name, c := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.Command(os.Args[0], "-test.run=^TestWrong$")
			command.Env = append(os.Environ(), variable+"="+name)
			out, err := command.CombinedOutput()
			if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) ||
				strings.Contains(string(out), "panic") {
				t.Errorf("%v, want a failure with %q and without a panic:\n%s", err, c.want, out)
			}
		})
	}
}
