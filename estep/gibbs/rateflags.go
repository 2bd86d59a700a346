package gibbs

import "cmp"

// Rates are the flags for a Subsampling.
type Rates struct {
	WordRate  float64 `default:"1" group:"Subsampling" placeholder:"G" help:"Draw the topic of a token again with probability G in each sweep; the others keep theirs (SUB-LDA). It saves time, and amplifies no guarantee."`
	Adaptive  float64 `group:"Subsampling" placeholder:"V" help:"Draw tokens of words that are frequent in their topic with probability V times --word-rate, and others with --least-rate."`
	Frequent  float64 `group:"Subsampling" placeholder:"Q" help:"With --adaptive: the likeliest words of a topic that together have this share of it are frequent (default 0.5)."`
	LeastRate float64 `zero:"" group:"Subsampling" placeholder:"R" help:"With --adaptive: the probability of the other words (default 0, which estep collapsed alone takes)."`
}

// subsampling returns what the flags describe.
func (r *Rates) subsampling() Subsampling {
	if r.Adaptive != 0 {
		r.Frequent = cmp.Or(r.Frequent, 0.5)
	}
	return Subsampling{Rate: r.WordRate, Adaptive: r.Adaptive, Frequent: r.Frequent, Least: r.LeastRate}
}
