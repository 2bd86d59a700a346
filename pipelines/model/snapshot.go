package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Snapshot is named numbers and matrices, which Fields write. It holds no copy of the cells. So it is written before
// its learner goes on or makes another Snapshot: State, Parameters and Model may share memory.
type Snapshot struct {
	Scalars  []*wire.Scalar
	Matrices []*wire.Matrix
	Cells    []stream.Rows // for each matrix
}
