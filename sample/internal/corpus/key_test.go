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
