package words

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"privpipe/tokenize/internal/plain"
)

// TestSettings: the settings name the rule, and the rules of all versions stay. A change of the words of these texts is
// a rule with another number. Under rule 1 both hashes are those of versions that had no other rule.
func TestSettings(t *testing.T) {
	const text = "Can't stop, naïve Café E-mail 2nd ß ſ Ǆ İ ΣΊΣΥΦΟΣ Привет мир; 東京タワーは日本の塔です。 ภาษาไทยง่าย 한국어 단어 " +
		"soft\u00adhyphen zero\u200dwidth heart\u2764\ufe0f cafe\u0301 \u0301alone עִבְרִית عَرَبِيّ हिन्दी ខ្មែរ " +
		"ကမ္ဘာ 中文分词 𠀋𠂉 ﾊﾝｶｸ ｱ゛"
	const mail = "\n<p>w<b>o</b>rd &amp; <i>&eacute;t&eacute;</i><script>x</script> https://example.com/a " +
		"me@example.com\nOn 3 May at 9:41, A wrote:\n> old\n-- \nMe"
	for number, want := range map[int][2]string{
		0: {"82c268f087f5a565", "079c3e8239ff060b"},
		1: {"82c268f087f5a565", "079c3e8239ff060b"},
		2: {"3942444a8beb3d46", "892e54dbcab8315d"},
	} {
		rule := Rule{Number: number}
		h := sha256.New()
		of := text
		if number > 1 {
			of += mail
		}
		(&Splitter{Rule: rule}).Words(Text{Content: []byte(of)}, func(w Word) { h.Write(append(w.Bytes, '\n')) })
		words, settings := hex.EncodeToString(h.Sum(nil))[:16], hex.EncodeToString(rule.Settings())[:16]
		if words != want[0] || settings != want[1] {
			t.Errorf("rule %d: words %s, settings %s", number, words, settings)
		}
	}
	seen := make(map[string]plain.Kinds)
	for keep := range plain.Kinds(1 << 6) {
		settings := string(Rule{Number: 2, Keep: keep}.Settings())
		if other, again := seen[settings]; again {
			t.Errorf("to keep %q and to keep %q are the same settings", keep, other)
		}
		seen[settings] = keep
	}
}
