package plain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// fields are the words of what is left of a text, with one space between them.
func fields(keep Kinds, text string) string {
	s := Stripper{Keep: keep}
	return strings.Join(strings.Fields(string(s.Text([]byte(text)))), " ")
}

// same are texts of which all is left.
var same = []string{
	"", "plain words", "a < b", "x<y && y>z", "if (a<b && c>d) return a<b;", "a<b and c>d", "5 > 3", "a > b\n\tc > d",
	"user at host", "@you",
	"me @ home.com", "std::vector<int> v; Map<String, List<T>> m; fn f<U>(x: Option<U>)",
	"R&D, AT&T; a & b; &copy without; &nonsense; &; f(&x)",
	"<john>", "1 <2> 3", "<- arrows ->", "<", "&", "a <b", "http: //x", "://", "www", "www.", "ww.x", "a.www", "TCP://",
	"On Monday she wrote:", "On 5 May he wrote:\nDear all", "From: me", "From: a\nTo: b", "-----\n-- a list\n-- of two",
	"--", "--\nafter nothing before",
	"a -- b", "one\n--\n" + strings.Repeat("line\n", 11), "Sent from my phone",
	"From: a\nSent: b\nTo: c\n\nThe mail itself", "base64",
	"ThisIsAVeryLongIdentifierOfSomeJavaClassFactory2Bean", "src/main/java/com/example/project/module/sub/Name1",
	"da39a3ee5e6b4b0d3255bfef95601890afd80709da39a3ee5e6b4b0d3255bfef", strings.Repeat("x", 100), "mailto:",
	"data:image/png;base64,", "a@b", "a@b.c1",
	"see <http>", "-----Original Message-----\nonly a mail that was sent on",
}

