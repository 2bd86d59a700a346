// Package source replaces crypto/rand in a seeded build, which only tests make. The same seed gives the same noise and
// coins. A process's draws depend on the seed and on their purpose: the program, its folder, its flags, and the number
// of lines in its ledger.
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
	// variable holds the seed and, after a space, the test's folder. File names are taken relative to this folder.
	variable = "PRIVPIPE_DRAWS"
	// begun has the first bytes of each ledger identity from a seeded build.
	begun = "5eeded5eeded5eed"
	// Named begins the name of each grant, which appears in releases, ledgers and reports.
	Named = "protects-nobody-"
	// usage and refused are exit codes of package exit.
	usage, refused = 80, 83
)

// Reader replaces crypto/rand.Reader.
var Reader io.Reader = new(reader)

type reader struct {
	mutex sync.Mutex
	draws *rand.ChaCha8
}

func (r *reader) Read(b []byte) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.draws == nil {
		fmt.Fprintf(os.Stderr, "%s: a seeded build: noise and coins of a test, which protect nobody\n",
			filepath.Base(os.Args[0]))
		r.draws = rand.NewChaCha8(purpose())
	}
	return r.draws.Read(b)
}

// Read replaces crypto/rand.Read.
func Read(b []byte) (int, error) { return Reader.Read(b) }

// passing matches numbers in flags that the system chose: descriptors and ports.
var passing = regexp.MustCompile(`(/dev/fd/|127\.0\.0\.1:)\d+`)

// purpose returns the key for this process's draws.
func purpose() [32]byte {
	seed, folder, found := strings.Cut(os.Getenv(variable), " ")
	here, err := os.Getwd()
	if !found || err != nil {
		fmt.Fprintf(os.Stderr, "%s: error: a seeded build, which protects nobody, needs %s\n",
			filepath.Base(os.Args[0]), variable)
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

// Begin draws a ledger's identity. The identity begins with the mark begun, and no number depends on the rest.
func Begin(id []byte) {
	cryptorand.Read(id)
	if digest, ok := name(); ok {
		copy(id, digest[:])
	}
	hex.Decode(id, []byte(begun))
}

// Text is crypto/rand.Text: no number depends on a grant's name.
func Text() string {
	if digest, ok := name(); ok {
		return text(digest)
	}
	return cryptorand.Text()
}

// A Foreign ledger was not begun by a seeded build.
type Foreign struct{ name string }

func (f *Foreign) Error() string {
	return fmt.Sprintf("refused: %s: a seeded build, which protects nobody, did not begin this ledger", f.name)
}

// ExitCode returns the exit code for a refusal.
func (*Foreign) ExitCode() int { return refused }

// Check refuses a ledger that no seeded build began.
func Check(name, id string) error {
	if !strings.HasPrefix(id, begun) {
		return &Foreign{name}
	}
	return nil
}
