package plain

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// markup returns the text without tags and comments, and with its entities decoded. A text without a tag may be HTML
// that was escaped as a whole.
func (s *Stripper) markup(text []byte) []byte {
	if isHTML(text) {
		s.stripped = s.strip(s.stripped[:0], text)
		return s.stripped
	}
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	s.decoded = appendDecoded(s.decoded[:0], text)
	if isHTML(s.decoded) {
		s.stripped = s.strip(s.stripped[:0], s.decoded)
		return s.stripped
	}
	return s.decoded
}

// strip appends the text in an HTML document. A tag that nothing closes is text, and so is all text after it.
func (s *Stripper) strip(b, text []byte) []byte {
	tokens := html.NewTokenizer(bytes.NewReader(text))
	ends := make(map[string]int)
	for _, name := range []string{"script", "style", "blockquote"} {
		ends[name] = lastEnd(text, name)
	}
	dropped, quotes := "", 0 // the element with content that is no text; the depth of quoted mails
	write := func(raw []byte) {
		if dropped == "" && quotes == 0 {
			b = appendDecoded(b, raw)
		}
	}
	for at := 0; ; {
		kind := tokens.Next()
		raw := tokens.Raw()
		here := at
		at += len(raw)
		switch kind {
		case html.ErrorToken:
			write(text[here:])
			return b
		case html.TextToken:
			write(raw)
		case html.CommentToken, html.DoctypeToken:
			switch {
			case raw[0] == '<' && raw[1] == '/':
				write(raw) // </3, which a browser takes for a comment
			case raw[len(raw)-1] != '>':
				write(text[here:])
				return b
			case bytes.HasPrefix(raw, []byte("<![CDATA[")):
				content, _, _ := bytes.Cut(raw[len("<![CDATA["):len(raw)-1], []byte("<"))
				write(bytes.TrimSuffix(content, []byte("]]")))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			bytesOfName, has := tokens.TagName()
			name, end := string(bytesOfName), kind == html.EndTagToken
			switch {
			case end && name == dropped:
				dropped = ""
			case end && name == "blockquote":
				quotes = max(0, quotes-1)
			case end:
			case !elements[name] && !prefixed(name) && !attributed(raw):
				write(raw) // vector<int>
				continue
			case name == "blockquote" && s.Keep&Quotes == 0 &&
				(quotes > 0 || ends[name] > here && has && mailed(tokens)):
				if quotes == 0 {
					b = append(b, "\n>"...) // so that dropQuotes takes the line before for a heading
				}
				quotes++
			case (name == "script" || name == "style") && ends[name] > here:
				dropped = name
			default:
				tokens.NextIsNotRawText() // otherwise a <title> that nothing closes would swallow the text
			}
			if !inline[name] && dropped == "" && quotes == 0 {
				b = append(b, '\n')
			}
		}
	}
}

// mailed reports whether the attributes of a blockquote mark it as the mail that is answered. Mozilla and Apple write
// type=cite. Gmail writes a class.
func mailed(tokens *html.Tokenizer) bool {
	for {
		key, value, more := tokens.TagAttr()
		switch string(key) {
		case "type":
			if strings.EqualFold(string(value), "cite") {
				return true
			}
		case "class":
			if bytes.Contains(value, []byte("quote")) {
				return true
			}
		}
		if !more {
			return false
		}
	}
}

// prefixed reports whether name belongs to a custom element, such as my-menu, or to another name space, such as Word's
// o:p.
func prefixed(name string) bool {
	at := strings.IndexAny(name, ":-")
	return at > 0 && at < len(name)-1 && !strings.ContainsFunc(name, func(r rune) bool {
		return r > 'z' || !alphanumeric(byte(r)) && !strings.ContainsRune(":-_.", r)
	})
}

// lastEnd returns where the last end tag with this name begins, or -1.
func lastEnd(text []byte, name string) int {
	for at := len(text); ; {
		at = bytes.LastIndex(text[:at], []byte("</"))
		if at < 0 {
			return -1
		}
		rest := text[at+2:]
		if len(rest) > len(name) && fold(rest[:len(name)], name) && !alphanumeric(rest[len(name)]) {
			return at
		}
	}
}

// isHTML reports whether some tag shows that the text is HTML.
func isHTML(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '<')
		if at < 0 {
			return false
		}
		if text = text[at+1:]; shows(text) {
			return true
		}
	}
}

// shows reports whether a tag shows that a text is HTML. rest begins after the tag's <. The tag must name an element,
// in lower case or in upper case. It must have no attributes but name=value and flags. A start tag with one letter must
// be p or have a value: the <T> in a program is no tag.
func shows(rest []byte) bool {
	end := len(rest) > 0 && rest[0] == '/'
	if end {
		rest = rest[1:]
	}
	length := 0
	for length < len(rest) && alphanumeric(rest[length]) {
		length++
	}
	name := string(rest[:length])
	lower := strings.ToLower(name)
	if !elements[lower] || name != lower && name != strings.ToUpper(name) {
		return false
	}
	closed, values := attributes(rest[length:])
	return closed && (end || values || length > 1 || lower == "p")
}

// attributed reports whether a tag has an attribute with a value.
func attributed(tag []byte) bool {
	at := bytes.IndexAny(tag, " \t\r\n")
	if at < 0 {
		return false
	}
	closed, values := attributes(tag[at:])
	return closed && values
}

const space = " \t\r\n\f"

func in(set string, c byte) bool { return strings.IndexByte(set, c) >= 0 }

// attributes reports whether rest begins with attributes and the end of the tag, and whether one of them has a value.
func attributes(rest []byte) (closed, values bool) {
	for {
		after := bytes.TrimLeft(rest, space)
		if len(after) > 1 && after[0] == '/' && after[1] == '>' || len(after) > 0 && after[0] == '>' {
			return true, values
		}
		length := 0
		for length < len(after) && (alphanumeric(after[length]) || length > 0 && in("-_:.", after[length])) {
			length++
		}
		if length == 0 || len(after) == len(rest) {
			return false, false
		}
		name := strings.ToLower(string(after[:min(length, 64)]))
		rest = after[length:]
		equals := bytes.TrimLeft(rest, space)
		if len(equals) == 0 || equals[0] != '=' {
			if !flags[name] && !strings.HasPrefix(name, "data-") {
				return false, false
			}
			continue
		}
		values = true
		value := bytes.TrimLeft(equals[1:], space)
		end := -1
		if len(value) > 0 && (value[0] == '"' || value[0] == '\'') {
			if end = bytes.IndexByte(value[1:], value[0]); end >= 0 {
				end += 2
			}
		} else {
			end = bytes.IndexAny(value, space+"\"'<>`")
		}
		if end < 1 {
			return false, false
		}
		if rest = value[end:]; len(rest) > 0 && !in(">/"+space, rest[0]) {
			return false, false
		}
	}
}
