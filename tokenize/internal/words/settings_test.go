package words

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// TestSettings: the settings name the rule. Whoever changes the words of this text changes the number of the rule, too, and then
// both hashes here.
func TestSettings(t *testing.T) {
	const text = "Can't stop, naïve Café E-mail 2nd ß ſ Ǆ İ ΣΊΣΥΦΟΣ Привет мир; 東京タワーは日本の塔です。 ภาษาไทยง่าย 한국어 단어 " +
		"soft\u00adhyphen zero\u200dwidth heart\u2764\ufe0f cafe\u0301 \u0301alone עִבְרִית عَرَبِيّ हिन्दी ខ្មែរ ကမ္ဘာ 中文分词 𠀋𠂉 ﾊﾝｶｸ ｱ゛"
	h := sha256.New()
	new(Splitter).Split([]byte(text), func(w Word) { h.Write(append(w.Bytes, '\n')) })
	words, settings := hex.EncodeToString(h.Sum(nil))[:16], hex.EncodeToString(Settings(nil))[:16]
	if words != "82c268f087f5a565" || settings != "079c3e8239ff060b" {
		t.Errorf("words %s, settings %s", words, settings)
	}
}
