package wire

// unknown says whether r, or a message in it, has a field that the schema does not have. Reflection over all fields
// would be slower. TestUnknown compares this list with the schema.
func (r *Record) unknown() bool {
	if len(r.unknownFields) > 0 {
		return true
	}
	switch body := r.Body.(type) {
	case *Record_Header:
		h := body.Header
		return len(h.unknownFields) > 0 || anyOf(h.Matrices, func(m *Matrix) []byte { return m.unknownFields })
	case *Record_End:
		e := body.End
		return len(e.unknownFields) > 0 || anyOf(e.Tallies, func(t *Tally) []byte { return t.unknownFields })
	case *Record_Document:
		return len(body.Document.unknownFields) > 0
	case *Record_RoundOpen:
		return len(body.RoundOpen.unknownFields) > 0 || body.RoundOpen.Scheme.unknown()
	case *Record_RoundClose:
		return len(body.RoundClose.unknownFields) > 0
	case *Record_Contribution:
		c := body.Contribution
		return len(c.unknownFields) > 0 || anyOf(c.Parts, func(p *Part) []byte { return p.unknownFields })
	case *Record_Release:
		return len(body.Release.unknownFields) > 0 || body.Release.Scheme.unknown()
	case *Record_Parameters:
		p := body.Parameters
		return len(p.unknownFields) > 0 || anyOf(p.Scalars, func(s *Scalar) []byte { return s.unknownFields })
	case *Record_Block:
		return len(body.Block.unknownFields) > 0
	case *Record_Words:
		return len(body.Words.unknownFields) > 0
	case *Record_Score:
		return len(body.Score.unknownFields) > 0
	case *Record_Members:
		return len(body.Members.unknownFields) > 0
	case *Record_Sum:
		return len(body.Sum.unknownFields) > 0
	case *Record_Terms:
		return len(body.Terms.unknownFields) > 0
	case *Record_Prediction:
		return len(body.Prediction.unknownFields) > 0
	}
	return false // a record without a body, which Check refuses
}

func (s *Scheme) unknown() bool { return s != nil && len(s.unknownFields) > 0 }

// anyOf says whether any message in a list has unknown fields.
func anyOf[M any](list []M, unknown func(M) []byte) bool {
	for _, m := range list {
		if len(unknown(m)) > 0 {
			return true
		}
	}
	return false
}
