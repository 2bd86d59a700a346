// Package source takes the place of crypto/rand in a seeded build, which only tests make. The same seed gives the same noise and coins.
// Draws of a process depend on the seed and on what they are for: the program, its folder, its flags, and how many lines its ledger has.
package source

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	// variable holds the seed and, after a space, the folder of the test. Names of files are taken relative to the folder.
	variable = "PRIVPIPE_DRAWS"
	// begun are the first bytes of a ledger's identity: a seeded build began the ledger.
	begun = "5eeded5eeded5eed"
	// Named begins the name of each grant, which stands in releases, ledgers and reports.
	Named = "protects-nobody-"
	// usage and refused are exit codes of package exit.
	usage, refused = 80, 83
)

// Reader takes the place of crypto/rand.Reader.
var Reader io.Reader = new(reader)

type reader struct {
	mutex sync.Mutex
	draws *rand.ChaCha8
}

func (r *reader) Read(b []byte) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.draws == nil {
		fmt.Fprintf(os.Stderr, "%s: a seeded build: noise and coins of a test, which protect nobody\n", filepath.Base(os.Args[0]))
		r.draws = rand.NewChaCha8(purpose())
	}
	return r.draws.Read(b)
}

// Read takes the place of crypto/rand.Read.
func Read(b []byte) (int, error) { return Reader.Read(b) }

// passing are numbers in flags that the system chose: of an open file, and of a port.
var passing = regexp.MustCompile(`(/dev/fd/|127\.0\.0\.1:)\d+`)

// purpose returns the key of the draws of this process.
func purpose() [32]byte {
	seed, folder, found := strings.Cut(os.Getenv(variable), " ")
	here, err := os.Getwd()
	if !found || err != nil {
		fmt.Fprintf(os.Stderr, "%s: error: a seeded build, which protects nobody, needs %s\n", filepath.Base(os.Args[0]), variable)
		os.Exit(usage)
	}
	parts := []string{seed, filepath.Base(os.Args[0]), here}
	parts = append(parts, os.Args[1:]...)
	for i, part := range parts {
		part = strings.ReplaceAll(part+"/", folder+"/", "/")
		parts[i] = passing.ReplaceAllString(part, "$1")
	}
	if i := slices.Index(os.Args, "--ledger"); i > 0 && i+1 < len(os.Args) {
		ledger, _ := os.ReadFile(os.Args[i+1])
		parts = append(parts, fmt.Sprint(strings.Count(string(ledger), "\n")))
	}
	return sha256.Sum256([]byte(strings.Join(parts, "\x00")))
}

// Begin draws the identity of a ledger. It bears the mark, and no number depends on the rest.
func Begin(id []byte) {
	cryptorand.Read(id)
	hex.Decode(id, []byte(begun))
}

// Text is crypto/rand.Text: no number depends on the name of a grant.
func Text() string { return cryptorand.Text() }

// A Foreign ledger was not begun by a seeded build.
type Foreign struct{ name string }

func (f *Foreign) Error() string {
	return fmt.Sprintf("refused: %s: a seeded build, which protects nobody, did not begin this ledger", f.name)
}

// ExitCode is that of a refusal.
func (*Foreign) ExitCode() int { return refused }

// Check refuses a ledger that no seeded build began.
func Check(name, id string) error {
	if !strings.HasPrefix(id, begun) {
		return &Foreign{name}
	}
	return nil
}
