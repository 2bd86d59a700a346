package wire

import "fmt"

// newer names a feature of h that wire version 1 does not have, or returns "".
func (h *Header) newer() string {
	switch {
	case h.Kind == Kind_PREDICTIONS:
		return "a stream of PREDICTIONS"
	case h.Kind == Kind_STATE:
		return "a stream of STATE"
	case h.Values:
		return "values of documents"
	case h.Kind == Kind_SCORES && len(h.Settings) > 0:
		return "the digest of the parameters of scores"
	}
	return ""
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
func checkVersion(h *Header, newer string) error {
	if h.Version < 2 && newer != "" {
		return fmt.Errorf("%s came with wire version 2, the stream is of version %d", newer, h.Version)
	}
	return nil
}
