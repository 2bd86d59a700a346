package window

import (
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/choose"
	"privpipe/sample/internal/corpus"
)

// A Batch is the documents of a window that is over.
type Batch struct {
	Window    int
	Documents *corpus.Corpus // to be closed by the caller; nil: those of a window that was begun before did not come again
	Units     choose.Set     // that are in this window
}

// A gathering is the documents of a window so far, of each unit each id once: the first that came.
type gathering struct {
	unit      wire.Unit
	corpus    *corpus.Corpus
	documents map[corpus.Key]struct{} // by the keys of their units and ids
	units     map[corpus.Key]struct{} // the same where documents are the units
	ids       []corpus.Key            // where users are the units: the key of each document
}

func gather(unit wire.Unit, memory int64) *gathering {
	g := &gathering{unit: unit, corpus: corpus.New(memory, unit), documents: make(map[corpus.Key]struct{})}
	g.units = g.documents
	if unit == wire.Unit_USER {
		g.units = make(map[corpus.Key]struct{})
	}
	return g
}

// keysOf returns the key of a document, and that of its unit. Ids may be chosen by users, so the one rests on the other: no
// unit's document can be taken for another unit's.
func (g *gathering) keysOf(d *wire.Document) (document, unit corpus.Key) {
	unit = corpus.KeyOf(wire.UnitName(g.unit, d))
	if g.unit == wire.Unit_USER {
		return unit.Document(d.Id), unit
	}
	return unit, unit
}

// add takes a document, unless its unit has one of its id already.
func (g *gathering) add(d *wire.Document) (fresh bool, err error) {
	document, unit := g.keysOf(d)
	if _, known := g.documents[document]; known {
		return false, nil
	}
	g.documents[document], g.units[unit] = struct{}{}, struct{}{}
	if g.unit == wire.Unit_USER {
		g.ids = append(g.ids, document)
	}
	return true, g.corpus.Add(d)
}

func (g *gathering) has(unit corpus.Key) bool {
	_, ok := g.units[unit]
	return ok
}

// batch ends the gathering with the units that count.
func (g *gathering) batch(window int, counts func(unit corpus.Key) bool) (*Batch, error) {
	if err := g.corpus.Seal(); err != nil {
		return nil, err
	}
	b := &Batch{Window: window, Documents: g.corpus, Units: choose.NewSet(len(g.corpus.Keys()))}
	for i, key := range g.corpus.Keys() {
		if counts(key) {
			b.Units.Add(i)
		}
	}
	return b, nil
}

// keys returns the keys of a batch's units and, where users are the units, of their documents.
func (g *gathering) keys(b *Batch) (units, documents []corpus.Key) {
	for i, key := range g.corpus.Keys() {
		if b.Units.Has(i) {
			units = append(units, key)
		}
	}
	for i, id := range g.ids {
		if b.Units.Has(g.corpus.UnitOf(i)) {
			documents = append(documents, id)
		}
	}
	return units, documents
}
