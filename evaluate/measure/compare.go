package measure

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/modelfile"
)

// Compare matches the topics of two models.
type Compare struct {
	Distance string `enum:"jensen-shannon,cosine" default:"jensen-shannon" help:"Measure the distance of two topics in [0, 1] by ${enum}. jensen-shannon: the square root of the divergence in bits; cosine: 1 minus the cosine."`
	Top      int    `default:"5" help:"Print this many words of each topic."`
	ofModels `set:"form=a table"`
}

// Validate is kong's hook.
func (c *Compare) Validate() error { return checkTop(c.Top, 1) }

// A match pairs a topic of model A with a topic of model B. One of them is nil if the other has no partner.
type match struct {
	A        *topic   `json:"a"`
	B        *topic   `json:"b"`
	Distance *float64 `json:"distance"`
}

// Run is kong's hook.
func (c *Compare) Run(r *filter.Run) error {
	distance := score.JensenShannon
	if c.Distance == "cosine" {
		distance = score.Cosine
	}
	return c.run(r, func(a, b *modelfile.Topics) *result.Result {
		return compared(c.Distance, matches(a, b, c.Top, probabilities, distance))
	})
}

// matches pairs the topics of two models so that the distances have the least sum. A distance compares what of returns
// for each topic. The nearest pair comes first. After the pairs come the topics without a partner, the largest first.
func matches[T any](a, b *modelfile.Topics, top int, of func(*modelfile.Topics) []T,
	distance func(x, y T) float64) []match {
	small, large := a, b
	if a.Number > b.Number {
		small, large = b, a
	}
	p, q := of(small), of(large)
	cost := make([][]float64, small.Number)
	for i := range cost {
		cost[i] = make([]float64, large.Number)
		for j := range cost[i] {
			cost[i][j] = distance(p[i], q[j])
		}
	}
	partner := make([]int, large.Number) // of each topic of large
	for j := range partner {
		partner[j] = -1
	}
	for i, j := range score.Matching(cost) {
		partner[j] = i
	}

	few := make([]*topic, small.Number)
	ranked := rank(small, modelfile.DefaultLambda, top)
	for i := range ranked {
		few[ranked[i].Topic] = &ranked[i]
	}
	var pairs, single []match
	for _, t := range rank(large, modelfile.DefaultLambda, top) {
		m := match{B: &t}
		if i := partner[t.Topic]; i >= 0 {
			m.A, m.Distance = few[i], &cost[i][t.Topic]
		}
		if small == b {
			m.A, m.B = m.B, m.A
		}
		if m.Distance != nil {
			pairs = append(pairs, m)
		} else {
			single = append(single, m)
		}
	}
	slices.SortStableFunc(pairs, func(x, y match) int { return cmp.Compare(*x.Distance, *y.Distance) })
	return append(pairs, single...)
}

// probabilities returns each topic's distribution over words.
func probabilities(t *modelfile.Topics) [][]float64 {
	all := make([][]float64, t.Number)
	for k := range all {
		total := 0.0
		for _, l := range t.Row(k) {
			total += l
		}
		for _, l := range t.Row(k) {
			all[k] = append(all[k], l/total)
		}
	}
	return all
}

// compared returns matches, and the mean of their distances, as a result.
func compared(distance string, all []match) *result.Result {
	mean, pairs := 0.0, 0
	for _, m := range all {
		if m.Distance != nil {
			mean += *m.Distance
			pairs++
		}
	}
	mean /= float64(pairs)
	return &result.Result{
		JSON: map[string]any{"distance": distance, "mean": mean, "topics": all},
		Text: func(w io.Writer) {
			printMatches(w, all)
			fmt.Fprintf(w, "%.3f\tmean of %d pairs\n", mean, pairs)
		},
	}
}

func printMatches(w io.Writer, all []match) {
	fmt.Fprintf(w, "distance\tA\tshare\twords\tB\tshare\twords\n")
	for _, m := range all {
		if m.Distance == nil {
			fmt.Fprint(w, "-")
		} else {
			fmt.Fprintf(w, "%.3f", *m.Distance)
		}
		for _, t := range []*topic{m.A, m.B} {
			if t == nil {
				fmt.Fprint(w, "\t-\t\t")
				continue
			}
			words := make([]string, len(t.Words))
			for i, x := range t.Words {
				words[i] = x.Word
			}
			fmt.Fprintf(w, "\t%d\t%.1f%%\t%s", t.Topic, 100*t.Share, strings.Join(words, " "))
		}
		fmt.Fprintln(w)
	}
}
