// Package model says what a model must do to learn from releases. A model is one package below mstep and a line in
// mstep/commands.go. All that it does is post-processing of released numbers, outside the privacy wall.
package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Learner turns releases into parameters, round by round.
type Learner interface {
	// Name is the model's name in headers.
	Name() string

	// Shapes are the names and shapes of the released matrices that the model learns from.
	Shapes() []*wire.Matrix

	// Update takes the release of a round, after Round.
	Update(*Release) error

	// Round is the round of the last release, 0 before the first.
	Round() uint32

	// Parameters are what estep needs for the next round. It is nil for a model whose E-step needs none.
	Parameters() *Snapshot

	// Model is what a model file holds.
	Model() (*Snapshot, error)

	// State is all that the learner needs to go on from here; Restore takes it back.
	State() *Snapshot
	Restore(*stream.Set) error
}

// A Judge is a Learner that can tell from what was released how much of it stands out of the noise.
type Judge interface {
	// Distinct is the number of words a topic, on average, that are there beyond doubt.
	Distinct() float64
}

// A Snapshot is named numbers and matrices.
type Snapshot struct {
	Scalars  []*wire.Scalar
	Matrices []*wire.Matrix
	Cells    [][]byte // of each matrix, little-endian
}

// Scalar adds a number.
func (s *Snapshot) Scalar(name string, value float64) {
	s.Scalars = append(s.Scalars, &wire.Scalar{Name: name, Value: value})
}

// Matrix adds a matrix, given row by row.
func Matrix[T stream.Values](s *Snapshot, name string, rows, columns int, cells []T) {
	element := wire.Element_FLOAT64
	switch any(cells).(type) {
	case []float32:
		element = wire.Element_FLOAT32
	case []int64:
		element = wire.Element_INT64
	}
	s.Matrices = append(s.Matrices, &wire.Matrix{Name: name, Rows: uint32(rows), Columns: uint32(columns), Element: element})
	s.Cells = append(s.Cells, stream.AppendCells(nil, cells))
}
