package source

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"privpipe/tokenize/internal/lazy"
	"privpipe/tokenize/internal/words"
)

var errNoMail = errors.New("not a mail: it must begin with headers, such as From and Subject")

// fieldName matches the beginning of a header: a name and a colon.
var fieldName = lazy.Regexp(`\A[A-Za-z][-\w]*:`)

// parseMail returns a mail's fields. The text is its subject and body, and the user is the address that it is from.
func parseMail(content []byte, columns *Columns) (f Fields, err error) {
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil || !fieldName().Match(content) {
		return f, errNoMail
	}
	names := []string{"subject", "body"}
	if columns[roleText] != "" {
		names = columns.texts()
	}
	var texts []*words.Text
	for _, name := range names {
		text := header(m.Header, name)
		if name == "body" {
			if text, err = body(m.Header.Get, m.Body, 0); err != nil {
				return f, err
			}
		}
		texts = append(texts, &words.Text{Content: []byte(strings.TrimSpace(text))})
	}
	f.Text, _ = join(texts)
	if !columns.lacks(roleUser) {
		f.User = Name(address(header(m.Header, cmp.Or(columns[roleUser], "from"))))
	}
	if name := columns[roleID]; name != "" && !columns.lacks(roleID) {
		if id := Name(header(m.Header, name)); id != "" {
			f.ID = &id
		}
	}
	if name := columns[roleLabel]; name != "" && !columns.lacks(roleLabel) {
		f.Label = Label(header(m.Header, name))
	}
	if !columns.lacks(roleDate) {
		f.Date = Name(header(m.Header, columns[roleDate]))
	}
	return f, nil
}

// header returns a field in the header, decoded (RFC 2047).
func header(h mail.Header, name string) string {
	decoder := mime.WordDecoder{CharsetReader: func(charset string, in io.Reader) (io.Reader, error) {
		encoded, err := io.ReadAll(in)
		return strings.NewReader(decode(encoded, charset)), err
	}}
	value := h.Get(name)
	if decoded, err := decoder.DecodeHeader(value); err == nil {
		value = decoded
	}
	return strings.TrimSpace(decode([]byte(value), ""))
}

// address returns the address in a field, in small letters. It returns the field if there is no address.
func address(field string) string {
	if list, err := mail.ParseAddressList(field); err == nil && len(list) > 0 {
		field = list[0].Address
	}
	return strings.ToLower(field)
}

const mostDepth = 10 // of parts in parts

var errDeepMail = errors.New("a mail with parts in parts in more than 10 levels")

// body returns the text in a mail or in one of its parts. This is plain text, or else HTML. Attachments and forwarded
// mails are left out.
func body(header func(string) string, in io.Reader, depth int) (string, error) {
	kind, parameters, err := mime.ParseMediaType(cmp.Or(header("Content-Type"), "text/plain"))
	if err != nil && kind == "" {
		kind = "text/plain"
	}
	disposition, _, _ := mime.ParseMediaType(header("Content-Disposition"))
	switch {
	case depth > mostDepth:
		return "", errDeepMail
	case disposition == "attachment":
		return "", nil
	case strings.HasPrefix(kind, "multipart/"):
		return parts(multipart.NewReader(in, parameters["boundary"]), kind == "multipart/alternative", depth)
	case kind != "text/plain" && kind != "text/html":
		return "", nil
	}
	switch strings.ToLower(strings.TrimSpace(header("Content-Transfer-Encoding"))) {
	case "quoted-printable":
		in = quotedprintable.NewReader(in)
	case "base64":
		in = base64.NewDecoder(base64.StdEncoding, in)
	}
	text, _ := io.ReadAll(in) // damaged Base64 gives the text before the damage
	return decode(text, parameters["charset"]), nil
}

// parts returns the texts in several parts. If the parts are alternatives, it returns only the first text.
func parts(in *multipart.Reader, alternative bool, depth int) (string, error) {
	var texts []string
	for {
		part, err := in.NextRawPart()
		if err != nil { // perhaps the mail is truncated: return the parts so far
			return strings.Join(texts, "\n\n"), nil
		}
		text, err := body(part.Header.Get, part, depth+1)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(text) != "" && !(alternative && len(texts) > 0) {
			texts = append(texts, text)
		}
	}
}

// decode returns a text in UTF-8. A text outside its charset is taken for UTF-8, or else for Windows-1252, as mail
// without a charset is.
func decode(text []byte, charset string) string {
	encoding, err := htmlindex.Get(charset)
	if err == nil && encoding != unicode.UTF8 && !strings.EqualFold(charset, "us-ascii") {
		if decoded, err := encoding.NewDecoder().Bytes(text); err == nil && utf8.Valid(decoded) {
			return string(decoded)
		}
	}
	if utf8.Valid(text) {
		return string(text)
	}
	decoded, _ := charmap.Windows1252.NewDecoder().Bytes(text)
	return string(decoded)
}
