package choose

import (
	"fmt"
	"math"

	"privpipe/pipelines/event"
)

// Purpose is that of the throw for the rounds of a run by a scheme, over units of a kind (event.Document, event.User): all
// by which a ledger keeps throws apart, so that with one secret another run, rate, size, population or number of rounds gets
// coins of its own, and a name of its own. run may be empty, but have no newline. So has another rule by which documents were
// cut into words, named by the settings of their stream: names by content follow from it, so by another rule the same document
// would be thrown a second time under another name.
//
// The corpus is no part of it: the name is public, and must not tell that a document came or went.
func Purpose(scheme event.Scheme, run, unit string, settings []byte) string {
	purpose := fmt.Sprintf("run %s\nunit %s\n%s rate %016x size %d population %d rounds %d", run, unit,
		scheme.Method, math.Float64bits(scheme.Rate), scheme.Size, scheme.Population, scheme.Rounds)
	if len(settings) > 0 { // streams of before there were any keep their coins
		purpose += fmt.Sprintf("\nsettings %x", settings)
	}
	return purpose
}
