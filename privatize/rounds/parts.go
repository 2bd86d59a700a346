package rounds

import (
	"bytes"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/release"
)

// part takes one round's partial sum from a stream. In a topic the first record counts when the whole sum has come.
func (s *Sources) part(in supplier, to *release.Collector) (*wire.RoundClose, error) {
	record, err := in.Next()
	s.reading.Lock()
	defer s.reading.Unlock()
	var keys []byte
	for ; err == nil && record.GetMembers() != nil; record, err = in.Next() {
		keys = append(keys, record.GetMembers().Keys...)
	}
	if err != nil {
		return nil, err
	}
	set, err := in.ReadBlocks(record)
	if err != nil {
		return nil, err
	}
	end, err := in.Next()
	if err != nil {
		return nil, err
	}
	if to == nil {
		return end.GetRoundClose(), nil
	}
	if !bytes.Equal(set.Sum.Settings, s.Settings) || !to.Takes(set.Sum.Grid, set.Sum.Clip, set.Sum.Bounds) {
		return nil, exit.Errorf(exit.Refused,
			"refused: %s holds sums that were bounded under another grant or other settings", in.Name())
	}
	var cells []int64
	for _, m := range s.Header.Matrices {
		more, err := stream.Cells[int64](set, m.Name)
		if err != nil {
			return nil, in.Errorf("%w", err)
		}
		cells = append(cells, more...)
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	closed := end.GetRoundClose()
	return closed, to.AddPart(keys, closed.Records, closed.UnitDigest, cells)
}
