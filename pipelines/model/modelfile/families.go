package modelfile

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/lda"
)

// Families lists the families of models, for programs that read models of every family. It has a line for each family.
var Families = []*model.Family{
	lda.Family,
	families.Words,
	families.Size,
	families.BLR,
	families.ERM,
	families.DPVI,
	families.Linear,
	families.SBN,
	families.Shares,
	families.Clusters,
}
