package registry

import (
	"strings"
	"testing"
)

// TestURL: no error shows a URL, which may have a password.
func TestURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://registry.example": "", "http://127.0.0.1:8081/apis/ccompat/v7/": "",
		"https://user:s3cret@registry.example": "password", "https://s3cret@registry.example": "password",
		"ftp://s3cret": "not the URL", "registry:8081": "not the URL", "": "not the URL", "https://": "not the URL",
		"https:s3cret": "not the URL", "https://h/?key=s3cret": "query", "https://h/#s3cret": "fragment",
		"https://h\x7fs3cret": "not the URL",
	} {
		var u URL
		err := u.UnmarshalText([]byte(text))
		switch {
		case want == "" && (err != nil || string(u) != text):
			t.Errorf("%s: %v, %v", text, u, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(),
			"s3cret")):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestNew: a program without a client says so.
func TestNew(t *testing.T) {
	if _, err := New("https://registry.example"); err == nil || !strings.Contains(err.Error(), "no client") {
		t.Error(err)
	}
}
