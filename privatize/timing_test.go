package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An observed is a round as somebody sees it who watches the input end and the release appear.
type observed struct {
	took  time.Duration
	noise float64 // mean of |noise| over the cells, in σ; the sums are known to the experiment alone
	more  bool    // the round had one unit more
}

// observe has privatize release so many rounds of a matrix, one after the other, and times each: from the moment at
// which the round's last record is written to the one at which its release is read. Each round has some units of zeros,
// or one more, by a coin. The ledger is on a disk of memory where there is one: a sync takes longer than all else.
func observe(t *testing.T, rounds, columns, units int, random *rand.Rand) []observed {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "timing")
	if err != nil {
		folder = t.TempDir()
	}
	defer os.RemoveAll(folder)
	grant, err := json.Marshal(&event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 4, Releases: rounds,
		Scheme:  event.Scheme{Method: event.All, Rate: 1, Rounds: rounds},
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "x", Rows: 1, Columns: columns}}},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "grant.json"), grant, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	testkit.BeginLedger(t, filepath.Join(folder, "run.ledger"))
	command := exec.CommandContext(t.Context(), "privatize", "--grant", "grant.json", "--ledger", "run.ledger",
		"--compress", "none", "--keep-releases", "1")
	command.Dir, command.Stderr = folder, os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := stream.NewWriter(in, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT,
		Matrices: []*wire.Matrix{{Name: "x", Rows: 1, Columns: uint32(columns), Element: wire.Element_FLOAT32}},
	}, compressor(t))
	if err != nil {
		t.Fatal(err)
	}
	var reader *stream.Reader
	all := make([]observed, rounds)
	values := make([]byte, 4*columns)
	for i := range all {
		o := &all[i]
		o.more = random.IntN(2) == 1
		n := units
		if o.more {
			n++
		}
		round := uint32(i + 1)
		records := []*wire.Record{{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{
			Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: uint32(rounds)},
		}}}}
		last := &wire.RoundClose{Units: uint64(n), Records: uint64(n)}
		for unit := range n {
			name := fmt.Sprintf("unit %d", unit)
			last.UnitDigest += wire.UnitDigest(name)
			records = append(records, &wire.Record{Round: round, Body: &wire.Record_Contribution{
				Contribution: &wire.Contribution{Unit: name, Parts: []*wire.Part{{Values: values}}},
			}})
		}
		records = append(records, &wire.Record{Round: round, Body: &wire.Record_RoundClose{RoundClose: last}})
		for _, r := range records {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		begun := time.Now()
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if reader == nil {
			if reader, err = stream.NewReader(out, "releases"); err != nil {
				t.Fatal(err)
			}
		}
		head, err := reader.Next()
		for err == nil && head.GetRelease() == nil {
			head, err = reader.Next()
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := reader.Next()
		o.took = time.Since(begun)
		if err != nil {
			t.Fatal(err)
		}
		cells := block.GetBlock().GetValues()
		for at := 0; at < len(cells); at += 8 {
			o.noise += math.Abs(float64(int64(binary.LittleEndian.Uint64(cells[at:]))))
		}
		o.noise /= float64(columns) * float64(head.GetRelease().GetScale())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = reader.Next()
	}
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	return all[rounds/20:] // the first ones warm caches up
}

// area is the probability that the time of a round for which is holds is longer than that of another round: the area
// under the curve of the best attack that knows nothing but an order (Mann and Whitney 1947). Half is a guess.
// deviation is its standard deviation where the time says nothing.
func area(all []observed, is func(observed) bool) (area, deviation float64) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b observed) int { return int(a.took - b.took) })
	ranks, with := 0.0, 0
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to].took == sorted[from].took {
			to++
		}
		for _, o := range sorted[from:to] { // equal times share their mean rank
			if is(o) {
				ranks, with = ranks+float64(from+to+1)/2, with+1
			}
		}
		from = to
	}
	m, n := float64(with), float64(len(all)-with)
	return (ranks - m*(m+1)/2) / (m * n), math.Sqrt((m + n + 1) / (12 * m * n))
}

// TestTiming is the attack of Jin, McMurtry, Rubinstein and Ohrimenko (2022, arXiv 2112.05307) on the binary: whoever
// times a release learns of its noise if larger noise takes longer to draw. For one cell and for 255 the time must not
// tell whether the noise is above its median or among the largest: a sound privatizer fails with a probability of 4e-6.
// It also prints how well the time tells one unit more among a hundred, which no noise hides (LEAKS.md).
func TestTiming(t *testing.T) {
	testkit.Deep(t, "audits")
	const rounds, z = 100_000, 4.9
	for _, columns := range []int{1, 255} {
		random := rand.New(rand.NewPCG(1, uint64(columns)))
		all := observe(t, rounds, columns, 1, random)
		noises := make([]float64, len(all))
		for i, o := range all {
			noises[i] = o.noise
		}
		slices.Sort(noises)
		half := noises[len(noises)/2]
		got, deviation := area(all, func(o observed) bool { return o.noise > half })
		t.Logf("%d cells: the noise is above its median: area %.4f ± %.4f", columns, got, 1.96*deviation)
		if math.Abs(got-0.5) > z*deviation {
			t.Errorf("%d cells: the time tells the noise: area %.4f, chance deviates by %.4f", columns, got, deviation)
		}
		tail := noises[len(noises)*99/100]
		got, deviation = area(all, func(o observed) bool { return o.noise > tail })
		t.Logf("%d cells: the noise is among the largest 1 %%: area %.4f ± %.4f", columns, got, 1.96*deviation)
		if math.Abs(got-0.5) > z*deviation {
			t.Errorf("%d cells: the time tells large noise: area %.4f, chance deviates by %.4f", columns, got,
				deviation)
		}
	}
	for _, units := range []int{1, 100} {
		all := observe(t, rounds/5, 255, units, rand.New(rand.NewPCG(2, uint64(units))))
		got, deviation := area(all, func(o observed) bool { return o.more })
		var took [2]time.Duration
		var of [2]int
		for _, o := range all {
			i := 0
			if o.more {
				i = 1
			}
			took[i], of[i] = took[i]+o.took, of[i]+1
		}
		t.Logf("%d or %d units: area %.3f ± %.3f; mean %v and %v", units, units+1, got, 1.96*deviation,
			took[0]/time.Duration(of[0]), took[1]/time.Duration(of[1]))
	}
}
