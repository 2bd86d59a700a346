package lda

import (
	"io"
	"os"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// BenchmarkContribute works through the documents of the stream that PRIVPIPE_DOCUMENTS names, under the model of
// PRIVPIPE_MODEL, without reading and writing: what other tools call the E-step. BenchmarkEStep of package endtoend runs it.
func BenchmarkContribute(b *testing.B) {
	file, documents := os.Getenv("PRIVPIPE_MODEL"), os.Getenv("PRIVPIPE_DOCUMENTS")
	if file == "" || documents == "" {
		b.Skip("needs PRIVPIPE_MODEL and PRIVPIPE_DOCUMENTS")
	}
	parameters, p := open(b, file)
	in, h := open(b, documents)
	m := New(Options{Tolerance: 1e-3, Iterations: 100})
	size, err := lda.Family.Fit(h, p)
	if err != nil {
		b.Fatal(err)
	}
	set, err := stream.ReadSet(parameters, nil)
	if err == nil {
		err = m.SetParameters(set, size)
	}
	if err != nil {
		b.Fatal(err)
	}
	var all []*wire.Document
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, record.GetDocument())
	}
	w, coins := m.NewWorker(), new(model.Coins)
	b.ResetTimer()
	for range b.N {
		for _, d := range all {
			coins.Document = d
			if _, err := w.Contribute(d, coins); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

func open(b *testing.B, name string) (*stream.Reader, *wire.Header) {
	b.Helper()
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	in, err := stream.NewReader(file, name)
	if err != nil {
		b.Fatal(err)
	}
	h, err := in.Header()
	if err != nil {
		b.Fatal(err)
	}
	return in, h
}
