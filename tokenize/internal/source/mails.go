package source

import (
	"bytes"
	"iter"
	"regexp"
)

// mails finds the mails of an mbox (RFC 4155). A file that does not begin as an mbox is one mail.
type mails struct{ box bool }

// mostFromLine is the length of the longest line that begins a mail in an mbox.
const mostFromLine = 1 << 10

var (
	fromLine    = regexp.MustCompile(`\AFrom \S[^\n]*\d\d:\d\d[^\n]*\d{4}[^\n]*\n`)
	fromWord    = []byte("From ")
	escapedFrom = regexp.MustCompile(`(?m)^>(>*From )`)
)

// isBox says whether a file begins as an mbox.
func isBox(head []byte) bool { return fromLine.Match(head) }

// begins says whether a mail begins at an offset: after an empty line, with the line of its sender and its time.
func (m *mails) begins(b []byte, at int) bool {
	before := b[:at]
	return (bytes.HasSuffix(before, []byte("\n\n")) || bytes.HasSuffix(before, []byte("\n\r\n"))) &&
		fromLine.Match(b[at:min(at+mostFromLine, len(b))])
}

// end returns the offset of the first mail after the beginning of b, or 0 if none begins there.
func (m *mails) end(b []byte) int {
	for at := 1; m.box; at++ {
		i := bytes.Index(b[min(at, len(b)):], fromWord)
		if i < 0 {
			return 0
		}
		if at += i; m.begins(b, at) {
			return at
		}
	}
	return 0
}

// lastEnd returns the offset of the last mail that begins in b, of which some bytes are scanned; 0 if none begins after the first.
func (m *mails) lastEnd(b []byte, scanned int) int {
	least := max(scanned-mostFromLine, 0)
	for rest := b; m.box; {
		at := bytes.LastIndex(rest, fromWord)
		if at <= least {
			return 0
		}
		if m.begins(b, at) {
			return at
		}
		rest = b[:at]
	}
	return 0
}

// mails gives the mails of a chunk with the numbers of the lines at which they begin, without the line of an mbox and its escapes.
func (c Chunk) mails(limit int) iter.Seq2[int, element] {
	return func(yield func(int, element) bool) {
		m := &mails{box: isBox(c.Content)}
		number := c.Line
		for rest := c.Content; len(rest) > 0; {
			n := m.end(rest)
			if n == 0 {
				n = len(rest)
			}
			mail := rest[:n]
			rest = rest[n:]
			begins := number
			number += bytes.Count(mail, []byte{'\n'})
			if m.box {
				_, mail, _ = bytes.Cut(mail, []byte("\n"))
				mail = escapedFrom.ReplaceAll(mail, []byte("$1"))
			}
			e := element{content: mail}
			if len(mail) > limit {
				e.err = ErrTooLong
			}
			if len(bytes.TrimSpace(mail)) > 0 && !yield(begins, e) {
				return
			}
		}
	}
}
