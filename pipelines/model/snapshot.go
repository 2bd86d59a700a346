package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Snapshot is named numbers and matrices, which Fields write. It holds no copy of the cells. So it is written before
// its learner goes on. A State is also written before the next State. Parameters and Model may share memory: either one
// is written before the next of the two.
type Snapshot struct {
	Scalars  []*wire.Scalar
	Matrices []*wire.Matrix
	Cells    []stream.Rows // for each matrix
}
