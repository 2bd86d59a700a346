package modeltest

import (
	"io"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Contribute benchmarks an E-step without reading and writing: other tools call this the E-step. It uses the documents
// in the stream that PRIVPIPE_DOCUMENTS names, and the parameters in PRIVPIPE_MODEL. It reports documents and tokens a
// second of CPU time. The benchmarks in package endtoend run it.
func Contribute(b *testing.B, family *model.Family, step model.EStep) {
	all := Documents(b, family, step)
	tokens := 0
	for _, d := range all {
		for _, c := range d.Counts {
			tokens += int(c)
		}
	}
	w, coins := step.NewWorker(), &model.Coins{Key: []byte("of a benchmark")}
	began := processorTime(b)
	for b.Loop() {
		for _, d := range all {
			coins.Document = d
			if _, err := w.Contribute(d, coins); err != nil {
				b.Fatal(err)
			}
		}
	}
	seconds := (processorTime(b) - began).Seconds() / float64(b.N)
	b.ReportMetric(float64(len(all))/seconds, "docs/s")
	b.ReportMetric(float64(tokens)/seconds, "tokens/s")
}

// Fastest runs a function b.N times and returns the CPU time of the fastest run, in seconds. A busy machine only makes
// runs slower.
func Fastest(b *testing.B, run func()) float64 {
	b.Helper()
	fastest := math.Inf(1)
	for b.Loop() {
		began := processorTime(b)
		run()
		fastest = min(fastest, (processorTime(b) - began).Seconds())
	}
	return fastest
}

// Documents returns the documents in the stream that PRIVPIPE_DOCUMENTS names, and gives step the parameters in
// PRIVPIPE_MODEL. It skips the benchmark if one of them is not set.
func Documents(b *testing.B, family *model.Family, step model.EStep) []*wire.Document {
	b.Helper()
	file, documents := os.Getenv("PRIVPIPE_MODEL"), os.Getenv("PRIVPIPE_DOCUMENTS")
	if file == "" || documents == "" {
		b.Skip("needs PRIVPIPE_MODEL and PRIVPIPE_DOCUMENTS")
	}
	parameters, p := open(b, file)
	in, h := open(b, documents)
	size, err := family.Fit(h, p)
	if err != nil {
		b.Fatal(err)
	}
	set, err := stream.ReadSet(parameters, nil)
	if err == nil {
		err = step.SetParameters(set, size)
	}
	if err != nil {
		b.Fatal(err)
	}
	var all []*wire.Document
	for {
		record, err := in.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			b.Fatal(err)
		}
		if d := record.GetDocument(); d != nil { // not a round's record
			all = append(all, d)
		}
	}
}

// processorTime is the CPU time that this process took so far, including system time.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
