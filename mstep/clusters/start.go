package clusters

import (
	"context"
	"io"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// directions returns the first means without public vectors: random directions of length ½. The coins are public.
func directions(size model.Size, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, size.Components*size.Words)
	for c := range size.Components {
		row := means[c*size.Words : (c+1)*size.Words]
		for d := range row {
			row[d] = random.NormFloat64()
		}
		floats.Scale(0.5/floats.Norm(row, 2), row)
	}
	return means
}

// mostPublic is how many public vectors are clustered: more hardly move the first means.
const mostPublic = 10000

// readPublic reads the first vectors of a public stream of vectors with these names of dimensions.
func readPublic(ctx context.Context, name string, dimensions vocabulary.Words) (vectors [][]float64, err error) {
	in, h, err := endpoint.OpenStream(ctx, name, endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Side: wire.Side_PUBLIC, Values: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if !h.Values {
		return nil, exit.Errorf(exit.Malformed, "%s: documents of counts, and no vectors", in.Name())
	}
	if string(h.Vocabulary) != string(dimensions.Hash()) {
		return nil, exit.Errorf(exit.Malformed, "%s: vectors of other dimensions than --vocab", in.Name())
	}
	for len(vectors) < mostPublic {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		d := record.GetDocument()
		x := make([]float64, len(dimensions))
		values := wire.AppendFloats(nil, d.Values)
		for i, id := range wire.AppendIDs(nil, d.WordGaps) {
			x[id] = float64(values[i])
		}
		if norm := floats.Norm(x, 2); norm > 0 {
			floats.Scale(1/max(1, norm), x) // as estep clusters does
			vectors = append(vectors, x)
		}
	}
	return vectors, nil
}

// leastScale is the least scale of a dimension, over the mean of all.
const leastScale = 1e-3

// scalesOf returns the mean squares of the vectors in each dimension, over the mean of all.
func scalesOf(vectors [][]float64) []float64 {
	scales := make([]float64, len(vectors[0]))
	for _, x := range vectors {
		for d, value := range x {
			scales[d] += value * value
		}
	}
	floats.Scale(float64(len(scales))/floats.Sum(scales), scales)
	for d := range scales {
		scales[d] = max(scales[d], leastScale)
	}
	return scales
}

// kMeans returns the means of k clusters of vectors, row by row: Lloyd's algorithm from the seeds of k-means++ (Arthur
// and Vassilvitskii, SODA 2007, §2.2). There must be k vectors or more.
func kMeans(vectors [][]float64, k int, seed uint64) []float64 {
	v := len(vectors[0])
	means, of := plusPlus(vectors, k, rand.New(rand.NewPCG(seed, 1))), make([]int, len(vectors))
	const mostIterations = 50
	for range mostIterations {
		moved := 0
		sums, counts := make([]float64, k*v), make([]float64, k)
		for i, x := range vectors {
			nearest, least := 0, math.Inf(1)
			for c := range k {
				row := means[c*v : (c+1)*v]
				if d := floats.Dot(row, row) - 2*floats.Dot(row, x); d < least {
					nearest, least = c, d
				}
			}
			if of[i] != nearest {
				of[i] = nearest
				moved++
			}
			floats.Add(sums[nearest*v:(nearest+1)*v], x)
			counts[nearest]++
		}
		for c, n := range counts {
			if n > 0 {
				floats.ScaleTo(means[c*v:(c+1)*v], 1/n, sums[c*v:(c+1)*v])
			}
		}
		if moved == 0 {
			break
		}
	}
	return means
}

// plusPlus draws k vectors, each with a probability in proportion to its squared distance from those before.
func plusPlus(vectors [][]float64, k int, random *rand.Rand) []float64 {
	distances := make([]float64, len(vectors))
	for i := range distances {
		distances[i] = math.Inf(1)
	}
	var means []float64
	next := random.IntN(len(vectors))
	for range k {
		x := vectors[next]
		means = append(means, x...)
		total := 0.0
		for i, other := range vectors {
			d := floats.Distance(x, other, 2)
			distances[i] = min(distances[i], d*d)
			total += distances[i]
		}
		at := random.Float64() * total
		next = 0
		for next < len(vectors)-1 && at >= distances[next] {
			at -= distances[next]
			next++
		}
	}
	return means
}
