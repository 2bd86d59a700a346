package wire

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// benchRecords are a document of 100 words, and contributions of 5 topics to each of 100 words and to each of 17, as
// short texts have. As in real texts, gaps take one byte or two, in no regular order.
func benchRecords() map[string]*Record {
	ids, ones := make([]uint32, 100), make([]uint32, 100)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range ids {
		ids[i], ones[i] = 1+uint32(random.ExpFloat64()*90), 1
	}
	contribution := func(words int) *Record {
		part := &Part{RowGaps: ids[:5], ColumnGaps: ids[:words], Values: make([]byte, 4*5*words)}
		return &Record{Round: 3, Body: &Record_Contribution{Contribution: &Contribution{Unit: "document 123456",
			Parts: []*Part{part}}}}
	}
	return map[string]*Record{
		"document": {Round: 3,
			Body: &Record_Document{Document: &Document{Id: "document 123456", WordGaps: ids, Counts: ones}}},
		"contribution":       contribution(100),
		"short-contribution": contribution(17),
	}
}

// BenchmarkDecode decodes records by protobuf, by a Decoder, and by one that uses its memory again.
func BenchmarkDecode(b *testing.B) {
	for name, r := range benchRecords() {
		encoded, err := Append(nil, r)
		if err != nil {
			b.Fatal(err)
		}
		message := encoded[1:]
		if encoded[0] >= 0x80 {
			message = encoded[2:]
		}
		for how, decode := range map[string]func([]byte) (*Record, error){
			"protobuf": byProtobuf, "fresh": new(Decoder).Decode, "reused": (&Decoder{Reuse: true}).Decode,
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				b.SetBytes(int64(len(message)))
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					if _, err := decode(message); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAppend encodes records by protobuf, and as Append does.
func BenchmarkAppend(b *testing.B) {
	for name, r := range benchRecords() {
		var to []byte
		for how, encode := range map[string]func() error{
			"protobuf": func() (err error) { to, err = appendByProtobuf(to[:0], r); return err },
			"append":   func() (err error) { to, err = Append(to[:0], r); return err },
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					if err := encode(); err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(int64(len(to)))
			})
		}
	}
}

// reportCPU begins to measure, and returns what ends it. It reports the time that the process took on all cores, which
// does not depend on what else the machine does, as wall time does.
func reportCPU(b *testing.B) (end func()) {
	began := processTime(b)
	return func() {
		b.ReportMetric(float64((processTime(b)-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
	}
}

// processTime is the CPU time of this process so far.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
