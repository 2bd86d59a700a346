package book

import "privpipe/pipelines/event"

// LineOf returns the hash, in hexadecimal, of the line that holds a charge, or "" if the ledger lacks the charge. No
// other ledger has such a line, since a ledger's head is random.
func (b *Book) LineOf(c *event.Charge) string {
	for _, line := range b.ledger.Lines {
		if line.Charge == c {
			return line.Hash
		}
	}
	return ""
}

// OpenOnce opens a ledger for a command that makes one release under g, to be charged as fresh. known is the release's
// earlier charge. If known is nil, the release may be charged now.
func OpenOnce(path string, g *event.Grant, fresh *event.Charge) (b *Book, known *event.Charge, err error) {
	b, err = Open(path)
	if err != nil {
		return nil, nil, err
	}
	if err = b.Enter(g); err == nil {
		known, err = b.Known(fresh)
	}
	if err == nil && known == nil {
		err = b.Allow(fresh)
	}
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return b, known, nil
}
