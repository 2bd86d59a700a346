// Package families lists the families of models, for programs that read models of every family.
package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/blr"
	"privpipe/pipelines/model/dpvi"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/linear"
	"privpipe/pipelines/model/sbn"
	"privpipe/pipelines/model/size"
	"privpipe/pipelines/model/words"
)

// All has a line for each family.
var All = []*model.Family{
	lda.Family,
	words.Family,
	size.Family,
	blr.Family,
	blr.ERM,
	dpvi.Family,
	linear.Family,
	sbn.Family,
}
