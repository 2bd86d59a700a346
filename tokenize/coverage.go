package main

import (
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
)

// The tallies in which a stream of documents states how much of their text it holds. Repeated words count each time.
const (
	tallyTokens = "tokens"       // words of the texts, also words outside the vocabulary
	tallyKnown  = "known_tokens" // words of the texts that are in the vocabulary, and so in the documents
	tallyStop   = "stop_tokens"  // stop words of the texts that are not in the vocabulary; absent if there are none
)

// coverage are the tallies of a stream.
func coverage(of bag.Words) []*wire.Tally {
	all := []*wire.Tally{{Name: tallyTokens, Value: of.All}, {Name: tallyKnown, Value: of.Known}}
	if of.Stop > 0 {
		all = append(all, &wire.Tally{Name: tallyStop, Value: of.Stop})
	}
	return all
}

// leastCoverage is the default of check --min-coverage; below it, tokenize text warns.
const leastCoverage = 0.4
