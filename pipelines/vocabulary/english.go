package vocabulary

import (
	_ "embed"
	"slices"
	"strings"
)

// englishText is the default vocabulary. `tokenize vocab` made it from 30,729 articles of English Wikipedia, a public text: the
// 8,000 commonest words among those in at least 20 articles and at most a tenth of the articles, the commonest first.
//
//go:embed english.txt
var englishText string

// English returns the default vocabulary: 8,000 words of English Wikipedia.
func English() Words { return slices.Collect(strings.FieldsSeq(englishText)) }

// OpenOrEnglish reads the vocabulary in a file, or returns the default for "".
func OpenOrEnglish(name string) (Words, error) {
	if name == "" {
		return English(), nil
	}
	return Open(name)
}
