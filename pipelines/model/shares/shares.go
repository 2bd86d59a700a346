// Package shares is the family that counts the topics of documents. Each document contributes its shares of the topics
// of a released model, so a release says how many documents each topic has.
package shares

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Statistic is the name of the statistic: G × (K+1), the sum of the shares of K topics in each of G groups. The last
// column counts the documents without a known word. A document has one row of shares in [0, 1], which add up to 1. So
// its contribution has norm 1 in L1 and at most 1 in L2, and nothing is clipped.
const Statistic = "shares"

// Family is the family of models without groups. Its model is a table, and no model file: see mstep shares.
var Family = &model.Family{
	Name: "shares", NonNegative: true,
	Statistics: func(s model.Size) []*wire.Matrix { return statistics(s.Components, 1) },
}

// Of returns the family for this number of topics, and for documents in this number of groups.
func Of(topics, groups int) *model.Family {
	f := *Family
	f.Statistics = func(model.Size) []*wire.Matrix { return statistics(topics, groups) }
	return &f
}

func statistics(topics, groups int) []*wire.Matrix {
	return []*wire.Matrix{{
		Name: Statistic, Rows: uint32(groups), Columns: uint32(topics + 1), Element: wire.Element_FLOAT32,
	}}
}
