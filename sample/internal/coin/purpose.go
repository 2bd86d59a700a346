package coin

import (
	"fmt"
	"math"

	"privpipe/pipelines/event"
)

// Purpose separates one throw from all others. It names the run, the scheme and the kind of unit (event.Document,
// event.User). It holds everything that a ledger distinguishes throws by. With one secret, another run, rate, size,
// population or number of rounds gets other coins and another name. run may be empty, but must not contain a newline.
// The number of epochs of an allocation is its rate times its number of rounds.
//
// The stream's settings are included too. They name the rule that cut documents into words, and names by content depend
// on this rule. Under another rule the same document would be thrown a second time under another name.
//
// The corpus is not included. The throw's name is public, and must not reveal that a document was added or removed.
func Purpose(scheme event.Scheme, run, unit string, settings []byte) string {
	purpose := fmt.Sprintf("run %s\nunit %s\n%s rate %016x size %d population %d rounds %d", run, unit,
		scheme.Method, math.Float64bits(scheme.Rate), scheme.Size, scheme.Population, scheme.Rounds)
	if scheme.Method == event.Poisson {
		// The rule of Group. Coins under older names, without this line, were thrown by another rule.
		purpose += "\ngroups of 4 rounds"
	}
	if len(settings) > 0 { // older streams without settings keep their coins
		purpose += fmt.Sprintf("\nsettings %x", settings)
	}
	return purpose
}
