package lda

import (
	"testing"

	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

// BenchmarkContribute measures the E-step alone, for BenchmarkEStep of package endtoend.
func BenchmarkContribute(b *testing.B) {
	modeltest.Contribute(b, lda.Family, New(Options{Tolerance: 1e-3, Iterations: 100}))
}
