package blr

import (
	"testing"

	"privpipe/estep/row"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/model/regression"
)

// BenchmarkContribute measures the E-step alone, for BenchmarkRows of package endtoend.
func BenchmarkContribute(b *testing.B) {
	modeltest.Contribute(b, regression.BLR, New(Options{RowNorm: 3.873, Labels: row.Labels{Positive: "1"}}))
}
