package report

import (
	"encoding/hex"
	"fmt"

	"privpipe/evaluate/internal/released"
	"privpipe/pipelines/event"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/vocabulary"
)

// Unmarkable returns the reason why the run's releases may not mark words of the model. It is empty if they may. The
// proof at released.Mean needs weights that were fixed beforehand, fresh noise in each round, and sums that are at
// least 0.
func Unmarkable(run *released.Run, file *modelfile.File) string {
	g := run.Grant
	switch {
	case g == nil:
		return "the run was released without a grant"
	case run.Several:
		return "the run was charged to several grants"
	case run.Again:
		return "a round of the run was released more than once"
	case g.Unit == event.Word:
		return "where single words are protected, contributions may be negative"
	case g.Vocabulary != hex.EncodeToString(vocabulary.Words(file.Words).Hash()):
		return "the grant does not name the model's vocabulary"
	case g.Model != file.Family.Name:
		return "the grant does not name the model's family"
	case !g.NonNegative && !file.Family.NonNegative:
		return fmt.Sprintf("contributions of model %s may be negative", file.Family.Name)
	case !g.NonNegative && lda.CountsVariance.In(file.Set):
		return "contributions are increments of counts, which may be negative"
	case int(file.Set.Round) != run.Last():
		return fmt.Sprintf("the model is of round %d, and the last round that the ledger charges to its run is %d",
			file.Set.Round, run.Last())
	}
	return ""
}
