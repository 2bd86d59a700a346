package words

import (
	"crypto/sha256"
	"fmt"

	"privpipe/tokenize/internal/plain"
)

// Newest is the number of the newest rule.
const Newest = 2

// A Rule says how texts are cut into words.
type Rule struct {
	Number  int         // 0 is 1
	Keep    plain.Kinds // what the second rule leaves in texts
	Phrases *Phrases    // the phrases that Words joins; nil: none
}

func (r Rule) second() bool { return r.Number >= 2 }

// names are the rules' names in settings. A rule never changes: another rule has another number and name, and
// TestSettings notices a change. An older rule, with runs of letters and marks, came before rule 1. So the names are
// one ahead of the numbers.
var names = [...]string{1: "privpipe words 2", 2: "privpipe words 3"}

// Settings identifies the rule in a document stream's header: its number, the kinds that it keeps, and the phrases in
// any order. Names by content depend on all.
func (r Rule) Settings() []byte {
	all := []byte(names[max(1, r.Number)])
	if r.Keep != 0 {
		all = fmt.Appendf(all, "\nkeep %s", r.Keep)
	}
	if r.Phrases != nil {
		all = append(append(all, "\nphrases\n"...), r.Phrases.hash[:]...)
	}
	sum := sha256.Sum256(all)
	return sum[:]
}
