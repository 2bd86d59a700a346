package secret

import (
	"os"
	"testing"
)

func TestExposed(t *testing.T) {
	for _, c := range []struct {
		mode        os.FileMode
		owner, user int
		want        bool
	}{
		{0o600, 7, 7, false}, {0o640, 7, 7, true}, {0o604, 7, 7, true}, {0o640, 8, 7, true}, {0o640, 0, 0, true},
		{0o640, 0, 7, false}, {0o440, 0, 7, false}, {0o644, 0, 7, true}, {0o660, 0, 7, true}, {0o700, 7, 7, false},
	} {
		if got := exposed(c.mode, c.owner, c.user); got != c.want {
			t.Errorf("a file of mode %o and owner %d is open to others than %d: %v", c.mode, c.owner, c.user, got)
		}
	}
}
