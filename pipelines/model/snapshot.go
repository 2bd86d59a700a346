package model

import "privpipe/pipelines/wire"

// A Snapshot is named numbers and matrices, which Fields write.
type Snapshot struct {
	Scalars  []*wire.Scalar
	Matrices []*wire.Matrix
	Cells    [][]byte // of each matrix, little-endian
}
