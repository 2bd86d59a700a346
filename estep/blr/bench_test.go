package blr

import (
	"testing"

	"privpipe/estep/row"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
)

// BenchmarkContribute measures the E-step alone, for BenchmarkRows of package endtoend.
func BenchmarkContribute(b *testing.B) {
	modeltest.Contribute(b, families.BLR, New(Options{RowNorm: 3.873, Labels: row.Labels{Positive: "1"}}))
}
