package window

import (
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/coin"
	"privpipe/sample/internal/corpus"
)

// A Batch has the documents of one closed window.
type Batch struct {
	Window int
	// The caller closes it. It is nil if an earlier run began the window, and the input did not replay all of its
	// documents.
	Documents *corpus.Corpus
	Units     coin.Set // the units in this window
}

// A gathering has the documents of one window so far. For each unit and id it has only the first document.
type gathering struct {
	unit      wire.Unit
	corpus    *corpus.Corpus
	documents map[corpus.Key]struct{} // keys of the documents, by unit and id
	units     map[corpus.Key]struct{} // keys of the units; the same map if documents are the units
	ids       []corpus.Key            // the key of each document, if users are the units
}

func gather(unit wire.Unit, memory int64) *gathering {
	g := &gathering{unit: unit, corpus: corpus.New(memory, unit), documents: make(map[corpus.Key]struct{})}
	g.units = g.documents
	if unit == wire.Unit_USER {
		g.units = make(map[corpus.Key]struct{})
	}
	return g
}

// keysOf returns the document's key and its unit's key. Users may choose ids, so the document's key includes the unit's
// key: no unit's document can be mistaken for another unit's.
func (g *gathering) keysOf(d *wire.Document) (document, unit corpus.Key) {
	unit = corpus.KeyOf(wire.UnitName(g.unit, d))
	if g.unit == wire.Unit_USER {
		return unit.Document(d.Id), unit
	}
	return unit, unit
}

// add takes a document, unless its unit has a document with the same id already.
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
	b := &Batch{Window: window, Documents: g.corpus, Units: coin.NewSet(len(g.corpus.Keys()))}
	for i, key := range g.corpus.Keys() {
		if counts(key) {
			b.Units.Add(i)
		}
	}
	return b, nil
}

// keys returns the keys of the batch's units and, if users are the units, the keys of their documents.
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
