package source

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// audited holds the folder of a replay audit, evaluate replay. Below it, "own" gets the outputs of mechanisms, and
// "history" has the releases of the first run.
const audited = "PRIVPIPE_REPLAY"

// An output of a mechanism: Output itself, and the exact numbers that the noise does not let compare.
type frozen[T any] struct {
	Exact  any `json:"exact,omitempty"`
	Output T   `json:"output"`
}

// Frozen stands where a mechanism's output comes about. In a replay audit it keeps the output under a name, and returns
// the output of the first run. So everything after it depends on the first run's outputs and public settings only.
func Frozen[T any](output T, exact any, name ...any) T {
	folder := os.Getenv(audited)
	if folder == "" {
		return output
	}
	own := filepath.Join(folder, "own", url.PathEscape(fmt.Sprint(name...)))
	for exists(own) {
		own += "+" // the same round once more
	}
	content, err := json.Marshal(frozen[T]{exact, output})
	if err == nil {
		err = os.WriteFile(own, content, 0o600)
	}
	var first frozen[T]
	if err == nil {
		content, err = os.ReadFile(filepath.Join(folder, "history", filepath.Base(own)))
		if errors.Is(err, fs.ErrNotExist) { // this is the first run, or it released less
			return output
		}
	}
	if err == nil {
		err = json.Unmarshal(content, &first)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: error: a seeded build, which protects nobody: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(usage)
	}
	return first.Output
}

// Votes returns the weights of words, by the words, before they get noise.
func Votes(words []string, weights []int64) map[string]int64 {
	votes := make(map[string]int64)
	for i, word := range words {
		votes[word] = weights[i]
	}
	return votes
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Now is time.Now. In a replay audit time stands still, since lines of ledgers have the time.
func Now() time.Time {
	if os.Getenv(audited) != "" {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Now()
}

// named counts the names that this process drew.
var named int

// name returns a name that depends on the process's purpose, and ok only in a replay audit, where two runs must have
// the same names.
func name() (digest [sha256.Size]byte, ok bool) {
	if os.Getenv(audited) == "" {
		return digest, false
	}
	named++
	return sha256.Sum256(fmt.Append(nil, purpose(), named)), true
}

// text returns the name as crypto/rand.Text would write it.
func text(digest [sha256.Size]byte) string { return base32.StdEncoding.EncodeToString(digest[:])[:26] }
