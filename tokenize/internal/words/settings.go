package words

import "crypto/sha256"

// rule is the version of this package's word rule. It must grow whenever a text is cut into other words than before;
// TestSettings notices. Version 1 was runs of letters and marks.
const rule = "privpipe words 2"

// Settings identifies the word rule in the header of a stream of documents: the version of the rule, and the phrases, which may
// be nil, in whatever order. Names by content depend on both.
func Settings(phrases *Phrases) []byte {
	all := []byte(rule)
	if phrases != nil {
		all = append(append(all, "\nphrases\n"...), phrases.hash[:]...)
	}
	sum := sha256.Sum256(all)
	return sum[:]
}
