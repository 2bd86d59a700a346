package renyi

import (
	"math"
	"testing"
)

// TestResponse compares with the sum over the buckets, with Mironov 2017, proposition 5, for two buckets, and with the
// ends.
func TestResponse(t *testing.T) {
	for _, loss := range []float64{1e-6, 0.3, 2, 9} {
		for _, buckets := range []int{2, 3, 10, 100_000} {
			b := 1 / (math.Exp(loss) + float64(buckets-1))
			last := 0.0
			for _, alpha := range []float64{1 + 1e-6, 1.5, 2, 7, 40} {
				sum := math.Exp(alpha*loss)*b + math.Exp((1-alpha)*loss)*b + float64(buckets-2)*b
				want, got := math.Log(sum)/(alpha-1), Response(loss, buckets, alpha)
				// The reference cancels: its error is 1e-16 of the sum, over α−1.
				if room := 1e-12*want + 1e-14/(alpha-1); math.Abs(got-want) > room || !(got >= last && got <= loss) {
					t.Errorf("loss %v, %d buckets: ρ(%v) is %v, want %v; %v at a smaller order", loss, buckets, alpha,
						got, want, last)
				}
				pair, room := RandomizedResponse(loss, alpha), 2e-14*loss // which that one is rounded up by
				if buckets == 2 && math.Abs(got-pair) > room+1e-12*got || got > pair*(1+1e-12)+room {
					t.Errorf("loss %v, %d buckets: ρ(%v) is %v, of two %v", loss, buckets, alpha, got, pair)
				}
				last = got
			}
			if got := Response(loss, buckets, math.Inf(1)); got != loss {
				t.Errorf("loss %v: ρ(∞) is %v", loss, got)
			}
			if far := Response(loss, buckets, 1e6); !(far >= last && far <= loss) {
				t.Errorf("loss %v, %d buckets: ρ(10⁶) is %v", loss, buckets, far)
			}
		}
	}
	if got := Response(0, 5, 2); got != 0 {
		t.Errorf("no loss: %v", got)
	}
}
