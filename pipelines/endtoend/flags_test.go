package endtoend

import "testing"

// TestFlags: no command has more than 32 flags of its own, besides those that all commands share. A reader of --help
// cannot tell which of so many go together, and a command with modes needs a rule for each pair of them. A flag that
// only one mode takes belongs to a command for that mode.
func TestFlags(t *testing.T) {
	const most = 32
	folder, found := t.TempDir(), 0
	for _, program := range []string{"tokenize", "sample", "estep", "privatize", "mstep", "account", "evaluate"} {
		eachCommand(t, folder, program, func(command string, own []string) {
			if command == program && program != "sample" {
				return // what all its commands share
			}
			found += len(own)
			if len(own) > most {
				t.Errorf("%s has %d flags of its own, the most is %d: give a mode that few use a command of its own",
					command, len(own), most)
			}
		})
	}
	if found < 300 {
		t.Errorf("%d flags are found", found)
	}
}
