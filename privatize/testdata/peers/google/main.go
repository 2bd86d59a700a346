// Command google prints how many draws a second, on one core, Google's Go noise library makes. Its arguments are a
// mechanism, gaussian or laplace, and a scale.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/google/differential-privacy/go/v3/noise"
)

const (
	draws = 2000 // in one turn
	turns = 25   // the fastest counts: others may use the machine too
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "google:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 2 {
		return fmt.Errorf("%d arguments, not a mechanism and a scale", len(arguments))
	}
	scale, err := strconv.ParseInt(arguments[1], 10, 64)
	if err != nil {
		return err
	}
	best := time.Duration(math.MaxInt64)
	for range turns {
		begin := time.Now()
		for range draws {
			if err := draw(arguments[0], scale); err != nil {
				return err
			}
		}
		best = min(best, time.Since(begin))
	}
	_, err = fmt.Printf("%.0f\n", draws/best.Seconds())
	return err
}

// draw adds noise to an integer, by the only call that the library has for it. The call takes a sensitivity and ε and,
// for Gaussian noise, δ. With ε = 1 the Laplace noise's scale is the sensitivity. With δ = 10⁻⁵ the Gaussian's scale is
// 3.73 times the sensitivity, which the library works out in each call.
func draw(mechanism string, scale int64) error {
	switch mechanism {
	case "laplace":
		_, err := noise.Laplace().AddNoiseInt64(0, 1, scale, 1, 0)
		return err
	case "gaussian":
		_, err := noise.Gaussian().AddNoiseInt64(0, 1, max(1, scale*100/373), 1, 1e-5)
		return err
	}
	return fmt.Errorf("no mechanism %q", mechanism)
}
