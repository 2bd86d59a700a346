package job

import (
	"fmt"

	"privpipe/pipelines/metrics"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// answerAll answers all documents in a coupled round together. It holds them in memory.
func (t *trainer) answerAll(whole model.Whole, round uint32, next func() (*batch, bool, error),
	write func(answer) error) error {
	var all []*wire.Document
	for {
		b, more, err := next()
		if err != nil {
			return err
		}
		if all = append(all, b.documents...); !more {
			break
		}
	}
	metrics.Documents(len(all))
	t.meter.Documents.Add(int64(len(all)))
	contributions, last, coins := make([]*wire.Contribution, len(all)), make([][]*wire.Part, len(all)),
		make([]*model.Coins, len(all))
	for i, d := range all {
		contributions[i] = t.contribution(d)
		last[i] = t.state.lastOf(contributions[i])
		c := t.coins(round)
		c.Document = d
		coins[i] = &c
	}
	parts := last
	if !t.state.has(round) {
		var err error
		if parts, err = whole.ContributeAll(all, last, coins); err != nil {
			return err
		}
	}
	if len(parts) != len(all) {
		panic(fmt.Sprintf("%d contributions of %d documents", len(parts), len(all)))
	}
	a := answering{t: t, round: round, to: t.out.Framer().Batcher()}
	for i, c := range contributions {
		if err := a.add(c, parts[i]); err != nil {
			return err
		}
	}
	return write(a.answer())
}
