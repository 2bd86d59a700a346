package source

import (
	"bytes"
	"iter"

	"privpipe/tokenize/internal/lazy"
)

// mails finds the mails in an mbox (RFC 4155). A file that does not begin like an mbox is one mail.
type mails struct{ box bool }

// mostFromLine is the length of the longest line that begins a mail in an mbox, in bytes.
const mostFromLine = 1 << 10

// fromLine matches a line that begins a mail. It has a day of the week, a month, a day and a time, as asctime writes
// them.
var (
	fromLine = lazy.Regexp(`\AFrom [^\n]*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +` +
		`(?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} +[A-Z][a-z]{2})(?: \d{4})? \d{1,2}:\d\d(?::\d\d)?\b[^\n]*\n`)
	fromWord    = []byte("From ")
	escapedFrom = lazy.Regexp(`(?m)^>(>*From )`)
)

// isBox says whether a file begins like an mbox.
func isBox(head []byte) bool { return fromLine().Match(head) }

// begins says whether a mail begins at an offset, with the line that has its sender and time. Programs that append
// mails may leave out the empty line before it. If a boundary were missed, the mail would become a part of another
// person's mail.
func (m *mails) begins(b []byte, at int) bool {
	return b[at-1] == '\n' && fromLine().Match(b[at:min(at+mostFromLine, len(b))])
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

// lastEnd returns the offset of the last mail that begins in b; 0 if none begins after the first. The first scanned
// bytes of b were scanned before.
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

// mails returns the mails in a chunk, each with the number of its first line. In an mbox it removes each mail's first
// line and the escapes.
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
				mail = escapedFrom().ReplaceAll(mail, []byte("$1"))
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
