package testkit

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Parts has the parts of the deep suite, which .ci/deep runs. The description of each part is beside its name there.
var Parts = []string{
	"accounting", "arm64", "audits", "browser", "distribution", "documents", "faults", "fuzz", "kafka", "kills",
	"memory", "mutants",
	"operations", "papers", "peers", "quality", "race", "seeds", "simulate", "soak",
}

// variable names the parts of the deep suite that a run includes, with spaces between them. The gate leaves it empty.
const variable = "PRIVPIPE_DEEP"

// Deep skips a test in the deep suite unless PRIVPIPE_DEEP names the test's part. A test calls Deep first, with the
// part as a constant: .ci/deep finds each part's tests by their source.
func Deep(t testing.TB, part string) {
	t.Helper()
	if !slices.Contains(Parts, part) {
		t.Fatalf("the deep suite has no part %q, it has %q", part, Parts)
	}
	if !chosen(part) {
		t.Skipf("part %s of the deep suite: .ci/deep %[1]s", part)
	}
}

// Repeats returns how often a test repeats its work: gate times in the gate, deep times if PRIVPIPE_DEEP names the
// part.
func Repeats(t testing.TB, part string, gate, deep int) int {
	t.Helper()
	if !slices.Contains(Parts, part) {
		t.Fatalf("the deep suite has no part %q, it has %q", part, Parts)
	}
	if chosen(part) {
		return deep
	}
	return gate
}

// Scripted answers the conditions in a testscript. A line "[!deep:PART] skip" does the same as Deep for a test.
func Scripted(condition string) (bool, error) {
	part, is := strings.CutPrefix(condition, "deep:")
	if !is || !slices.Contains(Parts, part) {
		return false, fmt.Errorf("unknown condition %q: deep:PART with a part of %q", condition, Parts)
	}
	return chosen(part), nil
}

func chosen(part string) bool { return slices.Contains(strings.Fields(os.Getenv(variable)), part) }
