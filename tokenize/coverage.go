package main

import "privpipe/pipelines/wire"

// The tallies in which a stream of documents states how much of their text it holds. Repeated words count each time.
const (
	tallyTokens = "tokens"       // words of the texts, also words outside the vocabulary
	tallyKnown  = "known_tokens" // words of the texts that are in the vocabulary, and so in the documents
)

// coverage are the tallies of a stream.
func coverage(tokens, known uint64) []*wire.Tally {
	return []*wire.Tally{{Name: tallyTokens, Value: tokens}, {Name: tallyKnown, Value: known}}
}

// leastCoverage is the default of check --min-coverage; below it, tokenize text warns. The table has the share of words that
// pipelines/recipes/vocabulary-en.txt covers: 8,000 English words, none of them in more than a tenth of its documents.
//
//	Blogs 0.33, 20 Newsgroups 0.33, medical transcripts 0.33, Reddit 0.35, comments in Go's source 0.35,
//	Stack Exchange 0.36, Wikipedia 0.37, manual pages 0.40, NIPS abstracts 0.41, Enron mails 0.41
//
//	manual pages of Debian 12, which quote English: German 0.20, French 0.17, Chinese 0.09, Japanese 0.07
//
//	messages of its programs: French 0.14, German 0.14, Italian 0.11, Dutch 0.11, Spanish 0.08, Swedish 0.08, Danish 0.08,
//	Portuguese 0.07, Turkish 0.05, Polish 0.05, Finnish 0.05, Korean 0.04, Russian 0.03, Japanese 0.03, Chinese 0.03, Thai 0.01
//
// Over other vocabularies of 8,000 words, the least share of English text is 0.28 (dictnostops.txt on the comments) and the
// largest share of another language is 0.21. Of Reddit's words, 2,000 words cover 0.21 to 0.26 and 1,000 words 0.15 to 0.20.
const leastCoverage = 0.25

// covered is the share of words that a vocabulary has; 0 where there are no words.
func covered(tokens, known uint64) float64 {
	if tokens == 0 {
		return 0
	}
	return float64(known) / float64(tokens)
}
