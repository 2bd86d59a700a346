package book

import "privpipe/pipelines/event"

// LineOf returns the hash, in hexadecimal, of the line that holds a charge. No other ledger has such a line, since a
// ledger's head is random.
func (b *Book) LineOf(c *event.Charge) (string, error) {
	line, err := b.find(c.Run, c.Round, max(1, c.Attempt))
	if err != nil {
		return "", err
	}
	return line.Hash, nil
}

// OpenOnce opens a ledger for a command that makes one release under g, to be charged as fresh. known is the release's
// earlier charge. If known is nil, the release may be charged now.
func OpenOnce(path string, g *event.Grant, fresh *event.Charge) (b *Book, known *event.Charge, err error) {
	b, err = Open(path, g)
	if err != nil {
		return nil, nil, err
	}
	known, err = b.Known(fresh)
	if err == nil && known == nil {
		err = b.Allow(fresh)
	}
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return b, known, nil
}
