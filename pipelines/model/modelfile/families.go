package modelfile

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/regression"
	"privpipe/pipelines/model/sbn"
	"privpipe/pipelines/model/shares"
	"privpipe/pipelines/model/size"
	"privpipe/pipelines/model/words"
)

// Families lists the families of models, for programs that read models of every family. It has a line for each family.
var Families = []*model.Family{
	lda.Family,
	words.Family,
	size.Family,
	regression.BLR,
	regression.ERM,
	regression.DPVI,
	regression.Linear,
	sbn.Family,
	shares.Family,
}
