package rounds

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/release"
)

// What BenchmarkSums sums: documents with 5 of 50 topics over 8,000 words.
const (
	benchUnits, benchTopics, benchWords = 4000, 50, 8000
	unitTopics                          = 5
)

// round writes a file with a round of contributions, each of so many distinct words. It returns its name and size.
func round(b *testing.B, unitWords int) (name string, size int64) {
	b.Helper()
	h := &wire.Header{
		Version: wire.Newest, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Model: "lda",
		Unit: wire.Unit_DOCUMENT, Vocabulary: make([]byte, 32), VocabularySize: benchWords,
		Matrices: []*wire.Matrix{{Name: "topics", Rows: benchTopics, Columns: benchWords,
			Element: wire.Element_INT16}},
	}
	scheme := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.25, Rounds: 3, Secret: true}
	random := rand.New(rand.NewPCG(1, 2))
	name = filepath.Join(b.TempDir(), "contributions.pp")
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		b.Fatal(err)
	}
	w, err := stream.NewWriter(file, h, c)
	write := func(r *wire.Record) {
		if err == nil {
			r.Round = 1
			err = w.Write(r)
		}
	}
	write(&wire.Record{Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}})
	end := &wire.RoundClose{Units: benchUnits, Records: benchUnits}
	for i := range benchUnits {
		unit := fmt.Sprint("unit ", i)
		end.UnitDigest += wire.UnitDigest(unit)
		part := &wire.Part{RowGaps: make([]uint32, unitTopics), ColumnGaps: make([]uint32, unitWords), Exponent: -15}
		for j := range part.RowGaps {
			part.RowGaps[j] = 1 + random.Uint32N(benchTopics/unitTopics-1)
		}
		for j := range part.ColumnGaps {
			part.ColumnGaps[j] = 1 + random.Uint32N(uint32(benchWords/unitWords-1))
		}
		for range unitTopics * unitWords {
			part.Values = binary.LittleEndian.AppendUint16(part.Values, uint16(random.Uint32N(1<<15)))
		}
		write(&wire.Record{Body: &wire.Record_Contribution{Contribution: &wire.Contribution{Unit: unit,
			Parts: []*wire.Part{part}}}})
	}
	write(&wire.Record{Body: &wire.Record_RoundClose{RoundClose: end}})
	if err == nil {
		err = w.Close()
	}
	info, statErr := file.Stat()
	if err != nil || statErr != nil {
		b.Fatal(err, statErr)
	}
	return name, info.Size()
}

// BenchmarkSums measures the way of contributions from the stream into the exact sum: reading and checking, quantising,
// clipping, adding. The limit that it cannot pass is only reading. Contributions have 255 cells, as short texts
// have, or 500. Their norm is 9 or 13: the clip of 1 scales each of them, and the clip of 16 none, as it is where the
// E-step has clipped before.
func BenchmarkSums(b *testing.B) {
	for _, words := range []int{51, 100} {
		b.Run(fmt.Sprintf("cells=%d", unitTopics*words), func(b *testing.B) { benchmarkSums(b, words) })
	}
}

func benchmarkSums(b *testing.B, words int) {
	name, size := round(b, words)
	b.Run("only-reading", func(b *testing.B) {
		b.SetBytes(size)
		began := processTime(b)
		for b.Loop() {
			in, _, err := endpoint.OpenStream(b.Context(), name, Wanted(0))
			in.Reuse()
			for err == nil {
				_, err = in.Next()
			}
			in.Close()
		}
		b.ReportMetric(benchUnits*float64(b.N)/b.Elapsed().Seconds(), "contributions/s")
		b.ReportMetric((processTime(b)-began).Seconds()*1e6/(benchUnits*float64(b.N)), "cpu-µs/contribution")
	})
	for _, c := range []struct {
		name, clipping string
		clip           float64
	}{
		{"unit", event.ClipUnit, 1}, {"unit-within", event.ClipUnit, 16}, {"unit-l1", event.ClipUnitL1, 1},
		{"batch", event.ClipBatch, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			grant := &event.Grant{
				Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
				Unit: event.Document, Clipping: c.clipping, Clip: c.clip, NoiseMultiplier: 1, Releases: 1,
				Scheme: event.Scheme{Method: event.Poisson, Rate: 0.25, Rounds: 3, Secret: true},
			}
			b.SetBytes(size)
			began := processTime(b)
			for b.Loop() {
				in, err := open(b.Context(), "", []string{name}, Wanted(0))
				if err != nil {
					b.Fatal(err)
				}
				grant.Subject = SubjectOf(in.Header)
				collector, err := release.NewCollector(&release.Terms{Unit: event.Document, Grant: grant,
					Subject: grant.Subject})
				if err == nil {
					err = in.all(&dropped{collector})
				}
				in.Close()
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(benchUnits*float64(b.N)/b.Elapsed().Seconds(), "contributions/s")
			b.ReportMetric((processTime(b)-began).Seconds()*1e6/(benchUnits*float64(b.N)), "cpu-µs/contribution")
		})
	}
}

// dropped sums rounds and drops the sums: see Taker.
type dropped struct{ collector *release.Collector }

func (d *dropped) Released(uint32) bool { return false }

func (d *dropped) Begin(uint32, *wire.RoundOpen, event.Scheme) (*release.Collector, error) {
	d.collector.Open()
	return d.collector, nil
}

func (d *dropped) End(_ uint32, announced release.Announced) error {
	_, _, err := d.collector.Sum(announced)
	return err
}

// processTime is the CPU time of this process so far. It does not depend on what else the machine does, as wall time
// does.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
