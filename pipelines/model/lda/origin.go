package lda

import (
	"fmt"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// An Origin says where a topic comes from in a model with public text: shares in [0, 1] with the sum 1. They are
// computed from released numbers, so they cost no privacy.
type Origin struct {
	Own float64 // how much the topic follows its own noisy counts
	// how much else the topic owes to public text: to mixtures of public topics, and to features of words
	Public      float64
	Frequencies float64 // the rest: the private word frequencies, which know no topics
}

// The fields in a model file that hold origins. The share of the frequencies is the rest to 1.
var (
	ownShare = model.Matrix[float64]{Name: "own_share", Rows: model.Components, Columns: model.One,
		Rule: model.Share}
	publicShare = model.Matrix[float64]{Name: "public_share", Rows: model.Components, Columns: model.One,
		Rule: model.Share}
)

// PutOrigins writes each topic's origin.
func PutOrigins(to *model.Snapshot, size model.Size, origins []Origin) {
	var own, public []float64
	for _, o := range origins {
		own, public = append(own, o.Own), append(public, o.Public)
	}
	ownShare.Put(to, size, own)
	publicShare.Put(to, size, public)
}

// OriginsOf returns each topic's origin in a model file, or nil if the model has none: a model without public text, or
// from an older program. Shares that are not in [0, 1], or have a sum above 1, are an error.
func OriginsOf(set *stream.Set, size model.Size) ([]Origin, error) {
	if !ownShare.In(set) && !publicShare.In(set) {
		return nil, nil
	}
	own, err := ownShare.Of(set, size)
	if err != nil {
		return nil, err
	}
	public, err := publicShare.Of(set, size)
	if err != nil {
		return nil, err
	}
	const rounding = 1e-9
	origins := make([]Origin, len(own))
	for k := range origins {
		rest := 1 - own[k] - public[k]
		if rest < -rounding {
			return nil, fmt.Errorf("%s and %s of topic %d are %v and %v, must not be above 1 together", ownShare.Name,
				publicShare.Name, k, own[k], public[k])
		}
		origins[k] = Origin{own[k], public[k], max(rest, 0)}
	}
	return origins, nil
}
