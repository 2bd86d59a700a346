// Package testkit has streams to check a reader against: valid ones, and ones that break one rule of ../SPEC.md each.
//
// The vectors are plain files below vectors, with index.json beside them, so that readers in other languages use the same
// ones (reader.py does). `go test ./pipelines/testkit -update` writes them again.
package testkit

import (
	"embed"
	"encoding/json"
)

//go:embed vectors
var files embed.FS

// A Vector is a stream and what a reader must make of it.
type Vector struct {
	Name string `json:"name"` // of the file below vectors
	// Rule is what the stream breaks, in SPEC.md's words; empty for a valid stream.
	Rule string `json:"rule"`
	// Section is where SPEC.md has the rule.
	Section string `json:"section,omitempty"`
	// Records is how many records a valid stream has, headers and ends left out.
	Records int `json:"records"`

	Stream []byte `json:"-"`
}

// Vectors returns all vectors. It panics if there is none: a test of none would pass.
func Vectors() []Vector {
	b, err := files.ReadFile("vectors/index.json")
	if err != nil {
		panic(err)
	}
	var vectors []Vector
	if err := json.Unmarshal(b, &vectors); err != nil {
		panic(err)
	}
	if len(vectors) == 0 {
		panic("testkit: no vectors")
	}
	for i := range vectors {
		if vectors[i].Stream, err = files.ReadFile("vectors/" + vectors[i].Name); err != nil {
			panic(err)
		}
	}
	return vectors
}
