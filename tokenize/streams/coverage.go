package streams

import (
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
)

// By these tallies a document stream states how much of the text it holds. Repeated words count each time.
const (
	tallyTokens = "tokens"       // words of the texts, also words outside the vocabulary
	tallyKnown  = "known_tokens" // words of the texts that are in the vocabulary, and so in the documents
	tallyStop   = "stop_tokens"  // stop words of the texts that are not in the vocabulary; absent if there are none
)

// Coverage returns these tallies for one stream.
func Coverage(of bag.Words) []*wire.Tally {
	all := []*wire.Tally{{Name: tallyTokens, Value: of.All}, {Name: tallyKnown, Value: of.Known}}
	if of.Stop > 0 {
		all = append(all, &wire.Tally{Name: tallyStop, Value: of.Stop})
	}
	return all
}

// LeastCoverage is the default of check --min-coverage. Below it, tokenize text warns.
const LeastCoverage = 0.4
