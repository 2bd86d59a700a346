package public

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

const (
	maxFeatures = 500
	eigenvalues = 160 // of the co-occurrences
	slack       = 20  // columns in the random sketch besides these
	passes      = 3   // power iterations
	// Only the most frequent words have neighbours, at most widest of them: the matrix has at most widest² float32
	// cells.
	widest = 16384
)

// features returns principal components of all that is known about each word. This is the leading eigenvectors of
// co-occurrence, each times the root of its eigenvalue, and the logarithms of the lifts in public topics. If there are
// vectors of words, they are included too, and weigh as much as the topics. Words count by their frequencies p.
func features(d *documents, topics [][]float32, words *vectors, p []float64, number int, seed uint64) [][]float32 {
	columns := append(neighbours(d, seed), topics...)
	if words != nil {
		columns = append(columns, words.features(p, totalVariance(topics, p))...)
	}
	return components(columns, p, number)
}

// neighbours returns the leading eigenvectors of M = log((C+2)/(E+2))₊, times the roots of their eigenvalues, over all
// words. C counts how often two words share a document. A document counts 1/√(its distinct words). E is the expectation
// of C if words were independent.
func neighbours(d *documents, seed uint64) [][]float32 {
	places := d.frequent()
	m := cooccurrence(d, places)
	values, vectors := eigen(m, min(eigenvalues, m.Rows), seed)
	all := make([][]float32, len(values))
	for j, value := range values {
		all[j] = make([]float32, len(d.counts))
		root := float32(math.Sqrt(max(value, 0)))
		for v, at := range places {
			if at >= 0 {
				all[j][v] = root * vectors.Data[at*vectors.Stride+j]
			}
		}
	}
	return all
}

// cooccurrence returns M over the words that have a place.
func cooccurrence(d *documents, places []int) blas32.General {
	n := 0
	for _, at := range places {
		n = max(n, at+1)
	}
	m := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
	from := 0
	var at []int
	for _, to := range d.ends {
		at = at[:0]
		for _, v := range d.ids[from:to] {
			if places[v] >= 0 {
				at = append(at, places[v])
			}
		}
		weight := float32(1 / math.Sqrt(float64(to-from)))
		for _, u := range at {
			row := m.Data[u*n : (u+1)*n]
			for _, v := range at {
				row[v] += weight
			}
		}
		from = to
	}
	sums, total := make([]float64, n), 0.0
	for u := range n {
		m.Data[u*n+u] = 0 // a word is no neighbour of itself
		for _, c := range m.Data[u*n : (u+1)*n] {
			sums[u] += float64(c)
		}
		total += sums[u]
	}
	for u := range n {
		row := m.Data[u*n : (u+1)*n]
		scale := sums[u] / max(total, math.SmallestNonzeroFloat64)
		for v, c := range row {
			row[v] = float32(max(0, math.Log((float64(c)+2)/(scale*sums[v]+2))))
		}
	}
	return m
}

// eigen returns the leading eigenvalues of a symmetric matrix, descending, and their eigenvectors as columns. It makes
// a random sketch of the matrix's range with power iterations (Halko, Martinsson and Tropp 2011, algorithms 4.4 and
// 5.3). Only eigenvalues above 0 have roots.
func eigen(m blas32.General, number int, seed uint64) ([]float64, blas32.General) {
	width := min(number+slack, m.Rows)
	r := rand.New(rand.NewPCG(seed, 0x7075626c6963))
	q := blas32.General{Rows: m.Rows, Cols: width, Stride: width, Data: make([]float32, m.Rows*width)}
	for i := range q.Data {
		q.Data[i] = float32(r.NormFloat64())
	}
	product := blas32.General{Rows: m.Rows, Cols: width, Stride: width, Data: make([]float32, m.Rows*width)}
	for range passes {
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, m, q, 0, product)
		orthonormalize(product)
		q, product = product, q
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, m, q, 0, product)
	small := blas32.General{Rows: width, Cols: width, Stride: width, Data: make([]float32, width*width)}
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, q, product, 0, small)
	values, vectors := symmetric(width, func(i, j int) float64 {
		return (float64(small.Data[i*width+j]) + float64(small.Data[j*width+i])) / 2
	})
	rotation := blas32.General{Rows: width, Cols: number, Stride: number, Data: make([]float32, width*number)}
	for i := range width {
		for j := range number {
			rotation.Data[i*number+j] = float32(vectors.At(i, j))
		}
	}
	out := blas32.General{Rows: m.Rows, Cols: number, Stride: number, Data: make([]float32, m.Rows*number)}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, q, rotation, 0, out)
	return values[:number], out
}

// symmetric returns the eigenvalues of a symmetric matrix, descending, and its eigenvectors as columns.
func symmetric(n int, at func(i, j int) float64) ([]float64, *mat.Dense) {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, at(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("public: eigenvalues of a finite symmetric matrix did not converge")
	}
	rising := e.Values(nil)
	var columns mat.Dense
	e.VectorsTo(&columns)
	values, vectors := make([]float64, n), mat.NewDense(n, n, nil)
	for j := range n {
		values[j] = rising[n-1-j]
		for i := range n {
			vectors.Set(i, j, columns.At(i, n-1-j))
		}
	}
	return values, vectors
}

// orthonormalize replaces the columns of matrix a by an orthonormal basis of their span. It uses the eigenvectors of
// aᵀa. Directions without length become 0.
func orthonormalize(a blas32.General) {
	n := a.Cols
	gram := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, a, a, 0, gram)
	values, vectors := symmetric(n, func(i, j int) float64 { return float64(gram.Data[i*n+j]) })
	rotation := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
	for j, value := range values {
		if value > 1e-9*values[0] {
			for i := range n {
				rotation.Data[i*n+j] = float32(vectors.At(i, j) / math.Sqrt(value))
			}
		}
	}
	out := make([]float32, len(a.Data))
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a, rotation, 0,
		blas32.General{Rows: a.Rows, Cols: n, Stride: n, Data: out})
	copy(a.Data, out)
}

// featureStep rounds features, so that the file has few different numbers and is small.
const featureStep = 1.0 / 32

// components returns the scores of the leading principal components of columns. Words count by p.
func components(columns [][]float32, p []float64, number int) [][]float32 {
	n := len(columns)
	means := make([]float64, n)
	scaled := blas32.General{Rows: n, Cols: len(p), Stride: len(p), Data: make([]float32, n*len(p))}
	for i, column := range columns {
		for v, x := range column {
			means[i] += p[v] * float64(x)
		}
		for v, x := range column {
			scaled.Data[i*len(p)+v] = float32((float64(x) - means[i]) * math.Sqrt(p[v]))
		}
	}
	covariance := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, scaled, scaled, 0, covariance)
	_, vectors := symmetric(n, func(i, j int) float64 { return float64(covariance.Data[i*n+j]) })
	all := make([][]float32, min(number, n))
	for f := range all {
		scores := make([]float64, len(p))
		for i, column := range columns {
			weight := vectors.At(i, f)
			for v, x := range column {
				scores[v] += weight * (float64(x) - means[i])
			}
		}
		all[f] = make([]float32, len(p))
		for v, x := range scores {
			all[f][v] = float32(featureStep * math.Round(x/featureStep))
		}
	}
	return all
}
