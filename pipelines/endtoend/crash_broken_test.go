package endtoend

import (
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/mutants"
)

// TestCrashFindsBugs kills the privatizers that pipelines/testkit/mutants says the kills must find, like TestCrash:
// each must be found out.
func TestCrashFindsBugs(t *testing.T) {
	testkit.Deep(t, "kills")
	var v *variant
	for _, each := range variants(t) {
		if each.mechanism == event.Gaussian && each.parts {
			v = each
		}
	}
	all, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	length, bugs := boundaries(t, v), 0
	for _, m := range all {
		if !m.Kills {
			continue
		}
		bugs++
		t.Run(m.Name, func(t *testing.T) {
			program, err := m.Build(root, t.TempDir(), "privatize")
			if err != nil {
				t.Fatal(err)
			}
			folder, runs := memory(t), 0
			for j := range plan([]*variant{v}, map[*variant]int{v: length}, 2*length) {
				runs++
				if _, err := j.run(program, folder); err != nil {
					t.Logf("found by chain %d: %s: %v", runs, j, err)
					return
				}
			}
			t.Errorf("not found by %d chains of kills", runs)
		})
	}
	if bugs < 8 {
		t.Errorf("%d bugs for the kills, there are eight", bugs)
	}
}
