package lda

import (
	"testing"

	"privpipe/pipelines/mixture"
)

// everyKernel runs a test with each kernel of package mixture that this machine runs, and names the others.
func everyKernel(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	run, lacking := mixture.Kernels()
	for _, name := range run {
		restore, err := mixture.Use(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, test)
		restore()
	}
	if len(lacking) > 0 {
		t.Logf("this machine cannot run the kernels %v", lacking)
	}
}
