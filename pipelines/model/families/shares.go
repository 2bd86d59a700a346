package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// ShareCounts is the statistic of Shares: G × (K+1), the sum of the shares of K topics in each of G groups. The last
// column counts the documents without a known word. A document has one row of shares in [0, 1], which add up to 1. So
// its contribution has norm 1 in L1 and at most 1 in L2, and nothing is clipped.
const ShareCounts = "shares"

// Shares is the family that counts the topics of documents, without groups. Each document contributes its shares of the
// topics of a released model, so a release says how many documents each topic has. Its model is a table, and no model
// file: see mstep shares.
var Shares = &model.Family{
	Name: "shares", NonNegative: true,
	Statistics: func(s model.Size) []*wire.Matrix { return shares(s.Components, 1) },
}

// SharesOf returns the family for this number of topics, and for documents in this number of groups.
func SharesOf(topics, groups int) *model.Family {
	f := *Shares
	f.Statistics = func(model.Size) []*wire.Matrix { return shares(topics, groups) }
	return &f
}

func shares(topics, groups int) []*wire.Matrix {
	return []*wire.Matrix{{
		Name: ShareCounts, Rows: uint32(groups), Columns: uint32(topics + 1), Element: wire.Element_FLOAT32,
	}}
}
