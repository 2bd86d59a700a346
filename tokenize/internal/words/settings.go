package words

import "crypto/sha256"

// rule is the version of this package's word rule. It must grow whenever a text is cut into other words than before;
// TestSettings notices. Version 1 was runs of letters and marks.
const rule = "privpipe words 2"

// Settings identifies the word rule in the header of a stream of documents. Names by content depend on the rule.
func Settings() []byte {
	sum := sha256.Sum256([]byte(rule))
	return sum[:]
}
