package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFlags: no command has more than 32 flags of its own, besides those that all commands share. A reader of --help
// cannot tell which of so many go together, and a command with modes needs a rule for each pair of them. A flag that
// only one mode takes belongs to a command for that mode. The counts are those of the
// completions, made of kong's model.
func TestFlags(t *testing.T) {
	const most = 32
	more := map[string]int{"account plan": 39} // they may only fall
	folder := t.TempDir()
	goTool(t, "build", "-tags", "manual", "-ldflags", "-s -w", "-o", folder+"/", "./...")
	command := regexp.MustCompile(`(?m)^privpipe_words\["(.*)"\]="(.*)"$`)
	found := 0
	for _, stage := range stages {
		described := exec.Command(filepath.Join(folder, stage))
		described.Env = append(os.Environ(), "PRIVPIPE_MANUAL="+folder)
		if out, err := described.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v, %s", stage, err, out)
		}
		b, err := os.ReadFile(filepath.Join(folder, "privpipe-"+stage+".bash"))
		if err != nil {
			t.Fatal(err)
		}
		all := command.FindAllStringSubmatch(string(b), -1)
		shared := make(map[string]bool)
		for _, c := range all {
			if c[1] == stage {
				for word := range strings.FieldsSeq(c[2]) {
					shared[word] = true
				}
			}
		}
		for _, c := range all {
			own := 0
			for word := range strings.FieldsSeq(c[2]) {
				if strings.HasPrefix(word, "--") && !shared[word] {
					own++
				}
			}
			found += own
			if limit := max(most, more[c[1]]); own > limit {
				t.Errorf("%s has %d flags of its own, the most is %d: give a mode that few use a command of its own",
					c[1], own, limit)
			}
		}
	}
	if found < 300 {
		t.Errorf("%d flags are found", found)
	}
}
