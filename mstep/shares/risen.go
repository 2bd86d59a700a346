package shares

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Risen is a word that a topic has more often in a window than the windows before explain.
type Risen struct {
	Window   string
	Topic    int
	Word     int
	Expected float64 // its count by the windows before, if the topic is as large as in this one
	Released float64
	Least    float64 // the least count that is news
}

// risen compares a window with those before it, and returns the words that rose, topic by topic.
//
// If a topic's words have not changed, a cell has the mean m = r·M. M is the mean of the windows before, and r the
// ratio of the topic's sizes. The difference varies by the noise in both, by r, and by the documents. A contribution
// has a norm of at most 1, and its cells are in [0, 1]. A sum of such cells with the mean m has at most the variance m
// and the third cumulant m. The threshold is the quantile by Cornish and Fisher, as in Test.change, for all cells
// together (Šidák). So a window without news has a word with at most about the probability Rate. The approximation is
// good for noise of 1 and more; TestRisenRate has the numbers.
func (f *Follower) risen(w Window) []Risen {
	if f.windows == 0 || f.Rate == 0 {
		return nil
	}
	var all []Risen
	z := distuv.UnitNormal.Quantile(math.Pow(1-f.Rate, 1/float64(len(f.sum))))
	noise, before := w.Deviation*w.Deviation, f.variance/(f.weight*f.weight)
	// The decayed mean has 1/windows of one window's variance by documents.
	windows := f.weight * f.weight / f.squares
	sizes, past := f.sizes(w.Sums), f.sizes(f.sum)
	for k := range sizes {
		sumsBefore, sums := f.row(f.sum, k), f.row(w.Sums, k)
		u := f.sizeVariance(k, sums, 1, noise, 1) / (sizes[k] * sizes[k])
		u += f.sizeVariance(k, sumsBefore, f.weight, before, windows) * f.weight * f.weight / (past[k] * past[k])
		if u > 1.0/(enough*enough) {
			continue // noise hides the ratio of sizes
		}
		r := sizes[k] / (past[k] / f.weight)
		for v, y := range sums {
			m := max(r*sumsBefore[v]/f.weight, 0)
			ofMean := r*r*before + m*m*u + m*r/windows
			// The mean has an error. Two deviations make up for means that are estimated too low.
			most := m + 2*math.Sqrt(ofMean)
			second := noise + ofMean + most
			if second == 0 {
				continue
			}
			least := m + z*math.Sqrt(second) + (z*z-1)*most/(6*second)
			if y > least {
				all = append(all, Risen{w.Name, k, v, m, y, least})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Risen) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(b.Released-b.Expected, a.Released-a.Expected))
	})
	return all
}

// sizeVariance is the variance of a topic's mean size over some windows. Sums over weight are the means of cells.
func (f *Follower) sizeVariance(k int, sums []float64, weight, noise, windows float64) (variance float64) {
	squares := 0.0
	for v, b := range f.row(f.Start, k) {
		variance += b * b * (noise + max(sums[v]/weight, 0)/windows)
		squares += b * b
	}
	return variance / (squares * squares)
}

// news returns a line for each word, for people.
func news(risen []Risen, names, words []string) []byte {
	var b []byte
	for _, r := range risen {
		b = fmt.Appendf(b, "%s: %s has more %s: about %.0f, where %.0f were expected\n", r.Window, names[r.Topic],
			words[r.Word], r.Released, r.Expected)
	}
	return b
}

// writeRisen writes words as a table, with six digits, since the noise hides the rest.
func writeRisen(to io.Writer, risen []Risen, names, words []string) error {
	out := csv.NewWriter(to)
	if err := out.Write([]string{"window", "topic", "name", "word", "expected", "released", "least"}); err != nil {
		return err
	}
	for _, r := range risen {
		line := []string{r.Window, strconv.Itoa(r.Topic), names[r.Topic], words[r.Word]}
		for _, x := range []float64{r.Expected, r.Released, r.Least} {
			line = append(line, strconv.FormatFloat(x, 'g', 6, 64))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
