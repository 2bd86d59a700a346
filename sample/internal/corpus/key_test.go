package corpus

import (
	"encoding/hex"
	"testing"
)

// TestKeyOf pins keys, by which secret coins fall: printf %s NAME | sha256sum, the first 16 bytes.
func TestKeyOf(t *testing.T) {
	for name, want := range map[string]string{
		"":         "e3b0c44298fc1c149afbf4c8996fb924",
		"user/ann": "a6e5d57cbdaac8d6eb3f29ba0a689a2e",
	} {
		got := KeyOf(name)
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("%q: got %x, want %s", name, got, want)
		}
	}
}

// TestDocumentKey pins one document's key. States find a document by its key. The first 16 bytes of the SHA-256 of
// user/ann, the id after them, are hashed once more. No two pairs of unit and id have one key.
func TestDocumentKey(t *testing.T) {
	if got := hex.EncodeToString(keyOf("user/ann", "1")); got != "bfc20a146646fa041d773590c4f2e813" {
		t.Errorf("got %s", got)
	}
	pairs := make(map[string]string)
	for _, unit := range []string{"user/a", "user/b", "user/a1", "document/1"} {
		for _, id := range []string{"1", "11", "a", "user/a"} {
			key, pair := string(keyOf(unit, id)), unit+" and "+id
			if other, taken := pairs[key]; taken {
				t.Errorf("%s have the key of %s", pair, other)
			}
			pairs[key] = pair
		}
	}
}

func keyOf(unit, id string) []byte {
	key := KeyOf(unit).Document(id)
	return key[:]
}
