package endtoend

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPlannedCost: a recipe that ends before its last round says the ε of its plan, once anything was released under
// it. A ledger with a filter has a theorem for that, and nothing is said.
func TestPlannedCost(t *testing.T) {
	const body = `
shown=out ledger=run.ledger
mkdir out; account ledger new $BUDGET run.ledger
account plan --poisson 0.1 --rounds 20 --ledger run.ledger --matrix x=1x1 $PLAN -o out/grant.json
planned
echo "{\"grant\":$(tr -d ' \n' <out/grant.json)}" >>run.ledger # as its first charge would leave it
planned; stages=() temporary=()`
	for plan, want := range map[string]string{
		"BUDGET='--epsilon 3 --delta 1e-6' PLAN='--epsilon 2'": "released costs ε 2 at δ 0.000001, " +
			"which is that of the whole plan\n",
		"BUDGET='' PLAN='--noise-multiplier 2'": "released costs ε of all rounds of " +
			"out/grant.json, which is that of the whole plan\n",
		"BUDGET='--epsilon 3 --delta 1e-6 --filter zcdp' PLAN='--part 0.5'": "",
	} {
		s := bash(t.TempDir(), plan+"\nsource "+filepath.Join(root, "pipelines/recipes/stages.sh")+body)
		if err := s.Run(); err != nil {
			t.Errorf("%s: %v\n%s", plan, err, s.stderr.String())
		}
		if said := s.stderr.String(); !strings.HasSuffix(said, want) ||
			strings.Count(said, "whole plan") != min(1, len(want)) {
			t.Errorf("%s: it says %q", plan, said)
		}
	}
}
