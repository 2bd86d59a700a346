package source

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// mailsOf returns the mails of a reader with their lines.
func mailsOf(in io.Reader, limit int) (found []string) {
	l := newLines(in, "name", Mail, &Options{Limit: limit})
	for {
		chunk, err := l.next()
		if err != nil {
			return found
		}
		chunk.format = Mail
		if chunk.Fault != nil {
			found = append(found, fmt.Sprintf("%d!%v", chunk.Line, chunk.Fault))
			continue
		}
		for line, e := range chunk.elements(limit) {
			if e.err != nil {
				found = append(found, fmt.Sprintf("%d!%v", line, e.err))
			} else {
				found = append(found, fmt.Sprintf("%d:%s", line, e.content))
			}
		}
	}
}

const from = "From a@b Thu Jan  1 00:00:00 2026\n"

func TestMails(t *testing.T) {
	for in, want := range map[string][]string{
		"Subject: x\n\n" + "body\n\n" + from: {"1:Subject: x\n\nbody\n\n" + from}, // no mbox
		from + "A: 1\n\nx\n\n" + from + "B: 2\n\n>From y\n>>From z\n": {
			"1:A: 1\n\nx\n\n", "6:B: 2\n\nFrom y\n>From z\n"},
		from + "A: 1\n\nx\n" + from + "B: 2\n":                         {"1:A: 1\n\nx\n", "5:B: 2\n"}, // no empty line
		from + "A: 1\n\nx\n\nFrom here at 10:30 in 2026\n":             {"1:A: 1\n\nx\n\nFrom here at 10:30 in 2026\n"},
		from + "A: 1\n\nx\n\nsee " + from:                              {"1:A: 1\n\nx\n\nsee " + from},
		from + "A: 1\n\nx\n\nFrom a Mon, 05 Jan 2026 1:02 +0100\nB: 2": {"1:A: 1\n\nx\n\n", "6:B: 2"},
		from + "A: 1\r\n\r\nx\r\n\r\n" + from + "B: 2\r\n\r\ny":        {"1:A: 1\r\n\r\nx\r\n\r\n", "6:B: 2\r\n\r\ny"},
		from + strings.Repeat("x", 300) + "\n\n" + from + "B: 2\n\ny":  {"1!record too long", "4:B: 2\n\ny"},
	} {
		for name, reader := range map[string]io.Reader{
			"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		} {
			if got := mailsOf(reader, 200); !slices.Equal(got, want) {
				t.Errorf("%q, %s: got %q, want %q", in, name, got, want)
			}
		}
	}
}

func TestParseMail(t *testing.T) {
	head := "From: =?iso-8859-1?q?Ren=E9?= <R@B.org>\nSubject: s\nMessage-ID: <1>\nList-Id: l\nMIME-Version: 1.0\n"
	multi := head + "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>html\n" +
		"--x\nContent-Type: text/plain\n\nplain\n"
	for _, c := range []struct{ columns, mail, want string }{
		{"", head + "\nbody\n", "s\n\nbody|r@b.org||"},
		{"text=body,user=,id=message-id,label=list-id", head + "\nbody\n", "body||<1>|l"},
		{"text=from,subject", head + "\nbody\n", "René <R@B.org>\n\ns|r@b.org||"},
		{"", head + "Content-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9", "s\n\ncafé|r@b.org||"},
		// Windows-1252 after all
		{"", head + "Content-Type: text/plain; charset=utf-8\n\ncaf\xe9", "s\n\ncafé|r@b.org||"},
		{"", head + "Content-Type: text/plain; charset=unknown-8bit\n\ncafé", "s\n\ncafé|r@b.org||"},
		{"", head + "Content-Transfer-Encoding: quoted-printable\n\na=\nb=C3=A9", "s\n\nabé|r@b.org||"},
		{"", head + "Content-Transfer-Encoding: base64\n\nY2Fm\nw6k=\n", "s\n\ncafé|r@b.org||"},
		{"", multi + "--x--\n", "s\n\n<p>html|r@b.org||"},
		{"", multi, "s\n\n<p>html|r@b.org||"}, // truncated
		{"", head + "Content-Type: image/png\n\nx", "s|r@b.org||"},
		{"", head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\none\n" +
			"--x\nContent-Type: message/rfc822\n\nSubject: no\n\nno\n--x\n\ntwo\n--x--\n", "s\n\none\n\ntwo|r@b.org||"},
		{"", "Subject: s\n\n", "s|||"},
		{"", "From: undisclosed\n\nx", "x|undisclosed||"},
		{"", "no header", "!" + errNoMail.Error()},
		{"", `{"text":"x"}`, "!" + errNoMail.Error()},
	} {
		var columns Columns
		if c.columns != "" {
			if err := columns.UnmarshalText([]byte(c.columns)); err != nil {
				t.Fatal(err)
			}
		}
		f, err := parseMail([]byte(c.mail), &columns)
		got := fmt.Sprint("!", err)
		if err == nil {
			id := ""
			if f.ID != nil {
				id = string(*f.ID)
			}
			got = fmt.Sprintf("%s|%s|%s|%s", f.Text.Content, f.User, id, f.Label)
		}
		if got != c.want {
			t.Errorf("%q of %q: got %q, want %q", c.columns, c.mail, got, c.want)
		}
	}
}

// TestDeepMail: parts nest up to mostDepth levels.
func TestDeepMail(t *testing.T) {
	for depth, want := range map[int]error{mostDepth: nil, mostDepth + 1: errDeepMail} {
		deep := "Subject: s\n"
		for level := range depth {
			deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d.\n\n--b%d.\n", level, level)
		}
		f, err := parseMail([]byte(deep+"\nx"), new(Columns))
		if err != want || err == nil && string(f.Text.Content) != "s\n\nx" {
			t.Errorf("%d levels: %v", depth, err)
		}
	}
}

// FuzzMail: every mail has a text in UTF-8 or is refused without its text; how a pipe cuts an mbox does not matter.
func FuzzMail(f *testing.F) {
	for _, seed := range []string{
		from + "A: 1\n\nx\n\n" + from + "B: 2\n\n>From y\n", "Subject: =?utf-8?b?w6k=?=\n\nx\xe9",
		"Content-Type: multipart/mixed; boundary=x\n\n--x\n\ny\n--x--",
		"Content-Transfer-Encoding: base64\n\n=", "From: <\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		found := fmt.Sprint("", mailsOf(strings.NewReader(in), 1<<20))
		if cut := fmt.Sprint("", mailsOf(iotest.HalfReader(strings.NewReader(in)), 1<<20)); cut != found {
			t.Errorf("%q: got %q, cut %q", in, found, cut)
		}
		fields, err := parseMail([]byte(in), new(Columns))
		if err == nil && !fields.Text.Valid() || err != nil && err != errNoMail && err != errDeepMail {
			t.Errorf("%q: got %q, %v", in, fields.Text.Content, err)
		}
	})
}
