package model

import "privpipe/pipelines/wire"

// A Snapshot is named numbers and matrices, which fields put there.
type Snapshot struct {
	Scalars  []*wire.Scalar
	Matrices []*wire.Matrix
	Cells    [][]byte // of each matrix, little-endian
}
