package event

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The mechanisms.
const (
	Gaussian = "gaussian" // discrete Gaussian noise on exact integer sums of bounded contributions
	Laplace  = "laplace"  // discrete Laplace noise on the same
	Select   = "select"   // words with a noisy weight that reaches a threshold
	// each bit of a document's set of words reported wrong with some probability
	RandomizedResponse = "randomized-response"
	Objective          = "objective" // the minimiser of a perturbed objective: a paper's claim, without a proof here
	None               = "none"      // no privacy
)

// The ways to bound how much a unit adds to a round's sum.
const (
	ClipUnit   = "unit"    // each unit's vector is scaled down to an L2 norm of at most the clip
	ClipUnitL1 = "unit-l1" // the same in L1
	ClipBatch  = "batch"   // the sum over all units is scaled down to an L2 norm of at most the clip
	// ClipProved scales nothing: by the model's proof no unit exceeds the clip, in the mechanism's norm. The privatizer
	// checks the norm, and ends the run at a unit that exceeds the clip.
	ClipProved = "proved"
	// ClipUnbounded bounds nothing and protects nobody. It is for recipes that reproduce a paper without a bound on
	// contributions. The noise has the paper's scale. Its charges have no sensitivity.
	ClipUnbounded = "unbounded"
)

// checkSums checks g's members for noisy sums.
func (g *Grant) checkSums() error {
	if g.Flip != 0 || g.MaxWords != 0 || g.Threshold != 0 {
		return fmt.Errorf("flip, max_words and threshold do not belong to %s", g.Mechanism)
	}
	if err := checkClipping(g.Mechanism, g.Clipping); err != nil {
		return err
	}
	if err := CheckClip(g.Clip); err != nil {
		return err
	}
	if err := g.checkStatistics(); err != nil {
		return err
	}
	if err := g.checkBound(); err != nil {
		return err
	}
	if err := checkDraws(g.Unit, g.Draws); err != nil {
		return err
	}
	return CheckNoiseMultiplier(g.NoiseMultiplier)
}

// checkBound checks the members that bound how far the sums of neighbours differ, where the clip is not enough.
func (g *Grant) checkBound() error {
	if g.Clipping == ClipUnbounded {
		if g.Claim != PaperClaim || g.Budget.Epsilon != 0 || g.Cost != 0 || g.Proved != 0 {
			return fmt.Errorf("clipping %s protects nobody: it needs claim %q, and has no budget, cost or sensitivity",
				ClipUnbounded, PaperClaim)
		}
		return nil
	}
	if g.Proved == 0 && g.Unit != Word {
		return nil
	}
	if g.Clipping != ClipProved || g.Adjacency != ReplaceOne {
		return fmt.Errorf("a sensitivity, which unit %s needs, goes only with clipping %q and adjacency %q", Word,
			ClipProved, ReplaceOne)
	}
	if g.Unit == User {
		// Two sums of documents lie further apart than the two documents in the proof, though each sum is within the
		// clip.
		return fmt.Errorf("a sensitivity is proved of one document, unit %s has several", User)
	}
	if !(g.Proved >= 1 && g.Proved <= 2) {
		// A value below 1 would not cover a round that holds only one of the two exchanged units.
		return fmt.Errorf("sensitivity over the clip must be in [1, 2], is %v", g.Proved)
	}
	if g.Scheme.Method == Epoch || g.Scheme.Method == Allocate && !g.Scheme.Secret {
		// One round loses a unit and another round gains one, and each sum moves by up to the clip. The two losses add
		// up.
		return errors.New("a sensitivity does not go with rounds that share no unit and follow from public names")
	}
	if g.Unit == Word {
		return g.checkWord()
	}
	return nil
}

func (g *Grant) checkStatistics() error {
	for i, s := range g.Statistics {
		if s.Name == "" || slices.ContainsFunc(g.Statistics[:i],
			func(other Statistic) bool { return other.Name == s.Name }) {
			return fmt.Errorf("statistic %q has no name, or occurs twice", s.Name)
		}
		if err := positive("bound of statistic "+s.Name, s.Bound); err != nil {
			return err
		}
	}
	return nil
}

// maxBits is the maximum b for a bound of 2^b steps. Truncation to 2^-20 of the bound is far below the noise. A noise
// multiplier of 1 gives a scale of 2^20 steps. From a scale of 1000 on, discrete Gaussian noise is as good as
// continuous noise (privatize/internal/noise/claim.md).
const maxBits = 20

