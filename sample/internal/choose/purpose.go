package choose

import (
	"fmt"
	"math"

	"privpipe/pipelines/event"
)

// Purpose is the purpose of the throw for the rounds of a run by a scheme, over units of a kind (event.Document, event.User). It
// has everything by which a ledger separates throws: with one secret, another run, rate, size, population or number of rounds gets
// other coins and another name. run may be empty, but must not have a newline. The settings of the stream are a part, too: they
// name the rule by which documents are cut into words, and names by content depend on it. By another rule, the same document would
// be thrown a second time under another name. The number of epochs of an allocation is its rate times its number of rounds.
//
// The corpus is not a part. The name of the throw is public, and must not reveal that a document was added or removed.
func Purpose(scheme event.Scheme, run, unit string, settings []byte) string {
	purpose := fmt.Sprintf("run %s\nunit %s\n%s rate %016x size %d population %d rounds %d", run, unit,
		scheme.Method, math.Float64bits(scheme.Rate), scheme.Size, scheme.Population, scheme.Rounds)
	if scheme.Method == event.Poisson {
		purpose += "\ngroups of 4 rounds" // by the rule of coin.Group: other coins under older names were thrown by another rule
	}
	if len(settings) > 0 { // older streams without settings keep their coins
		purpose += fmt.Sprintf("\nsettings %x", settings)
	}
	return purpose
}
