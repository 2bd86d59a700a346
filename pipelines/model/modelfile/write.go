package modelfile

import (
	"context"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Write writes a model file after a round, with its vocabulary. exact is the number of releases without noise behind
// the model: in its own run, and in each model that it was made from (model.Exact). Each writer states it, and so none
// forgets it.
func Write(ctx context.Context, name, compression string, h *wire.Header, words []string, round uint32,
	exact float64, s *model.Snapshot) error {
	if exact > 0 {
		model.Exact.Put(s, exact)
	}
	out, err := endpoint.CreateStream(ctx, name, h, compression)
	if err != nil {
		return err
	}
	defer out.Abort()
	const some = 1000 // words a record
	for first := 0; first < len(words); first += some {
		part := &wire.Words{First: uint32(first), Words: words[first:min(first+some, len(words))]}
		if err := out.Write(&wire.Record{Body: &wire.Record_Words{Words: part}}); err != nil {
			return err
		}
	}
	record := &wire.Record{Round: round,
		Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: s.Scalars}}}
	if err := out.WriteSet(record, s.Cells...); err != nil {
		return err
	}
	return out.Commit()
}
