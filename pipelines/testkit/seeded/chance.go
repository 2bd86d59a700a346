package seeded

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"privpipe/pipelines/testkit/stages"
)

// A Chance is part of a test that depends on noise or coins. The gate runs the test with one seed, so it never fails by
// chance. TestSeeds runs the test with fresh seeds, and compares the frequency of failures with the stated rate.
type Chance struct {
	Seed   uint64  // the seed of the gate's run
	Margin string  // how far the results with this seed are from a failure
	Rate   float64 // an upper bound of the failure rate over fresh seeds
}

// variable names a seed that replaces a test's own.
const variable = "PRIVPIPE_SEED"

// folders has the seed for each folder of the tests that run now.
var folders sync.Map

// built makes the seeded stages beside the shipped ones, once in a process.
var built = sync.OnceValues(func() (string, error) { return Build(stages.Root, os.Getenv("PRIVPIPE_BIN")) })

// Folder returns a new folder for a test. Programs with an environment from Env draw from the seed in c, or from the
// seed in PRIVPIPE_SEED.
func Folder(t testing.TB, c Chance) string {
	t.Helper()
	if s := os.Getenv(variable); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		c.Seed = seed
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again, with this seed: %s=%d go test -run '^%s$'", variable, c.Seed,
				strings.Split(t.Name(), "/")[0])
		}
	})
	return From(t, c.Seed)
}

// From does the same as Folder for a test of seeds: PRIVPIPE_SEED does not change the seed.
func From(t testing.TB, seed uint64) string {
	t.Helper()
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	folders.Store(folder, seed)
	t.Cleanup(func() { folders.Delete(folder) })
	return folder
}

// Env returns the environment for programs that run in a folder. If the folder is from Folder, or below such a folder,
// the seeded stages replace the shipped ones on PATH.
func Env(folder string) []string {
	env := os.Environ()
	folders.Range(func(name, seed any) bool {
		if !strings.HasPrefix(folder+"/", name.(string)+"/") {
			return true
		}
		bin, _ := built()
		path := strings.Replace(os.Getenv("PATH"), os.Getenv("PRIVPIPE_BIN"), bin, 1)
		env = append(env, "PRIVPIPE_BIN="+bin, "PATH="+path, fmt.Sprintf("PRIVPIPE_DRAWS=%d %s", seed, name))
		return false
	})
	return env
}
