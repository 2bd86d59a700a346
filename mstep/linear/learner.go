package linear

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire/stream"
)

// Options are the settings of the M-step. All are public and fixed before the run.
type Options struct {
	Words     int     // V, the number of features
	Precision float64 // λ0 > 0: w ~ N(0, I/(λ0·τ))
	A0, B0    float64 // τ ~ Gamma(a0, b0), with a0 > 1 and b0 > 0
	Point     bool    // the posterior is a point mass at its mode
}

// Learner implements model.Learner.
type Learner struct {
	o     Options
	round uint32
	sums  sums
}

// sums are averages of the released sums over all rows.
type sums struct {
	learned           float64   // number of releases
	xy, xx, yy, count []float64 // V, V × V row by row, 1 and 1
	xxVariance        float64   // of the noise on each diagonal cell of xx
	yyVariance        float64   // of the noise on yy
}

// New returns a learner without releases.
func New(o Options) *Learner {
	return &Learner{o: o, sums: sums{
		xy: make([]float64, o.Words), xx: make([]float64, o.Words*o.Words), yy: make([]float64, 1),
		count: make([]float64, 1),
	}}
}

// Family implements model.Learner.
func (l *Learner) Family() *model.Family { return families.Linear }

// Size implements model.Learner.
func (l *Learner) Size() model.Size { return model.Size{Words: l.o.Words} }

// Round implements model.Learner.
func (l *Learner) Round() uint32 { return l.round }

// Update implements model.Learner.
func (l *Learner) Update(r *model.Release) error {
	s := &l.sums
	rho := 1 / (s.learned + 1)
	var unused float64 // nothing needs the variances of xy and count
	for _, m := range []struct {
		name     string
		mean     []float64
		variance *float64
	}{{families.XY, s.xy, &unused}, {families.XX, s.xx, &s.xxVariance}, {families.YY, s.yy, &s.yyVariance},
		{families.Count, s.count, &unused}} {
		released, err := r.Statistic(m.name)
		if err != nil {
			return err
		}
		*m.variance = model.Mix(m.mean, released.Values, rho, *m.variance, released.Deviation*released.Deviation)
	}
	s.learned++
	l.round = r.Round
	return nil
}

// Parameters implements model.Learner. The E-step needs none.
func (l *Learner) Parameters() *model.Snapshot { return nil }

// Model implements model.Learner.
func (l *Learner) Model() (*model.Snapshot, error) {
	q, err := l.o.solve(&l.sums)
	if err != nil {
		return nil, err
	}
	s := new(model.Snapshot)
	families.Noise.Put(s, q.noise)
	families.Rounds.Put(s, float64(l.round))
	families.Mean.Put(s, l.Size(), q.mean)
	families.Covariance.Put(s, l.Size(), q.covariance)
	return s, nil
}

// The checkpoint's matrices and scalars.
var (
	keptLearned    = model.Scalar{Name: "learned", Rule: model.NotNegative}
	keptXXVariance = model.Scalar{Name: "xx_variance", Rule: model.NotNegative}
	keptYYVariance = model.Scalar{Name: "yy_variance", Rule: model.NotNegative}
	keptXY         = model.Matrix[float64]{Name: "xy", Rows: model.One, Columns: model.Words}
	keptXX         = model.Matrix[float64]{Name: "xx", Rows: model.Words, Columns: model.Words}
	keptYY         = model.Scalar{Name: "yy"}
	keptCount      = model.Scalar{Name: "count"}
)

func (l *Learner) state() learn.State {
	s := &l.sums
	return learn.State{
		Settings: []learn.Setting{
			{Name: "precision", Value: l.o.Precision}, {Name: "a0", Value: l.o.A0}, {Name: "b0", Value: l.o.B0},
			learn.Switch("point", l.o.Point),
		},
		Kept: []learn.Kept{
			learn.Number(keptLearned, &s.learned), learn.Number(keptXXVariance, &s.xxVariance),
			learn.Number(keptYYVariance, &s.yyVariance),
			learn.Number(keptYY, &s.yy[0]), learn.Number(keptCount, &s.count[0]),
			learn.Cells(keptXY, l.Size(), s.xy), learn.Cells(keptXX, l.Size(), s.xx),
		},
	}
}

// State implements model.Learner.
func (l *Learner) State() *model.Snapshot { return l.state().Snapshot() }

// Restore implements model.Learner.
func (l *Learner) Restore(set *stream.Set) error {
	l.round = set.Round
	return l.state().Restore(set)
}
