package plain

import "strings"

// inline are the elements that may stand within a word: <b>w</b>ord is one word. The tags of all other elements
// separate words.
var inline = set("" +
	"a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr q s samp " +
	"small span strike strong sub sup time tt u var wbr")

// elements are the elements of the HTML standard (WHATWG, Living Standard, sections 4 and 16.2), and of HTML 4 and
// before.
var elements = set("" +
	"a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote " +
	"body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div " +
	"dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header " +
	"hgroup hr html i iframe img input ins isindex kbd label legend li link listing main map mark marquee math " +
	"menu meta meter nav nobr noembed noframes noscript object ol optgroup option output p param picture " +
	"plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot small source span strike " +
	"strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul " +
	"var video wbr xmp")

// flags are the attributes that need no value.
var flags = set("" +
	"allowfullscreen async autofocus autoplay checked compact controls default defer disabled download " +
	"formnovalidate hidden inert ismap itemscope loop multiple muted nohref nomodule noresize noshade novalidate " +
	"nowrap open playsinline readonly required reversed selected")

func set(names string) map[string]bool {
	all := make(map[string]bool)
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}
