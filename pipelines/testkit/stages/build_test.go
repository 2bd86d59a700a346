package stages

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestBuild: the same sources are built once, and others, of an overlay, elsewhere. A build that fails leaves nothing.
func TestBuild(t *testing.T) {
	t.Setenv("PRIVPIPE_TEST_CACHE", t.TempDir())
	build := func(flags ...string) string {
		t.Helper()
		folder, err := Build("./pipelines/show", flags...)
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	overlay := func(name, main string) string {
		t.Helper()
		file, list := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), name)
		content, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(Root,
			"pipelines/show/main.go"): file}})
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{file: main, list: string(content)} {
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return "-overlay=" + list
	}
	first := build()
	made, err := os.Stat(filepath.Join(first, "show"))
	if err != nil {
		t.Fatal(err)
	}
	again := build()
	if now, err := os.Stat(filepath.Join(again, "show")); err != nil || again != first ||
		!now.ModTime().Equal(made.ModTime()) {
		t.Errorf("the second build is in %s, not %s, or built again: %v", again, first, err)
	}
	one, two := overlay("overlay.json", "package main\n\nfunc main() {}\n"),
		overlay("overlay.json", "package main\n\nfunc main() { _ = 1 }\n")
	if a, b := build(one), build(two); a == first || a == b {
		t.Errorf("overlays are built in %s and %s, and no overlay in %s", a, b, first)
	} else if same := build(overlay("elsewhere.json", "package main\n\nfunc main() {}\n")); same != a {
		t.Errorf("an overlay of the same content is built in %s, not %s", same, a)
	}
	if _, err := Build("./pipelines/show", overlay("broken.json", "package main\n")); err == nil {
		t.Error("a program without main is built")
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("PRIVPIPE_TEST_CACHE"), "begun-*")); left != nil {
		t.Errorf("left %v", left)
	}
}
