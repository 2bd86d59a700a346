package view_test

import (
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/script"
)

func TestMain(m *testing.M) { script.Main(m, nil) }

// TestScripts runs the scripts with the vectors of package testkit beside them.
func TestScripts(t *testing.T) {
	files := make(map[string][]byte)
	for _, v := range testkit.Vectors() {
		files[v.Name] = v.Stream
	}
	script.Run(t, files)
}