func TestSame(t *testing.T) {
	for _, text := range same {
		if got, want := fields(none, text), strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

const blob = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Tags.
		{"<b>w</b>ord", "word"}, {"<p>one</p><p>two</p>", "one two"}, {"one<br>two<BR/>three", "one two three"},
		{"<td>a</td><td>b</td>", "a b"},
		{"<P CLASS=x nowrap>a", "a"}, {"<div\nclass='a > b'\n>c</div>", "c"},
		{"<a href=http://x.com/?a=b&c>d</a>", "d"},
		{`<p title="it's">a <p>b`, "a b"}, {`<img alt="a" src="b">c`, "c"}, {"a<wbr>b", "ab"},
		{"<html><body>cut off <a hre", "cut off <a hre"},
		{"<p>a<!-- b <p> -->c<!--[if mso]>d<![endif]--><?xml e?></p>", "ac"}, {"<!DOCTYPE html><p>a", "a"},
		{"<p>a <!-- open", "a <!-- open"},
		{"<p>a<script>if (b<c) d()</script>e<style>f{}</style>g", "a e g"}, {"<p>the <script> tag", "the tag"},
		{"<title>a</title>b", "a b"},
		{"the <script> tag of a page", "the tag of a page"},
		{"<p>the <title> tag &amp; more <b>text", "the tag & more text"}, {"<script src='x'/>a</script>b<p>", "b"},
		{"<p>a<![CDATA[b]]>c", "abc"},
		{"<o:p>a</o:p><my-tag>b</my-tag>", "<o:p>a</o:p><my-tag>b</my-tag>"},
		{"<p><o:p>a</o:p><my-tag>b</my-tag>", "a b"},
		{"<p>vector<int> a < b, x<y && y>z", "vector<int> a < b, x<y && y>z"}, {"<p>a</3 b>c</>", "a</3 b>c</>"},
		{"<svg><path d='M0'/>a</svg>", "a"},
		{"<textarea>a <b>b</b></textarea>", "a b"}, {"&lt;p&gt;a&lt;/p&gt;", "a"}, {"<p>a &lt;p&gt; b", "a <p> b"},
		// Entities.
		{"a &amp; b", "a & b"}, {"&eacute;t&#233; &#xe9; &Eacute;", "été é É"}, {"a&nbsp;b", "a b"},
		{"AT&amp;T &amp;amp;gt; 1", "AT&T > 1"}, {"&#150;&#0;&semi;", "–\ufffd;"},
		{"co&shy;op", "co\u00adop"}, {"&notit; &amp", "&notit; &amp"}, {"&CounterClockwiseContourIntegral;", "∳"},
		// URLs.
		{"see https://example.com/a?b=c#d, now", "see now"}, {"(see http://x.com/a_(b))and c", "(see )and c"},
		{"[label](http://x.com)more", "[label]( )more"},
		{"ftp://x HTTP://X.COM svn+ssh://a@b.c/d e", "e"}, {"WWW.x.com www.y.org/z a", "a"},
		{`{"a":"http://x.com/","b":"c"}`, `{"a":" ","b":"c"}`},
		{"https://de.wikipedia.org/wiki/Köln a", "a"}, {"見http://x.com/a。然後", "見 。然後"}, {"http://x.com에서", "에서"},
		{"<http://x.com|label>", "< |label>"},
		{"https://user:word@host.com/a b", "b"}, {"(www.x.com) \"www.y.com\"", "( ) \" \""},
		{"a.www.x.com", "a.www.x.com"},
		// E-mail addresses.
		{"to me@example.com.", "to ."}, {"<first.last+tag@mail.example.co.uk>", "< >"}, {"mailto:a@b.org a", "a"},
		{"mail='a@b.org'", "mail= '"},
		{"müller@bücher.de a", "a"}, {"a@b@c.org", "a@"}, {"a@b.org@c", "@c"}, {"a@-.org", ""},
		// Quotes.
		{"a\n> b\n>c\n  >> d\ne", "a e"}, {"> a\r\n> b\r\nc", "c"}, {"> a\r> b\rc", "c"}, {"&gt; a\nb", "b"},
		{"a\nOn Tue, 3 Mar 2026 at 10:00, Me <me@x.com> wrote:\n> b\nc", "a c"},
		{"a\n\nOn Tue, 3 Mar 2026 at 10:00,\nMe <me@x.com>\nwrote:\n\n> b", "a"},
		{"Am 3. März um 9:41 schrieb A:\n> b\nc", "c"}, {"Le 3 mars 2026 à 9:41, <a@b.fr> a écrit :\n\n> b\nc", "c"},
		{"On 5 May 2026 A wrote:\n> b\nc", "c"},
		{"the list:\n> b\nc", "the list: c"}, {"a\nOn 5 May 2026 at 9:41 A wrote:\nb", "a b"},
		{"One day in 1900 he wrote:\nb", "One day in 1900 he wrote: b"},
		{"a\n-----Original Message-----\nFrom: b\nc", "a"}, {"a\n----- Ursprüngliche Nachricht -----\nc", "a"},
		{"a\n\nFrom: b\nSent: c\nTo: d\nSubject: e\n\nf", "a"}, {"a\n\n*Von:* b\n*Gesendet:* c\n*An:* d\n\nf", "a"},
		{"a\nFrom: b\nSent: c\n\nTo: d", "a From: b Sent: c To: d"},
		{"<p>a</p>On 5 May, A wrote:<br><blockquote type=cite>b<blockquote>c</blockquote>d</blockquote>e", "a e"},
		{"<p>a<blockquote class=gmail_quote>b", "a b"}, {"<p>a<blockquote>b</blockquote>c", "a b c"},
		// Signatures.
		{"a\n-- \nMe\nPhone", "a"}, {"a\n--\nMe", "a"}, {"a\n\nSent from my phone", "a"},
		{"a\n-- \nMe\n\nOn 5 May at 9:41 A wrote:\n> b", "a"},
		{"<div>a</div><div>-- <br>Me</div>", "a"}, {"a\n--\nb\n-- \nMe", "a"}, {"a\nGet Outlook for X\n\n", "a"},
		{"Sent from my heart\nb", "Sent from my heart b"},
		// Base64.
		{"a " + blob + " b", "a b"}, {"a data:image/png;base64," + blob + ") b", "a ) b"},
		{blob + blob + "\r\n" + strings.Repeat("A", 76) + "\r\nAAAA==\r\nb", "b"},
		{blob + "\nword\n", "word"}, {"x.eyJhbGciOi." + blob, "x.eyJhbGciOi."}, {"(" + blob + ")", "( )"},
	} {
		if got := fields(none, c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestKeep: each kind is kept by itself, and all together is the text.
func TestKeep(t *testing.T) {
	const text = "a <b>b</b> &amp; http://x.com me@x.com " + blob + "\n> c\nd\n-- \ne"
	for keep, want := range map[Kinds]string{
		none:       "a b & d",
		HTML:       "a <b>b</b> &amp; d",
		URLs:       "a b & http://x.com d",
		Emails:     "a b & me@x.com d",
		Base64:     "a b & " + blob + " d",
		Quotes:     "a b & > c d",
		Signatures: "a b & d -- e",
		all:        strings.Join(strings.Fields(text), " "),
	} {
		if got := fields(keep, text); got != want {
			t.Errorf("%q: got %q, want %q", keep, got, want)
		}
	}
	if got := fields(URLs, "https://me@x.com/ "+"http://x.com/"+blob); got != "https://me@x.com/ http://x.com/"+blob {
		t.Errorf("a kept URL: got %q", got)
	}
}

func TestKinds(t *testing.T) {
	for keep := none; keep <= all; keep++ {
		var again Kinds
		if err := again.UnmarshalText([]byte(keep.String())); keep != none && (err != nil || again != keep) {
			t.Errorf("%q: got %q, %v", keep, again, err)
		}
	}
	for _, text := range []string{"", "HTML", "html,", "html, urls", "all"} {
		if new(Kinds).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// pieces are of what texts are made that have much to leave out, or nearly.
var pieces = []string{
	"a", "B9", " ", "  ", "\n", "\r\n", "\r", "word", "é", "京", "<", ">", "&", ";", "</", "<b>", "</b>", "<p>",
	"<p title=\"", "\"", "'", "=", "<!--", "-->",
	"<script>", "</script>", "<style", "<blockquote type=cite>", "</blockquote>", "&amp;", "&lt;", "&gt;", "&#62;",
	"amp;", "://", "http://", "www.", "x.com", "@",
	"me@x.org", "mailto:", "data:", ";base64,", blob, blob[:39], "+", "/", "-", "--", "-- \n", "> ", "On 5 May, ",
	"9:41", "wrote:", ":", "From: a\n", "Sent: b\n",
	"To: c\n", "-----Original Message-----", "Sent from my ", "(", ")", "]", "<![CDATA[", "]]>", "<?", "<int>", "x<y",
	"\f", "\x00", "\xff", "\u00ad", "\u2028",
}

// check checks what holds of every text.
func check(t *testing.T, text string) {
	t.Helper()
	// What is not suspected is not there: the short way is the long way.
	suspects := suspected([]byte(text))
	for i := range kindNames {
		kind := Kinds(1 << i)
		s := Stripper{Keep: all &^ kind}
		long := string(s.long([]byte(text), kind))
		if got := string(s.Text([]byte(text))); got != long {
			t.Errorf("%v is not suspected in %q: got %q, want %q", kind, text, got, long)
		}
		if suspects&kind == 0 && long != text {
			t.Errorf("%v is not suspected in %q, and leaves %q", kind, text, long)
		}
	}
	if got := string((&Stripper{Keep: all}).Text([]byte(text))); got != text {
		t.Errorf("all is kept of %q: got %q", text, got)
	}
	(&Stripper{}).Text([]byte(text))
}

// long is Text of one kind, also if it is not suspected.
func (s *Stripper) long(text []byte, kind Kinds) []byte {
	switch kind {
	case HTML:
		return s.markup(text)
	case Quotes, Signatures:
		return s.mail(text)
	}
	return s.addresses(text, all)
}

func TestSuspected(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		var text strings.Builder
		for range 1 + random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		check(t, text.String())
	}
	for _, text := range same {
		check(t, text)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range append(pieces, same...) {
		f.Add(text)
	}
	f.Fuzz(check)
}

// TestTrees writes random trees of elements as HTML, and finds the words of their texts.
func TestTrees(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	tags := []string{"p", "div", "b", "span", "td", "h1", "em", "li"}
	for range 2000 {
		var source, want strings.Builder
		var grow func(depth int)
		grow = func(depth int) {
			for range random.IntN(4) {
				switch tag := tags[random.IntN(len(tags))]; random.IntN(6) {
				case 0, 1:
					source.WriteString("a&lt;&eacute;")
					want.WriteString("a<é")
				case 2:
					source.WriteString("<!-- a > b --><script type='x'>a <p> b</script>")
					want.WriteString("\n\n")
				case 3:
					source.WriteString("<br class=\"a > b\" />")
					want.WriteString("\n")
				default:
					if depth > 5 {
						continue
					}
					separates := strings.Repeat("\n", map[bool]int{false: 1}[inline[tag]])
					fmt.Fprintf(&source, "<%s id='%d' hidden>", tag, depth)
					want.WriteString(separates)
					grow(depth + 1)
					fmt.Fprintf(&source, "</%s\n>", tag)
					want.WriteString(separates)
				}
			}
		}
		grow(0)
		text := "<html>" + source.String()
		if got, want := fields(Quotes|Signatures, text), strings.Join(strings.Fields(want.String()), " "); got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	}
}
