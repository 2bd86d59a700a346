package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles: the repository holds sources and small tables. A program or a corpus in it stays in the history for good.
func TestFiles(t *testing.T) {
	const usual = 256 << 10
	larger := map[string]int64{
		"pipelines/recipes/public/english.pp":     9 << 20,   // the prior that lda.sh uses by default
		"pipelines/recipes/public/dictionary.txt": 512 << 10, // the words among which it chooses
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("git", "ls-files", "-z", "--cached")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Skipf("no list of the files that git tracks (%v)", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if os.IsNotExist(err) { // removed, but not yet in a commit
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if most := max(usual, larger[name]); info.Size() > most {
			t.Errorf("%s has %d bytes, the most is %d: generate it, or keep it in the shared data", name, info.Size(),
				most)
		}
	}
}
