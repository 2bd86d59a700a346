package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Snapshot is named numbers and matrices, which Fields write. It has no copy of the cells, so it is written before its learner goes on or makes
// another one: of State, or of Parameters and Model, which may share memory.
type Snapshot struct {
	Scalars  []*wire.Scalar
	Matrices []*wire.Matrix
	Cells    []stream.Rows // of each matrix
}
