package page

import (
	"fmt"
	"math"

	"privpipe/pipelines/chart"
)

// Perplexity is a model's per-word perplexity on held-out documents, round by round.
type Perplexity struct {
	Measure string // by the variational bound, or by document completion
	Source  string
	Private bool // no budget covers these numbers
	Rounds  []RoundPerplexity
	Uniform int
	Chart   *Chart // nil for a single round
}

// A RoundPerplexity is the perplexity under one round's parameters, beside the perplexity of word frequencies.
type RoundPerplexity struct {
	Round          uint32
	Documents      uint64
	Model, Unigram float64
}

// Poor says whether word frequencies predict the text as well as the model or better.
func (r RoundPerplexity) Poor() bool { return !(r.Model < r.Unigram) }

// Last returns the last round.
func (p *Perplexity) Last() RoundPerplexity { return p.Rounds[len(p.Rounds)-1] }

// Draw makes the chart if there are several rounds.
func (p *Perplexity) Draw() {
	if len(p.Rounds) < 2 {
		return
	}
	model, unigram := series{name: "model", class: "first"}, series{name: "unigram", class: "second"}
	low, high := math.Inf(1), float64(p.Uniform)
	for _, r := range p.Rounds {
		if math.IsInf(r.Model, 0) || math.IsInf(r.Unigram, 0) {
			return
		}
		model.x, model.y = append(model.x, float64(r.Round)), append(model.y, r.Model)
		unigram.x, unigram.y = append(unigram.x, float64(r.Round)), append(unigram.y, r.Unigram)
		low, high = min(low, r.Model, r.Unigram), max(high, r.Model, r.Unigram)
	}
	x := chart.Axis{Min: model.x[0], Max: model.x[len(model.x)-1], Counts: true}
	uniform := series{name: fmt.Sprintf("uniform %d", p.Uniform), class: "limit", x: []float64{x.Min, x.Max},
		y: []float64{float64(p.Uniform), float64(p.Uniform)}}
	p.Chart = &Chart{ID: "perplexity-chart", Title: "Perplexity by round", XLabel: "round",
		YLabel: "perplexity, logarithmic",
		Text: fmt.Sprintf("From round %d to round %d the perplexity of the model goes from %.0f to %.0f; at the end "+
			"that of word frequencies is %.0f, "+
			"and of a uniform choice %d.", p.Rounds[0].Round, p.Last().Round, p.Rounds[0].Model, p.Last().Model,
			p.Last().Unigram, p.Uniform)}
	p.Chart.draw(x, chart.Axis{Min: low * 0.9, Max: high * 1.1, Log: true}, []series{model, unigram, uniform})
}
