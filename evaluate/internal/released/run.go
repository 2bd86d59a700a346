package released

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Run is a training run's charged releases.
type Run struct {
	Name    string
	Charges map[int]*event.Charge // the last charge for each round
	Grant   *event.Grant          // the last charge's grant; nil for a run without noise
	Several bool                  // its charges name several grants
	Again   bool                  // a round was charged more than once
}

// Of returns the named run in a ledger. The ledger must have charges for it.
func Of(ledger *event.Ledger, name string) (*Run, error) {
	r := &Run{Name: name, Charges: make(map[int]*event.Charge)}
	grants := make(map[string]*event.Grant)
	last := ""
	for _, line := range ledger.Lines {
		if line.Grant != nil {
			grants[line.Grant.ID] = line.Grant
		}
		if c := line.Charge; c != nil && c.Run == name {
			r.Several = r.Several || len(r.Charges) > 0 && c.Grant != last
			r.Again = r.Again || c.Attempt > 0 || r.Charges[c.Round] != nil
			r.Charges[c.Round], last = c, c.Grant
		}
	}
	if len(r.Charges) == 0 {
		return nil, fmt.Errorf("no line charges a release of run %q, of which the model is", name)
	}
	r.Grant = grants[last]
	return r, nil
}

// AverageFrom is the share of the planned rounds that do not count in Mean. In later rounds the weight rises linearly,
// as in the estimate of mstep lda.
const AverageFrom = 0.3

// Mean adds up the run's releases of one matrix in the grant. The run must have a grant. from is a folder of stored
// releases or a stream of releases. A charged release that is missing there is an error.
//
// A round that was planned and never charged counts as noise without cells, because an early stop may depend on the
// releases. Up to a stopping time, Σ w_t·Z_t stays below the same threshold, as exp(λΣ w_t·Z_t − λ²Σ w_t²·v_t/2) is a
// supermartingale.
func (r *Run) Mean(ctx context.Context, from, matrix string, cells int) (*Mean, error) {
	first, total, err := r.place(matrix, cells)
	if err != nil {
		return nil, err
	}
	mean := &Mean{Sum: make([]float64, cells)}
	seen := make(map[int]bool)
	add := func(round int, values []int64) error {
		weight := r.weight(round)
		c := r.Charges[round]
		if seen[round] = true; weight == 0 {
			return nil
		}
		return mean.Add(values[first:first+cells], Noise{Mechanism: c.Mechanism, Scale: c.Scale}, weight)
	}
	if info, err := os.Stat(from); !endpoint.IsTopic(from) && err == nil && info.IsDir() {
		err = r.stored(ctx, from, total, add)
		if err != nil {
			return nil, err
		}
	} else if err := r.streamed(ctx, from, total, add); err != nil {
		return nil, err
	}
	for _, round := range r.rounds() {
		if !seen[round] {
			return nil, exit.Errorf(exit.Missing,
				"%s: the release of round %d of run %s, which the ledger charges, is not there", from, round, r.Name)
		}
	}
	return mean, r.addUncharged(mean)
}

// Last returns the last charged round.
func (r *Run) Last() int { return slices.Max(r.rounds()) }

// rounds returns the charged rounds in ascending order.
func (r *Run) rounds() []int { return slices.Sorted(maps.Keys(r.Charges)) }

// addUncharged adds the noise for planned rounds without a charge. A grant may plan billions of them, so they are added
// gap by gap.
func (r *Run) addUncharged(mean *Mean) error {
	squares, largest := 0.0, 0.0
	var like *event.Charge // a charge with the grant's noise
	before := 0
	gap := func(next int) {
		if last := r.weight(next - 1); next > before+1 && last > 0 {
			squares += sumOfSquares(last) - sumOfSquares(r.weight(before))
			largest = last
		}
		before = next
	}
	for _, round := range r.rounds() {
		if c := r.Charges[round]; c.Grant == r.Grant.ID {
			like = c
		}
		gap(round)
	}
	gap(r.Grant.Scheme.Rounds + 1)
	return mean.AddNoise(Noise{Mechanism: like.Mechanism, Scale: like.Scale}, squares, largest)
}

// sumOfSquares returns 1² + 2² + … + n².
func sumOfSquares(n float64) float64 { return n * (n + 1) * (2*n + 1) / 6 }

// First returns the first round that counts.
func (r *Run) First() int { return int(AverageFrom*float64(r.Grant.Scheme.Rounds)) + 1 }

func (r *Run) weight(round int) float64 { return float64(max(0, round-r.First()+1)) }

// place returns the matrix's first cell among a release's cells, and the release's number of cells.
func (r *Run) place(matrix string, cells int) (first, total int, err error) {
	first = -1
	for _, m := range r.Grant.Matrices {
		if m.Symmetric {
			return 0, 0, errors.New("a release with a symmetric matrix")
		}
		if m.Name == matrix && m.Rows*m.Columns == cells {
			first = total
		}
		total += m.Rows * m.Columns
	}
	if first < 0 {
		return 0, 0, exit.Errorf(exit.Malformed, "run %s releases no matrix %q of %d cells, as the model has", r.Name,
			matrix, cells)
	}
	return first, total, nil
}

// stored reads the releases beside a ledger. Each is a file of cells. The charge has the file's SHA-256.
func (r *Run) stored(ctx context.Context, folder string, total int, add func(int, []int64) error) error {
	for _, round := range r.rounds() {
		c := r.Charges[round]
		path := filepath.Join(folder, c.StoredName())
		b, err := endpoint.ReadFile(ctx, path, int64(8*total))
		if errors.Is(err, fs.ErrNotExist) {
			continue // Mean reports the missing round
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		if hex.EncodeToString(sum[:]) != c.Release || len(b) != 8*total {
			return exit.Errorf(exit.Malformed, "%s: not the release that the ledger charges: it has another SHA-256",
				path)
		}
		values := make([]int64, total)
		for i := range values {
			values[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		if err := add(round, values); err != nil {
			return err
		}
	}
	return nil
}

// streamed reads the releases in a stream.
func (r *Run) streamed(ctx context.Context, name string, total int, add func(int, []int64) error) error {
	in, h, err := endpoint.OpenStream(ctx, name, endpoint.Wanted{
		Kinds: []wire.Kind{wire.Kind_RELEASES}, Side: wire.Side_PUBLIC, MaxCells: uint64(total),
	})
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		set, err := stream.ReadSet(in.Reader, nil)
		if err == io.EOF {
			return in.Complete()
		}
		if err != nil {
			return err
		}
		round, digest := int(set.Round), set.Digest()
		if c := r.Charges[round]; h.Run != r.Name || c == nil || hex.EncodeToString(digest[:]) != c.Release {
			return exit.Errorf(exit.Malformed,
				"%s: round %d of run %s: not a release that the ledger charges to run %s", name, round, h.Run, r.Name)
		}
		var values []int64
		for _, m := range h.Matrices {
			cells, err := stream.Cells[int64](set, m.Name)
			if err != nil {
				return exit.Errorf(exit.Malformed, "%s: %w", name, err)
			}
			values = append(values, cells...)
		}
		if len(values) != total {
			return exit.Errorf(exit.Malformed, "%s: releases of %d cells, the grant is for %d", name, len(values),
				total)
		}
		if err := add(round, values); err != nil {
			return err
		}
	}
}
