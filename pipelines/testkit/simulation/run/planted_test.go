package run

import (
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/mutants"
	"privpipe/pipelines/testkit/simulation/planted"
)

// all returns the mutants that a scenario of the simulation must find.
func all(t *testing.T) []*mutants.Mutant {
	t.Helper()
	every, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(every, func(m *mutants.Mutant) bool { return m.Scenario == "" })
}

// sure is how many seeds are tried before a planted fault counts as not found.
const sure = 300

// TestPlanted: the simulation finds each planted fault. It tries the seed that the mutant names first. The seeds change
// with the number of effects of a stage.
func TestPlanted(t *testing.T) {
	machine(t)
	shorten := testkit.Repeats(t, "simulate", 0, 1) > 0 // not in the gate: a run that is stuck takes seconds
	some := all(t)
	if len(some) < 20 {
		t.Errorf("%d planted faults", len(some))
	}
	for i, m := range some {
		s := scenarios[m.Scenario]
		if s == nil {
			t.Fatalf("%s: there is no scenario %q", m.Name, m.Scenario)
		}
		tries := 0
		for seed := m.Seed; ; seed = uint64(tries - 1) {
			schedule := s.Plan(t, seed)
			planted.Number = i + 1
			result := s.Run(t, schedule, false)
			if result.Err != nil && shorten {
				schedule, result = s.Shorten(t, schedule)
			}
			planted.Number = 0
			if result.Err != nil {
				if sound := s.Run(t, schedule, false); sound.Err != nil {
					t.Fatalf("%s, %s: fails without a planted fault, too: %v", m.Scenario, schedule, sound.Err)
				}
				message, _, _ := strings.Cut(result.Err.Error(), "\n")
				t.Logf("%s: %s, %s: %s", m.Name, m.Scenario, schedule, message)
				break
			}
			if tries++; tries == sure {
				t.Errorf("%s: not found by %d schedules of %s", m.Name, sure, m.Scenario)
				break
			}
		}
	}
}
