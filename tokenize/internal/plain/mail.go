package plain

import (
	"bytes"
	"slices"
	"strings"
)

// A line is one line in a text, without its end.
type line struct {
	bytes   []byte
	dropped bool
}

// mostSigned is the largest number of lines with words in a signature. The line of hyphens is from RFC 3676, section
// 4.3. A text may also have such a line in its middle.
const mostSigned = 10

// mail returns the text without the mail that it answers, and without its signature.
func (s *Stripper) mail(text []byte) []byte {
	s.lines = s.lines[:0]
	ends := "\n"
	if bytes.IndexByte(text, '\r') >= 0 {
		ends = "\r\n"
	}
	for rest := text; len(rest) > 0; {
		end := bytes.IndexAny(rest, ends)
		if end < 0 {
			end = len(rest)
		}
		if l := (line{bytes: rest[:end]}); len(s.lines) == 0 || !l.blank() || !s.lines[len(s.lines)-1].blank() {
			s.lines = append(s.lines, l) // one blank line says as much as many
		}
		if rest = rest[end:]; bytes.HasPrefix(rest, []byte("\r\n")) {
			rest = rest[1:]
		}
		rest = rest[min(1, len(rest)):]
	}
	if s.Keep&Quotes == 0 {
		dropQuotes(s.lines)
	}
	if s.Keep&Signatures == 0 {
		dropSignature(s.lines)
	}
	if !slices.ContainsFunc(s.lines, func(l line) bool { return l.dropped }) {
		return text
	}
	s.kept = s.kept[:0]
	for _, l := range s.lines {
		if !l.dropped {
			s.kept = append(append(s.kept, l.bytes...), '\n')
		}
	}
	return s.kept
}

func (l line) trimmed() []byte { return bytes.Trim(l.bytes, space) }
func (l line) blank() bool     { return len(l.trimmed()) == 0 }
func (l line) quoted() bool    { return bytes.HasPrefix(l.trimmed(), []byte(">")) }

// dropQuotes drops the lines of older mails.
func dropQuotes(lines []line) {
	said := false // whether an earlier line stays
	for i := range lines {
		switch {
		case lines[i].quoted():
			lines[i].dropped = true
			dropHeading(lines[:i], true)
		case said && (original(lines[i].trimmed()) || headers(lines[i:])):
			for ; i < len(lines); i++ {
				lines[i].dropped = true
			}
			return
		case bytes.HasSuffix(lines[i].trimmed(), []byte("wrote:")):
			said = true
			dropHeading(lines[:i+1], false)
		case !lines[i].blank():
			said = said || !original(lines[i].trimmed())
		}
	}
}

// dropHeading drops the last lines that are not blank, up to three, if they say who wrote the text after them. Such a
// heading is "On … wrote:" with a digit. It may also be any line that ends in a colon and has an address or a time of
// day. If the text after it is not quoted, the heading must be both.
func dropHeading(lines []line, quoted bool) {
	last := len(lines) - 1
	for last >= 0 && lines[last].blank() {
		last--
	}
	if last < 0 || lines[last].dropped || !bytes.HasSuffix(lines[last].trimmed(), []byte(":")) {
		return
	}
	wrote := bytes.HasSuffix(lines[last].trimmed(), []byte("wrote:"))
	placed, dated := false, false
	for first := last; first >= max(0, last-2) && !lines[first].blank() && !lines[first].dropped; first-- {
		at := lines[first].trimmed()
		placed = placed || bytes.IndexByte(at, '@') >= 0 || clock(at)
		dated = dated || bytes.ContainsAny(at, "0123456789")
		begins := wrote && bytes.HasPrefix(at, []byte("On "))
		if begins && (placed || quoted && dated) || quoted && placed && first == last && !wrote {
			for i := first; i <= last; i++ {
				lines[i].dropped = true
			}
			return
		}
	}
}

// clock reports whether a line has a time of day, such as 9:41.
func clock(line []byte) bool {
	for at := 1; at+2 < len(line); at++ {
		if line[at] == ':' && digit(line[at-1]) && digit(line[at+1]) && digit(line[at+2]) {
			return true
		}
	}
	return false
}

// originals are the words that mail programs write, between hyphens, above a mail that is answered or forwarded.
var originals = []string{
	"original message", "forwarded message", "original appointment", "ursprüngliche nachricht",
	"weitergeleitete nachricht", "message d'origine", "message transféré", "mensaje original", "mensaje reenviado",
	"messaggio originale", "messaggio inoltrato", "mensagem original", "mensagem encaminhada",
	"oorspronkelijk bericht", "doorgestuurd bericht",
}

// original reports whether a line is one of the originals, between hyphens.
func original(line []byte) bool {
	if len(line) > 80 || !bytes.HasPrefix(line, []byte("--")) || !bytes.HasSuffix(line, []byte("--")) {
		return false
	}
	return slices.Contains(originals, strings.ToLower(string(bytes.Trim(line, "- "))))
}

// The names of the headers above a mail that Outlook quotes: for its author, its date, and its readers or subject.
var (
	authors  = set("from von de da van")
	dates    = set("sent date gesendet datum envoyé enviado enviada fecha inviato data verzonden")
	subjects = set("to an à para a aan subject betreff objet asunto assunto oggetto onderwerp")
)

// headers reports whether lines begin with a mail's headers: first the author, and in the five lines after it the date
// and the readers or subject.
func headers(lines []line) bool {
	if !authors[header(lines[0].trimmed())] {
		return false
	}
	dated, addressed := false, false
	for i := 1; i < min(6, len(lines)) && !lines[i].blank(); i++ {
		name := header(lines[i].trimmed())
		dated, addressed = dated || dates[name], addressed || subjects[name]
	}
	return dated && addressed
}

// mostHeader is the number of bytes at a line's beginning where header looks for a colon.
const mostHeader = 24

// header returns the text before the colon, in lower case. It is empty if there is no colon.
func header(line []byte) string {
	colon := bytes.IndexByte(line[:min(len(line), mostHeader)], ':')
	if colon < 0 {
		return ""
	}
	return strings.ToLower(string(bytes.Trim(line[:colon], "*"+space)))
}

// dropSignature drops the signature: from a line with two hyphens on, if at most mostSigned lines with words follow. It
// also drops a last line that a telephone added. Something must come before the signature.
func dropSignature(lines []line) {
	first := slices.IndexFunc(lines, line.stays)
	after := 0
	cut := len(lines)
	for i := len(lines) - 1; i > first && first >= 0 && after <= mostSigned; i-- {
		if !lines[i].stays() {
			continue
		}
		at := lines[i].trimmed()
		if string(at) == "--" || after == 0 && byTelephone(at) {
			cut = i
		}
		after++
	}
	for i := cut; i < len(lines); i++ {
		lines[i].dropped = true
	}
}

// byTelephone reports whether a line is one that telephones' mail programs add.
func byTelephone(line []byte) bool {
	return bytes.HasPrefix(line, []byte("Sent from my ")) || bytes.HasPrefix(line, []byte("Get Outlook for "))
}

// stays reports whether the line is kept and is not blank.
func (l line) stays() bool { return !l.dropped && !l.blank() }
