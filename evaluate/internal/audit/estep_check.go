package audit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

const (
	witnesses = 200 // documents in the checks: several batches for one worker
	copies    = 20  // witnesses with the same words
	longText  = 30  // the most words in a witness
)

// witnesses returns documents with random words. The first documents are copies of one document.
func (a *chainAudit) witnesses() []text {
	var all []text
	for i := range witnesses {
		d := text{fmt.Sprintf("witness %d", i), make([]int, a.words())}
		switch {
		case i == 0 || i >= copies:
			for range longText - rand.IntN(longText)*min(i, 1) {
				d.counts[rand.IntN(a.words())]++
			}
		default:
			d.counts = all[0].counts
		}
		all = append(all, d)
	}
	return all
}

// changed returns every second document, and a round with these documents in another order. Of the other documents,
// half are missing from the round, and half have other words.
func (a *chainAudit) changed(documents []text) (kept, round []text) {
	for i, d := range documents {
		switch i % 4 {
		case 0, 2:
			kept = append(kept, d)
			round = append(round, d)
		case 1:
			counts := slices.Clone(d.counts)
			counts[0], counts[len(counts)-1] = counts[len(counts)-1]+2, counts[0]+1
			round = append(round, text{d.id, counts})
		}
	}
	slices.Reverse(round)
	return kept, round
}

// counted runs a chain for a check, and adds it to the result's runs and rounds.
func (a *chainAudit) counted(ctx context.Context, home string, key []byte, documents []text) (*chain, error) {
	a.result.Runs++
	a.result.Rounds += len(a.weights)
	return a.chain(ctx, home, key, documents)
}

// check compares the binary's answers to the same documents. independent says that the rounds are not marked as
// coupled.
func (a *chainAudit) check(ctx context.Context) (independent bool, err error) {
	documents, key := a.witnesses(), newKey()
	first, err := a.counted(ctx, "first", key, documents)
	if err != nil {
		return false, err
	}
	again, err := a.counted(ctx, "again", key, documents)
	if err != nil {
		return false, err
	}
	if !same(first, again, documents) {
		return false, fault{errors.New("rounds that are delivered again under the same key have other topics")}
	}
	if a.mild {
		if err := a.checkCoins(ctx, first, documents); err != nil {
			return false, err
		}
	}
	if first.coupled {
		return false, first.late
	}
	kept, round := a.changed(documents)
	beside, err := a.counted(ctx, "beside", key, round)
	if err != nil {
		return false, err
	}
	if !same(first, beside, kept) {
		return false, fault{errors.New("the topics of a document depend on other documents, in rounds that are not " +
			"marked as coupled")}
	}
	return true, first.late
}

// checkCoins compares topics that must be drawn by different coins. Under mild weights no draw is nearly certain. So a
// sound sampler draws the same topics with probability below 1e-9.
func (a *chainAudit) checkCoins(ctx context.Context, first *chain, documents []text) error {
	other, err := a.counted(ctx, "other", newKey(), documents)
	if err != nil {
		return err
	}
	if same(first, other, documents) {
		return fault{errors.New("topics do not depend on the key")}
	}
	for _, counts := range first.counts {
		for _, d := range documents[1:copies] {
			if !slices.Equal(counts[d.id], counts[documents[0].id]) {
				return nil
			}
		}
	}
	return fault{errors.New("documents with the same words have the same topics")}
}

// same says whether two chains have the same counts for the given documents in all rounds.
func same(a, b *chain, documents []text) bool {
	for round := range a.counts {
		for _, d := range documents {
			if !slices.Equal(a.counts[round][d.id], b.counts[round][d.id]) {
				return false
			}
		}
	}
	return true
}
