package endtoend

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/crash"
)

// TestOrderOfDurability follows one run of each variant that nobody kills. Before each charge its release is stored and
// durable, and before each byte of the output so is its charge: see victim.order. A kill cannot show that, for the
// system keeps what a killed process wrote. TestCrash checks it in runs that are killed, too.
func TestOrderOfDurability(t *testing.T) {
	for _, v := range variants(t) {
		if v.every {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			victim, err := newVictim(v, "privatize", memory(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			b := &boundary{victim: victim}
			var calls []string
			output, _, err := victim.trace(func(s *crash.Stop) (bool, error) {
				place := victim.place(&s.Call)
				if s.After && place != "" && s.Name != "close" && !strings.HasPrefix(s.Name, "read") {
					calls = append(calls, fmt.Sprintf("%s %s", s.Name, place))
				}
				return b.visit(s)
			})
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if v.file {
				err = victim.sight("at the end")
			} else {
				err = victim.look([][]byte{output}, "at the end")
			}
			if err == nil {
				err = victim.judge()
			}
			if err != nil {
				t.Error(err)
			}
			lines := v.rounds
			if v.mechanism != event.None {
				lines++ // the grant
			}
			if victim.checked["ledger"] != lines || victim.checked["output"] < 1 {
				t.Errorf("checked %v, want %d writes to the ledger, and some to the output", victim.checked, lines)
			}
			t.Log(strings.Join(calls, "; "))
		})
	}
}
