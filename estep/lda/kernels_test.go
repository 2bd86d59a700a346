package lda

import (
	"testing"

	"privpipe/pipelines/mixture"
)

// everyKernel runs a test with each kernel of package mixture that this machine runs, and names the others.
func everyKernel(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if lacking := mixture.EachKernel(func(name string) { t.Run(name, test) }); len(lacking) > 0 {
		t.Logf("this machine cannot run the kernels %v", lacking)
	}
}
