package policy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestStatic: whatever builds the stages, a page or a script, builds them without the C library of the machine. Where
// there is a C compiler, package net would link it, and a stage would not run in an empty container or on an older
// system.
func TestStatic(t *testing.T) {
	builds := regexp.MustCompile(`go (build|install) [^\n]*\./\.\.\.`)
	found := 0
	for name := range strings.Lines(gitFiles(t, "*.md") + gitFiles(t, "*.sh") + gitFiles(t, ".ci/*")) {
		name = strings.TrimSpace(name)
		b, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		exported := strings.Contains(string(b), "export CGO_ENABLED=0\n")
		for line := range strings.Lines(string(b)) {
			if !builds.MatchString(line) {
				continue
			}
			if found++; !exported && !strings.Contains(line, "CGO_ENABLED=0 go ") {
				t.Errorf("%s builds stages that are linked dynamically: %s", name, strings.TrimSpace(line))
			}
		}
	}
	if found < 4 {
		t.Errorf("%d builds are found", found)
	}
}
