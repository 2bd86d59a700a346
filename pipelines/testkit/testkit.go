// Package testkit has streams to test a reader: valid streams, and streams that each break one rule in ../SPEC.md.
//
// The vectors are plain files below vectors, with index.json beside them, so that readers in other languages use the
// same files (reader.py does). `go test ./pipelines/testkit -update` writes them again.
package testkit

import (
	"embed"
	"encoding/json"
)

//go:embed vectors
var files embed.FS

// A Vector is a stream, with the result that a reader must give for it.
type Vector struct {
	Name string `json:"name"` // the name of the file below vectors
	// Rule is the rule that the stream breaks, in SPEC.md's words; empty for a valid stream.
	Rule string `json:"rule"`
	// Section is the section in SPEC.md with the rule.
	Section string `json:"section,omitempty"`
	// Records is the number of records in a valid stream, without headers and ends.
	Records int `json:"records"`

	Stream []byte `json:"-"`
}

// Vectors returns all vectors. It panics if there are none: a test without vectors would pass.
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
