package loss

import (
	"math"
	"testing"
)

// TestRoundsUp: results are not below the true ones, and are the next number above where these are none.
func TestRoundsUp(t *testing.T) {
	if third := quotientUp(1, 3); third*3 < 1 || third <= 1.0/3 {
		t.Errorf("1/3 is %v", third)
	}
	if sum := addUp(1, 1e-300); sum != math.Nextafter(1, 2) {
		t.Errorf("1 and very little are %v", sum)
	}
	if product := timesUp(3, 1.0/3); product < 1 {
		t.Errorf("3 times a third is %v", product)
	}
}
