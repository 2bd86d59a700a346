package wire

import (
	"fmt"
	"slices"
)

// newer names a feature of h that wire version 1 does not have, or returns "". It also returns the first version that
// has the feature.
func (h *Header) newer() (feature string, since uint32) {
	switch {
	case slices.ContainsFunc(h.Matrices, func(m *Matrix) bool { return m.GetElement() == Element_INT16 }):
		return "elements INT16", 3
	case h.Kind == Kind_PREDICTIONS:
		return "a stream of PREDICTIONS", 2
	case h.Kind == Kind_STATE:
		return "a stream of STATE", 2
	case h.Values:
		return "values of documents", 2
	case h.Kind == Kind_SCORES && len(h.Settings) > 0:
		return "the digest of the parameters of scores", 2
	}
	return "", 0
}

// newer names a feature of r that wire version 1 does not have, or returns "".
func (r *Record) newer() string {
	switch body := r.GetBody().(type) {
	case *Record_Document:
		if len(body.Document.Values) > 0 {
			return "values of documents"
		}
	case *Record_RoundOpen:
		if body.RoundOpen.Draws != 0 || body.RoundOpen.Coupled {
			return "draws or coupled contributions of a round"
		}
		if body.RoundOpen.GetScheme().GetEpochs() != 0 {
			return "epochs of a scheme"
		}
	case *Record_Release:
		if body.Release.GetScheme().GetEpochs() != 0 {
			return "epochs of a scheme"
		}
	case *Record_Contribution:
		for _, p := range body.Contribution.Parts {
			if p.Factored {
				return "factored parts"
			}
		}
	case *Record_Score:
		if body.Score.PlugIn != 0 || r.Round != 0 {
			return "plug-in scores, or scores of rounds"
		}
	case *Record_Prediction:
		return "predictions"
	}
	return ""
}

// checkVersion refuses a feature that is newer than the version that h states. Each version's schema is closed, so a
// stream of version 1 cannot use a feature of version 2.
func checkVersion(h *Header, newer string, since uint32) error {
	if h.Version < since && newer != "" {
		return fmt.Errorf("%s came with wire version %d, the stream is of version %d", newer, since, h.Version)
	}
	return nil
}
