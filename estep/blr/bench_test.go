package blr

import (
	"testing"

	"privpipe/estep/row"
	"privpipe/pipelines/model/blr"
	"privpipe/pipelines/model/modeltest"
)

// BenchmarkContribute measures the E-step alone, for BenchmarkRows of package endtoend.
func BenchmarkContribute(b *testing.B) {
	modeltest.Contribute(b, blr.Family, New(Options{RowNorm: 3.873, Labels: row.Labels{Positive: "1"}}))
}
