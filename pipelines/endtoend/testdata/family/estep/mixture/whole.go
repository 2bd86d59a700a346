package mixture

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// whole is an E-step that takes documents in order and counts the clusters on the way. So each draw depends on the
// draws before it.
type whole struct{ Model }

// Draws implements model.Drawer.
func (w *whole) Draws() float64 { return 0 }

// ContributeAll implements model.Whole.
func (w *whole) ContributeAll(documents []*wire.Document, last [][]*wire.Part,
	coins []*model.Coins) ([][]*wire.Part, error) {
	taken := make([]float64, w.size.Components)
	all := make([][]*wire.Part, len(documents))
	for i, d := range documents {
		words := wire.AppendIDs(nil, d.WordGaps)
		if len(words) == 0 {
			continue
		}
		p := worker{&w.Model}.posterior(words)
		total := 0.0
		for k := range p {
			p[k] *= 10 + taken[k]
			total += p[k]
		}
		for k := range p {
			p[k] /= total
		}
		cluster, err := draw(p, coins[i])
		if err != nil {
			return nil, err
		}
		taken[cluster]++
		all[i] = parts(cluster, words)
	}
	return all, nil
}
