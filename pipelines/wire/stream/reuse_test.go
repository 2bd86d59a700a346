package stream

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
)

// reused reads all records of r after Reuse. Each is copied before the next is read if copied is true.
func reused(t *testing.T, r *Reader, copied bool) []*wire.Record {
	t.Helper()
	r.Reuse()
	var records []*wire.Record
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
		if copied {
			record = proto.CloneOf(record)
		}
		records = append(records, record)
	}
}

// TestReuse reads contributions, some of several records, and documents of many frames into the same memory. Reuse may
// come before the header is read, or after it. The records are the same as without it, and the last one shows that
// memory was used again.
func TestReuse(t *testing.T) {
	for _, kind := range []wire.Kind{wire.Kind_CONTRIBUTIONS, wire.Kind_ROUNDS} {
		var want []*wire.Record
		for _, g := range groupsOf(kind, 3) {
			want = append(want, g...)
		}
		for _, frames := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				read := func(copied bool) []*wire.Record {
					r, err := NewReader(bytes.NewReader(encode(t, header(kind), None, frames, want...)), "input")
					if err != nil {
						t.Fatal(err)
					}
					if late {
						if _, err := r.Header(); err != nil {
							t.Fatal(err)
						}
					}
					return reused(t, r, copied)
				}
				name := fmt.Sprintf("%s, frames %v, late %v", kind, frames, late)
				if got := read(true); !equal(got, want) {
					t.Errorf("%s: got other records: %v", name, got)
				}
				if equal(read(false), want) {
					t.Errorf("%s: no record shares the memory of another", name)
				}
			}
		}
	}
}

// TestReuseOfALog: the records from a log of two writers are the same with and without Reuse. This includes
// contributions of several records with the other writer's frames between them. The memory of each writer's last record
// is used again.
func TestReuseOfALog(t *testing.T) {
	for _, kind := range []wire.Kind{wire.Kind_CONTRIBUTIONS, wire.Kind_ROUNDS} {
		random := rand.New(rand.NewPCG(1, 2))
		frames := interleaved(random, write(t, "v", header(kind), groupsOf(kind, 3), random),
			write(t, "w", header(kind), groupsOf(kind, 3), random))
		open := func() *Reader {
			r, err := NewMergedReader(&logOf{frames: frames}, "topic[0]", 0)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		var want []*wire.Record
		for r := open(); ; {
			record, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, record)
		}
		if got := reused(t, open(), true); !equal(got, want) {
			t.Errorf("%s: got other records: %v", kind, got)
		}
		if equal(reused(t, open(), false), want) {
			t.Errorf("%s: no record shares the memory of another", kind)
		}
	}
}

// interleaved returns the frames of two writers in one order, in which each writer's stay in order.
func interleaved(random *rand.Rand, v, w []written) (all []written) {
	for len(v) > 0 && len(w) > 0 {
		from := &v
		if random.IntN(2) == 0 {
			from = &w
		}
		all, *from = append(all, (*from)[0]), (*from)[1:]
	}
	return append(append(all, v...), w...)
}