// Steps returns the bound C and the noise scale in steps of the grid. The bound is a power of two, at most 2^20. It is
// smaller for large noise, so that the scale does not exceed 2^30 steps. The scale is rounded up.
func (g *Grant) Steps() (bound, scale uint64) {
	switch g.Mechanism {
	case RandomizedResponse:
		return 0, uint64(math.Ceil(g.Flip * FlipSteps))
	case Objective:
		return 0, EpsilonSteps
	}
	_, exponent := math.Frexp(g.NoiseMultiplier) // multiplier ≤ 2^exponent
	bits := max(0, min(maxBits, 30-exponent))
	// Both are exact in float64 except for the rounding up. A multiplier that is too large for any grid gives a scale
	// that every mechanism refuses.
	return 1 << bits, uint64(math.Ceil(min(math.Ldexp(g.NoiseMultiplier, bits), 1<<62)))
}

// Sensitivity returns how far a round's integer sums can differ between neighbours, in the mechanism's norm, rounded up
// to whole steps. Each unit must be within bound; for ClipBatch, the sum must be. The cases are:
//
//   - add-remove: the unit's own norm; replace-null: the same, since an empty unit adds nothing. In a batch with a
//     fixed size another unit takes the place of one that is not drawn, so that its sums are as far apart as under
//     replace-one (claim.md, 8);
//   - replace-one: ‖u−v‖ ≤ 2·bound (triangle inequality; u = −v attains it), and in L2 without negative coordinates
//     ‖u−v‖² = ‖u‖² + ‖v‖² − 2⟨u,v⟩ ≤ 2·bound² (disjoint u and v attain it);
//   - Proved, by the model's proof for sums on the grid: Proved·bound;
//   - ClipUnbounded: 0, which means that no sensitivity exists;
//   - ClipBatch: 2·bound, because any two vectors within the bound can be sums of neighbours.
func (g *Grant) Sensitivity(bound uint64) uint64 {
	switch {
	case g.Clipping == ClipUnbounded:
		return 0
	case g.Proved != 0:
		return uint64(math.Ceil(g.Proved * float64(bound))) // bound is a power of two: the product is exact
	case g.Adjacency != ReplaceOne && g.Scheme.Method != Fixed && g.Bounding() != ClipBatch:
		return bound
	case g.NonNegative && mechanisms[g.Mechanism].l2:
		return ceilSqrt(2 * bound * bound)
	}
	return 2 * bound
}

// OffDiagonalScale returns the discrete Gaussian noise scale for a cell off the diagonal in a symmetric matrix:
// ⌈scale/√2⌉, where scale is the scale on the diagonal, below 2^32. The cell stands for two cells in the full matrix.
// It counts twice in the squared L2 norm, as a cell √2 times as large would. So noise with scale/√2 hides it as noise
// with scale hides the larger cell. (Dwork, Talwar, Thakurta, Zhang 2014, "Analyze Gauss", algorithm 1, has the same
// noise on both.)
func OffDiagonalScale(scale uint64) uint64 { return ceilSqrt((scale*scale + 1) / 2) }

// ceilSqrt returns the least r with r² ≥ x, for x ≤ 2^63.
func ceilSqrt(x uint64) uint64 {
	// x and its root are each rounded by at most 2^-53 of their size. So the root is at most 2^-20 above √x, and r, its
	// whole part, is at most ⌈√x⌉.
	r := uint64(math.Sqrt(float64(x)))
	for r*r < x {
		r++
	}
	return r
}

// Charge returns the charge for a round under g. The caller adds data set, run, settings and release, which the grant
// does not know. A RandomizedResponse grant for bits that names no vocabulary does not know the sensitivity, either.
func (g *Grant) Charge(round int, scheme Scheme) *Charge {
	bound, scale := g.Steps()
	c := &Charge{
		Round: round, Grant: g.ID, Mechanism: g.Mechanism, Adjacency: g.Adjacency, Unit: g.Unit, Scale: scale,
		Scheme: scheme,
	}
	switch g.Mechanism {
	case RandomizedResponse:
		// Two sets of at most m of V words differ in at most 2m words, and in at most V. Each drawn word depends on the
		// whole set.
		c.Sensitivity = uint64(min(g.VocabularySize, 2*g.MaxWords))
		if g.ReportWords > 0 {
			c.Sensitivity = uint64(g.ReportWords)
		}
		return c
	case Objective:
		c.Clipping, c.Claimed = g.Clipping, claimedSteps(g.ClaimedEpsilon)
		return c
	case Select:
		c.MaxWords = g.MaxWords
		c.Threshold = uint64(math.Ceil(min(g.Threshold*float64(bound), 1<<62)))
	default:
		c.Clipping, c.Draws = g.Clipping, g.Draws
	}
	c.Sensitivity = g.Sensitivity(bound)
	if g.Claim == PaperClaim {
		c.Claimed = bound // the papers take the norm of one unit, or the radius of the batch's ball
	}
	return c
}
