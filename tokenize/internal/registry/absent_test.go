//go:build pipes

package registry

import (
	"strings"
	"testing"
)

// TestAbsent: a program without a client refuses each URL, and says why. TestPipes of the other build runs it.
func TestAbsent(t *testing.T) {
	var u URL
	if err := u.UnmarshalText([]byte("https://registry.example")); err == nil ||
		!strings.Contains(err.Error(), "-tags pipes") {
		t.Error(err)
	}
	if _, err := New("https://registry.example"); err == nil {
		t.Error("there is a client")
	}
}
