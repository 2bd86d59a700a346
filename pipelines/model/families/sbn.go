package families

import (
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// MaxHidden bounds K of SBN, so that an image's gzz, over the pairs of hidden units, fits a part.
const MaxHidden = 500

// MaxParameter bounds the magnitude of each weight and bias of SBN, and its square bounds each second moment. So no sum
// in the E-step overflows.
const MaxParameter = 1e6

// The statistics of SBN, with Count. A column in Z is a hidden unit. A column in GZZ is a pair of hidden units k ≤ l:
// (0, 0), (0, 1), …, (1, 1), ….
const (
	Z   = "z"   // 1 × K
	Y   = "y"   // 1 × J
	G   = "g"   // 1 × J
	GZ  = "gz"  // J × K
	YZ  = "yz"  // J × K
	GZZ = "gzz" // J × K(K+1)/2
)

// The fields of parameters and model files of SBN.
var (
	// SBNWeights is E[W] under q: weights from hidden units to pixels, one row for each hidden unit.
	SBNWeights = model.Matrix[float64]{Name: "weights", Rows: model.Components, Columns: model.Words}

	// SBNSquares is E[W²] under q, cell by cell.
	SBNSquares = model.Matrix[float64]{Name: "squares", Rows: model.Components, Columns: model.Words,
		Rule: model.NotNegative}

	// SBNHidden is E[b], the biases of hidden units, and SBNVisible is E[c], the biases of pixels.
	SBNHidden  = model.Matrix[float64]{Name: "hidden", Rows: model.One, Columns: model.Components}
	SBNVisible = model.Matrix[float64]{Name: "visible", Rows: model.One, Columns: model.Words}
)

// SBN is the family of sigmoid belief networks with one hidden layer, by Pólya-Gamma variables (Park et al.,
// Variational Bayes In Private Settings, JAIR 68, 2020, §7, Algorithm 6). An image's pixels are a document's words: a
// word that occurs is a pixel that is on. SBNUncounted is the same without the statistic Count, for neighbouring
// relations that make the number of images public.
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
var (
	SBN          = sbn(SBNBounds)
	SBNUncounted = sbn(func(s model.Size) []SBNBound { return SBNBounds(s)[:6] })
)

func sbn(bounds func(model.Size) []SBNBound) *model.Family {
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
		Parameters: []model.Field{SBNWeights, SBNSquares, SBNHidden, SBNVisible},
		Model:      []model.Field{Rounds, SBNWeights, SBNSquares, SBNHidden, SBNVisible},
	}
}

// An SBNBound is a statistic of SBN with its shape and the largest norm that one image can give it.
type SBNBound struct {
	Name          string
	Rows, Columns int
	Norm          float64
}

// SBNBounds returns the statistics of SBN in a stream's order. Each cell is between 0 and most, which is 1 or ¼. So the
// norm is at most most times the root of the number of cells.
func SBNBounds(s model.Size) []SBNBound {
	j, k := s.Words, s.Components
	bound := func(name string, rows, columns int, most float64) SBNBound {
		return SBNBound{name, rows, columns, most * math.Sqrt(float64(rows)*float64(columns))}
	}
	return []SBNBound{
		bound(Z, 1, k, 1), bound(Y, 1, j, 1), bound(G, 1, j, 0.25),
		bound(GZ, j, k, 0.25), bound(YZ, j, k, 1), bound(GZZ, j, k*(k+1)/2, 0.25),
		bound(Count, 1, 1, 1),
	}
}
