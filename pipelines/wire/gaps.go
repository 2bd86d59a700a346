package wire

// AppendGaps appends to gaps the strictly ascending ids as first id and differences: the form of Document.word_gaps,
// Part.row_gaps and Part.column_gaps.
func AppendGaps(gaps, ids []uint32) []uint32 {
	last := uint32(0)
	for _, id := range ids {
		gaps = append(gaps, id-last)
		last = id
	}
	return gaps
}

// AppendIDs is the inverse of AppendGaps.
func AppendIDs(ids, gaps []uint32) []uint32 {
	id := uint32(0)
	for _, g := range gaps {
		id += g
		ids = append(ids, id)
	}
	return ids
}
