package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/transform"

	"privpipe/pipelines/endpoint/plain"
	"privpipe/tokenize/internal/lazy"
)

// An Encoding is the character encoding of files. The zero value is UTF-8. A byte order mark of UTF-16 or UTF-32 takes
// precedence.
type Encoding struct {
	name string
	of   encoding.Encoding // nil: UTF-8
}

// UnmarshalText implements encoding.TextUnmarshaler: a name of the WHATWG or of IANA, or auto.
func (e *Encoding) UnmarshalText(text []byte) error {
	*e = Encoding{name: string(text)}
	if strings.EqualFold(e.name, "auto") {
		return nil
	}
	var err error
	if e.of, err = htmlindex.Get(e.name); err != nil {
		e.of, err = ianaindex.IANA.Encoding(e.name)
	}
	if err != nil || e.of == nil {
		return fmt.Errorf(
			"%q is no encoding: must be auto or a name such as utf-8, windows-1252, iso-8859-2 or shift_jis", text)
	}
	if name, err := htmlindex.Name(e.of); err == nil && name == "utf-8" {
		e.of = nil
	}
	return nil
}

// reader returns a reader that converts to UTF-8, unless the text is converted already. It adds to replaced how often
// U+FFFD takes the place of bytes outside the encoding.
func (e *Encoding) reader(in *plain.Text, replaced *atomic.Int64) io.Reader {
	switch {
	case in.Converted:
		return counting{in, replaced}
	case e.of == nil:
		return in
	}
	return counting{transform.NewReader(in, e.of.NewDecoder()), replaced}
}

// counting counts U+FFFD.
type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	// The transform writes whole characters only.
	c.n.Add(int64(bytes.Count(b[:n], []byte("\uFFFD"))))
	return n, err
}

// metaCharset matches the place where HTML names its encoding.
var metaCharset = lazy.Regexp(`(?i)<meta\s[^>]*\bcharset\s*=\s*["']?\s*([-:\w]+)`)

// metaBytes is how many bytes at the beginning of HTML may contain the name of its encoding (HTML, section 4.2.5.4).
const metaBytes = 1 << 10

// html converts HTML that is not UTF-8 from the encoding that it names. Without a name it returns the content as it is.
func (e *Encoding) html(content []byte, replaced *atomic.Int64) []byte {
	named := metaCharset().FindSubmatch(content[:min(metaBytes, len(content))])
	if e.of != nil || named == nil || utf8.Valid(content) {
		return content
	}
	of, err := htmlindex.Get(string(named[1]))
	if err != nil {
		return content
	}
	if name, err := htmlindex.Name(of); err != nil || strings.HasPrefix(name, "utf-") {
		return content // the name was found as ASCII, so this is not UTF-16
	}
	converted, err := io.ReadAll(counting{transform.NewReader(bytes.NewReader(content), of.NewDecoder()), replaced})
	if err != nil {
		return content
	}
	return converted
}
