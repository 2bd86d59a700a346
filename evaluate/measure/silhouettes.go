package measure

import (
	"io"

	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// A joined has the vectors of documents with a prediction, and the cluster of each.
type joined struct {
	vectors  [][]float32
	clusters []int
	// Numbers of documents left out: beyond --most, vectors without a prediction, and predictions without a vector.
	beyond, unpredicted, withoutVector int
}

// nearest reads the vectors of the documents in of, which has the cluster of each by its id.
func (c *Clusters) nearest(in *Input, of map[string]int) (*joined, error) {
	all, seen, width := new(joined), make(map[string]bool), int(in.Header.VocabularySize)
	var ids []uint32
	var values []float32
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		d := record.GetDocument()
		k, known := of[d.Id]
		switch {
		case !known:
			all.unpredicted++
			continue
		case seen[d.Id]:
			return nil, exit.Errorf(exit.Malformed, "%w",
				in.Errorf("a document with the id of another: --vectors joins documents by id"))
		}
		seen[d.Id] = true
		if len(all.vectors) == c.Most {
			all.beyond++
			continue
		}
		if cells := uint64(len(all.vectors)+1) * uint64(width); c.MaxCells > 0 && cells > c.MaxCells {
			return nil, exit.Errorf(exit.Malformed, "%s: the vectors of %d dimensions have more than %d numbers",
				in.Name(), width, c.MaxCells).WithHint("--most takes fewer vectors, --max-cells allows more numbers")
		}
		ids, values = wire.AppendIDs(ids[:0], d.WordGaps), wire.AppendFloats(values[:0], d.Values)
		vector := make([]float32, width)
		for i, at := range ids {
			vector[at] = values[i]
		}
		all.vectors, all.clusters = append(all.vectors, vector), append(all.clusters, k)
	}
	all.withoutVector = len(of) - len(seen)
	if len(seen) == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: no document has the id of a prediction", in.Name())
	}
	return all, nil
}

type silhouettes struct {
	Mean          *float64 `json:"mean"` // null if all documents are in one cluster
	Documents     int      `json:"documents"`
	Beyond        int      `json:"documents_beyond_most"`
	Unpredicted   int      `json:"vectors_without_prediction"`
	WithoutVector int      `json:"predictions_without_vector"`
}

// addSilhouettes adds the silhouettes of documents: their mean, and the mean of each cluster.
func (m *clusterMeasures) addSilhouettes(r *filter.Run, of *joined, names []string) error {
	m.Silhouette = &silhouettes{
		Documents: len(of.vectors), Beyond: of.beyond, Unpredicted: of.unpredicted, WithoutVector: of.withoutVector,
	}
	sizes, used := make([]float64, len(names)), 0
	for _, k := range of.clusters {
		if sizes[k]++; sizes[k] == 1 {
			used++
		}
	}
	if used < 2 {
		return nil
	}
	all, err := score.Silhouettes(r, filter.Workers{}.N(), of.vectors, of.clusters)
	if err != nil {
		return err
	}
	mean, means := 0.0, make([]float64, len(names))
	for i, s := range all {
		mean += s / float64(len(all))
		means[of.clusters[i]] += s / sizes[of.clusters[i]]
	}
	m.Silhouette.Mean = &mean
	for i := range m.Rows {
		if k := m.Rows[i].number; sizes[k] > 0 {
			m.Rows[i].Silhouette = &means[k]
		}
	}
	return nil
}
