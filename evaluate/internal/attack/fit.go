package attack

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/wire"
)

// Fit returns the model's size. It returns an error unless both streams belong to the same run of lda.
func Fit(assignments, params *wire.Header) (model.Size, error) {
	size, err := lda.Family.Fit(assignments, params)
	switch want := lda.Family.Statistics(size); {
	case err != nil:
		return size, err
	case assignments.Model != lda.Family.Name:
		return size, fmt.Errorf("contributions are of model %q, must be of %q", assignments.Model, lda.Family.Name)
	case !bytes.Equal(assignments.Vocabulary, params.Vocabulary):
		return size, errors.New("contributions and parameters are over different vocabularies")
	case params.Run != "" && params.Run != assignments.Run:
		return size, fmt.Errorf("contributions are of run %s, parameters of run %s", cmp.Or(assignments.Run, `""`),
			params.Run)
	case !slices.EqualFunc(assignments.Matrices, want, func(a, b *wire.Matrix) bool { return proto.Equal(a, b) }):
		return size, fmt.Errorf("contributions must have one matrix %q of %d × %d", want[0].Name, want[0].Rows,
			want[0].Columns)
	}
	return size, nil
}
