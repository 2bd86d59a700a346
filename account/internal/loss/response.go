package loss

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// RandomizedResponse reports which of several buckets a value is in. With probability 1−Noise it reports the true
// bucket, otherwise any bucket, all with equal probability. Neighbours differ in the value.
type RandomizedResponse struct {
	Noise   float64
	Buckets int
}

var randomizedResponseKind = &Kind{
	Name: "randomized response", Class: "RandomizedResponseDpEvent", DpEvent: readResponse,
	Types: []string{"randomized_response"}, Event: readResponse,
	ReplaceOnly: "the number of reports is public",
	Curves:      []Theorem{{"randomized response over buckets (three ratios, package renyi)", nil}},
	Pairs:       []Theorem{{"randomized response over buckets (three points, package pld)", nil}},
}

// readResponse reads randomized response with noise parameter p on k buckets. The true bucket is reported with
// probability 1−p+p/k, and each other bucket with probability p/k.
func readResponse(f Fields, _ Neighbours) Mechanism {
	return RandomizedResponse{Noise: f.Within("noise_parameter", 0, 1),
		Buckets: f.Whole("num_buckets", 2, math.MaxInt32)}
}

func (RandomizedResponse) Kind() *Kind { return randomizedResponseKind }

func (m RandomizedResponse) String() string {
	return fmt.Sprintf("randomized response(%v, %d)", m.Noise, m.Buckets)
}

func (m RandomizedResponse) Check() error {
	if !(m.Noise >= 0 && m.Noise <= 1) {
		return fmt.Errorf("noise of randomized response must be in [0, 1], is %v", m.Noise)
	}
	if m.Buckets < 2 || m.Buckets > math.MaxInt32 {
		return fmt.Errorf("buckets of randomized response must be from 2 to %d, are %d", math.MaxInt32, m.Buckets)
	}
	return Pure{m.epsilon()}.Check()
}

// Traits implements Mechanism.
func (m RandomizedResponse) Traits() Traits {
	epsilon := m.epsilon()
	return Traits{
		Curve: func(alpha float64) float64 { return renyi.Response(epsilon, m.Buckets, alpha) },
		Pair: func() (*pld.Pair, error) {
			if epsilon == 0 {
				return nil, nil
			}
			return pld.Response(m.Noise, m.Buckets)
		},
		Attained: always,
		Composed: func(count float64) Approximate { return Approximate{Epsilon: timesUp(count, epsilon)} },
		Pure:     &epsilon,
		DpEvent: func(Neighbours) (string, []any, error) {
			return randomizedResponseKind.Class, []any{"noise_parameter", m.Noise, "num_buckets", m.Buckets}, nil
		},
	}
}

func (m RandomizedResponse) epsilon() float64 { return pld.ResponseLoss(m.Noise, m.Buckets) }
