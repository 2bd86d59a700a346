// Package sbn is the family of sigmoid belief networks with one hidden layer, by Pólya-Gamma variables (Park et al.,
// Variational Bayes In Private Settings, JAIR 68, 2020, §7, Algorithm 6). An image's pixels are a document's words: a
// word that occurs is a pixel that is on.
//
// For an image y with hidden units z, in the notation of the paper's Algorithms 1 and 2, with J pixels and K hidden
// units:
//
//	statistic s                        natural parameter n       bound: norm and diameter
//	z = ⟨z⟩                            b, and −½·W               √K
//	y                                  c                         √J
//	g = ⟨ξ⟩                            −½·c²                     √J/4
//	gz = ⟨ξ_j⟩⟨z_k⟩                    −c·W                      √(JK)/4
//	yz = y_j·⟨z_k⟩                     W                         √(JK)
//	gzz = ⟨ξ_j⟩⟨z_k·z_l⟩, k ≤ l        −½·W·Wᵀ                   √(J·K(K+1)/2)/4
//	count = 1                          normaliser of b and c     1
//	all, each over its bound                                     √7; √6 without count
//
// The last column bounds how far a neighbouring sum lies in L2, under add-remove and under replace-one:
// estep/sbn/claim.md.
package sbn

import (
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// MaxHidden bounds K, so that an image's gzz, over the pairs of hidden units, fits a part.
const MaxHidden = 500

// MaxParameter bounds the magnitude of each weight and bias, and its square bounds each second moment. So no sum in the
// E-step overflows.
const MaxParameter = 1e6

// The statistics. A column in Z is a hidden unit. A column in GZZ is a pair of hidden units k ≤ l: (0, 0), (0, 1), …,
// (1, 1), ….
const (
	Z     = "z"     // 1 × K
	Y     = "y"     // 1 × J
	G     = "g"     // 1 × J
	GZ    = "gz"    // J × K
	YZ    = "yz"    // J × K
	GZZ   = "gzz"   // J × K(K+1)/2
	Count = "count" // 1 × 1
)

// The fields of parameters and model files.
var (
	// Weights is E[W] under q: weights from hidden units to pixels, one row for each hidden unit.
	Weights = model.Matrix[float64]{Name: "weights", Rows: model.Components, Columns: model.Words}

	// Squares is E[W²] under q, cell by cell.
	Squares = model.Matrix[float64]{Name: "squares", Rows: model.Components, Columns: model.Words,
		Rule: model.NotNegative}

	// Hidden is E[b], the biases of hidden units, and Visible is E[c], the biases of pixels.
	Hidden  = model.Matrix[float64]{Name: "hidden", Rows: model.One, Columns: model.Components}
	Visible = model.Matrix[float64]{Name: "visible", Rows: model.One, Columns: model.Words}

	// Rounds is the number of rounds that the model was learned from.
	Rounds = model.Scalar{Name: "rounds"}
)

// Family is the family of models. Uncounted is the same without the statistic Count, for neighbouring relations that
// make the number of images public.
var (
	Family    = family(Bounds)
	Uncounted = family(func(s model.Size) []Bound { return Bounds(s)[:6] })
)

func family(bounds func(model.Size) []Bound) *model.Family {
	return &model.Family{
		Name: "sbn", NonNegative: true,
		Statistics: func(s model.Size) []*wire.Matrix {
			var matrices []*wire.Matrix
			for _, b := range bounds(s) {
				matrices = append(matrices, &wire.Matrix{
					Name: b.Name, Rows: uint32(b.Rows), Columns: uint32(b.Columns), Element: wire.Element_FLOAT32,
				})
			}
			return matrices
		},
		Parameters: []model.Field{Weights, Squares, Hidden, Visible},
		Model:      []model.Field{Rounds, Weights, Squares, Hidden, Visible},
	}
}

// A Bound is a statistic with its shape and the largest norm that one image can give it.
type Bound struct {
	Name          string
	Rows, Columns int
	Norm          float64
}

// Bounds returns the statistics in a stream's order. Each cell is between 0 and most, which is 1 or ¼. So the norm is
// at most most times the root of the number of cells.
func Bounds(s model.Size) []Bound {
	j, k := s.Words, s.Components
	bound := func(name string, rows, columns int, most float64) Bound {
		return Bound{name, rows, columns, most * math.Sqrt(float64(rows)*float64(columns))}
	}
	return []Bound{
		bound(Z, 1, k, 1), bound(Y, 1, j, 1), bound(G, 1, j, 0.25),
		bound(GZ, j, k, 0.25), bound(YZ, j, k, 1), bound(GZZ, j, k*(k+1)/2, 0.25),
		bound(Count, 1, 1, 1),
	}
}
