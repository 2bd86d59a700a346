package learn

import (
	"fmt"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// A Setting is one option of the learner. A checkpoint has it as a number, and a learner resumes only from a checkpoint
// with the same value.
type Setting struct {
	Name     string
	Value    float64
	Optional bool // left out of checkpoints if it is 0, as in checkpoints from older programs
}

// Switch returns the setting for an option that is on or off.
func Switch(name string, on bool) Setting {
	if on {
		return Setting{Name: name, Value: 1}
	}
	return Setting{Name: name}
}

// A Kept is a number or a matrix in checkpoints, and the learner's variable that holds it.
type Kept interface {
	put(*model.Snapshot)
	restore(*stream.Set) error
}

// State is the part of the learner that a checkpoint keeps, besides the number of the last round.
type State struct {
	Settings []Setting
	Kept     []Kept
}

// Snapshot returns the checkpoint's content, for model.Learner.State.
func (s State) Snapshot() *model.Snapshot {
	snapshot := new(model.Snapshot)
	for _, setting := range s.Settings {
		if setting.Value != 0 || !setting.Optional {
			model.Scalar{Name: setting.Name}.Put(snapshot, setting.Value)
		}
	}
	for _, k := range s.Kept {
		k.put(snapshot)
	}
	return snapshot
}

// Restore reads a checkpoint, for model.Learner.Restore. It returns an error if a setting differs, or a field is
// missing or breaks its rule. The learner may then be restored in part, and must not be used.
func (s State) Restore(set *stream.Set) error {
	for _, setting := range s.Settings {
		if got, ok := set.Scalar(setting.Name); !ok && !setting.Optional || got != setting.Value {
			return fmt.Errorf("checkpoint was made with %s %v, this run has %v", setting.Name, got, setting.Value)
		}
	}
	for _, k := range s.Kept {
		if err := k.restore(set); err != nil {
			return err
		}
	}
	return nil
}

// Number keeps a number.
func Number(field model.Scalar, x *float64) Kept { return number{field, x} }

type number struct {
	model.Scalar
	x *float64
}

func (n number) put(s *model.Snapshot) { n.Put(s, *n.x) }

func (n number) restore(set *stream.Set) (err error) {
	*n.x, err = n.Of(set)
	return err
}

// Cells keeps a matrix's cells, for models with the given size. Restore copies into the cells.
func Cells(field model.Matrix[float64], size model.Size, cells []float64) Kept {
	return matrix{field, size, cells}
}

type matrix struct {
	model.Matrix[float64]
	size  model.Size
	cells []float64
}

func (m matrix) put(s *model.Snapshot) { m.Put(s, m.size, m.cells) }

func (m matrix) restore(set *stream.Set) error {
	cells, err := m.Of(set, m.size)
	copy(m.cells, cells)
	return err
}

// CellsOnce keeps a matrix's cells, which are all 0 while a number is 0. Then checkpoints leave them out. The number
// must be kept before the cells.
func CellsOnce(number *float64, field model.Matrix[float64], size model.Size, cells []float64) Kept {
	return once{matrix{field, size, cells}, number}
}

type once struct {
	matrix
	number *float64
}

func (o once) put(s *model.Snapshot) {
	if *o.number != 0 {
		o.matrix.put(s)
	}
}

func (o once) restore(set *stream.Set) error {
	if *o.number == 0 {
		clear(o.cells)
		return nil
	}
	return o.matrix.restore(set)
}
