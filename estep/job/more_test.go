package job

import (
	"path/filepath"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/model"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// large answers the document of id 1 with more cells than a record may have, and every other with one cell.
type large struct{}

func (large) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if d.Id != "1" {
		return model.AppendParts(nil, 0, []uint32{0}, []uint32{d.WordGaps[0]}, []float32{1}), nil
	}
	columns := make([]uint32, 80_000)
	for i := range columns {
		columns[i] = uint32(200 * i) // gaps of two bytes
	}
	return model.AppendParts(nil, 0, []uint32{0, 1, 2, 3, 4}, columns, make([]float32, 5*len(columns))), nil
}

// TestAfterSeveralRecords: in each contribution, only the records before the last one say that more follow. The
// contribution of the next document in the batch is complete by itself. The writer checks that, as it checks the order
// of all records.
func TestAfterSeveralRecords(t *testing.T) {
	t.Run("FLOAT32", func(t *testing.T) { afterSeveralRecords(t, false) })
	t.Run("INT16", func(t *testing.T) { afterSeveralRecords(t, true) })
}

func afterSeveralRecords(t *testing.T, short bool) {
	tr := keeper("", 1)
	tr.header.Matrices[0].Rows, tr.header.Matrices[0].Columns = 5, 1<<24
	if tr.work.Scaled = short; short {
		tr.header.Version, tr.header.Matrices[0].Element = wire.Newest, wire.Element_INT16
	}
	tr.meter = new(progress.Meter)
	var err error
	if tr.out, err = endpoint.CreateStream(t.Context(), filepath.Join(t.TempDir(), "out.pp"), tr.header,
		"none"); err != nil {
		t.Fatal(err)
	}
	defer tr.out.Abort()
	answered, err := tr.answer(large{}, 1, []*wire.Document{
		{Id: "1", User: "u", WordGaps: []uint32{100}, Counts: []uint32{1}},
		{Id: "2", User: "u", WordGaps: []uint32{200}, Counts: []uint32{1}},
		{Id: "3", User: "u", WordGaps: []uint32{300}, Counts: []uint32{1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: 1}
	err = tr.out.Write(&wire.Record{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}})
	for _, b := range answered.batches {
		if err == nil {
			err = tr.out.WriteBatch(b)
		}
	}
	if err == nil {
		err = tr.out.Write(&wire.Record{Round: 1,
			Body: &wire.Record_RoundClose{RoundClose: &wire.RoundClose{Records: 3, Units: 1}}})
	}
	if err != nil {
		t.Error(err)
	}
}
