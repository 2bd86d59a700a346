package pld_test

import (
	"fmt"

	"privpipe/account/internal/pld"
)

// The example prints the cost of 64 rounds with Gaussian noise of multiplier 2. Secret coins of rate 0.25 choose who
// takes part in a round.
func Example() {
	round, err := pld.Gaussian(0.25, 2)
	if err != nil {
		panic(err)
	}
	loss, err := pld.New([]pld.Event{{Pair: round, Count: 64}}, pld.Options{})
	if err != nil {
		panic(err)
	}
	upper, lower, err := loss.Epsilon(1e-6)
	if err != nil {
		panic(err)
	}
	fmt.Printf("ε is in [%.3f, %.3f] at δ = 1e-6\n", lower, upper)
	// Output: ε is in [5.708, 5.712] at δ = 1e-6
}
