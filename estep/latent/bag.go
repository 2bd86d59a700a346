package latent

import (
	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A Bag is a bag of words.
type Bag struct {
	IDs    []uint32 // ascending
	Counts []uint32 // of each word, at least 1
	Tokens uint64   // sum of the counts
}

// BagOf returns the document's words.
func BagOf(d *wire.Document) Bag {
	b := Bag{IDs: wire.AppendIDs(nil, d.WordGaps), Counts: d.Counts}
	for _, c := range d.Counts {
		b.Tokens += uint64(c)
	}
	return b
}

// mostCoins is the largest count for one word that throws a coin for each token. For larger counts the number of heads
// is drawn at once, since a document may have millions of one word.
const mostCoins = 256

// Halves assigns each token to the observed half or to the predicted half by a coin, for document completion (Wallach
// et al., Evaluation Methods for Topic Models, ICML 2009, §5.1; Rosen-Zvi et al. 2004). The document's words and counts
// seed the coins, so that its score is the same under every id. (A score is no contribution, and no ε covers it.)
func Halves(d *wire.Document) (seen, hidden Bag) {
	coins := (&model.Coins{Document: d}).Public("lda half")
	ids := wire.AppendIDs(nil, d.WordGaps)
	for i, c := range d.Counts {
		s := uint32(0)
		if c > mostCoins {
			s = uint32(distuv.Binomial{N: float64(c), P: 0.5, Src: coins}.Rand())
		} else {
			for range c {
				s += uint32(coins.Uint64() >> 63)
			}
		}
		seen.add(ids[i], s)
		hidden.add(ids[i], c-s)
	}
	return seen, hidden
}

func (b *Bag) add(id, count uint32) {
	if count > 0 {
		b.IDs = append(b.IDs, id)
		b.Counts = append(b.Counts, count)
		b.Tokens += uint64(count)
	}
}
