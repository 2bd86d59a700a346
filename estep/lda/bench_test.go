package lda

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"privpipe/pipelines/mixture"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// BenchmarkContribute measures the E-step alone, for BenchmarkEStep of package endtoend.
func BenchmarkContribute(b *testing.B) {
	modeltest.Contribute(b, lda.Family, New(Options{Tolerance: 1e-3, Iterations: 100}))
}

type bag struct {
	ids    []uint32
	counts []float32
}

// BenchmarkInfer measures the inference alone with each kernel of this machine, for BenchmarkLimit of package endtoend.
// It runs with the least iterations of training and with many. It reports documents a second of CPU time, and the mean
// of γ_k·k over documents and live topics. This mean serves to compare results. With PRIVPIPE_DUMP it writes its input
// to that file for endtoend/limit/estep.cpp.
func BenchmarkInfer(b *testing.B) {
	m := New(Options{Tolerance: 1e-3})
	all := modeltest.Documents(b, lda.Family, m)
	bags := make([]bag, len(all))
	for i, d := range all {
		bags[i].ids = wire.AppendIDs(nil, d.WordGaps)
		for _, c := range d.Counts {
			bags[i].counts = append(bags[i].counts, float32(c))
		}
	}
	if name := os.Getenv("PRIVPIPE_DUMP"); name != "" {
		dump(b, name, m.topics, bags)
	}
	lacking := mixture.EachKernel(func(kernel string) {
		for _, m.options.Iterations = range []int{6, 100} {
			b.Run(fmt.Sprintf("%s/%d", kernel, m.options.Iterations), func(b *testing.B) {
				f, mean := newInference(m.topics), 0.0
				seconds := modeltest.Fastest(b, func() {
					mean = 0
					for _, d := range bags {
						f.run(d.ids, d.counts, m.limits())
						for j := range f.m.Live() {
							mean += float64(f.m.Component(j)) * float64(f.m.Gammas()[j]) / float64(m.k*len(bags))
						}
					}
				})
				b.ReportMetric(float64(len(bags))/seconds, "docs/s")
				b.ReportMetric(mean, "mean")
			})
		}
	})
	if len(lacking) > 0 {
		b.Logf("this machine cannot run the kernels %v", lacking)
	}
}

// dump writes what estep.cpp says, little-endian.
func dump(b *testing.B, name string, t *topics, bags []bag) {
	b.Helper()
	var out []byte
	appendAll := func(values ...any) {
		for _, v := range values {
			var err error
			if out, err = binary.Append(out, binary.LittleEndian, v); err != nil {
				b.Fatal(err)
			}
		}
	}
	appendAll(int32(t.k), int32(t.v), int32(len(bags)), float32(t.alpha))
	for w := range t.v {
		appendAll(t.weight.Row(w))
	}
	for _, d := range bags {
		appendAll(int32(len(d.ids)), d.ids, d.counts)
	}
	if err := os.WriteFile(name, out, 0o600); err != nil {
		b.Fatal(err)
	}
}
