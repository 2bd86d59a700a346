package seeded

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/stages"
)

// Again runs each test in this package that states a Chance with fresh seeds. It fails if the failures refute the
// stated rate. A test in the deep suite only runs if PRIVPIPE_DEEP also names the test's part.
func Again(t *testing.T) {
	rates, err := Rates(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		t.Run(name, func(t *testing.T) {
			seeds := make([]uint64, Runs)
			binary.Read(rand.Reader, binary.LittleEndian, seeds) // never fails
			failures := failed(t, name, seeds)
			t.Logf("%d of %d seeds fail; stated: %g", failures, Runs, rates[name])
			if Refutes(rates[name], Runs, failures) {
				t.Errorf("%d of %d seeds fail, which refutes the stated rate of %g", failures, Runs, rates[name])
			}
		})
	}
}

// failed runs one test of this program with each seed, and returns the number of failed runs. If the test is skipped,
// failed skips t.
func failed(t *testing.T, name string, seeds []uint64) (failures int) {
	t.Helper()
	for _, seed := range seeds {
		command := exec.Command(os.Args[0], "-test.v", "-test.run", "^"+name+"$")
		command.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, seed),
			stages.Given+"="+os.Getenv("PRIVPIPE_BIN"))
		output, err := command.CombinedOutput()
		if strings.Contains(string(output), "--- SKIP: "+name+" ") {
			t.Skipf("%s", output)
		}
		if err != nil {
			failures++
			t.Logf("seed %d: %v\n%s", seed, err, output)
		}
	}
	return failures
}
