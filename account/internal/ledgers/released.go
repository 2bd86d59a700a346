package ledgers

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// IsStream says whether --releases names a stream of releases rather than a folder.
func IsStream(name string) bool {
	if name == endpoint.Stdio || endpoint.IsTopic(name) {
		return true
	}
	info, err := os.Stat(name)
	return name != "" && !errors.Is(err, fs.ErrNotExist) && (err != nil || !info.IsDir())
}

// IsStored says whether a folder holds a ledger's stored releases. Other folders hold streams.
func IsStored(folder, ledger string) bool {
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		stored, err := filepath.EvalSymlinks(StoredFolder(ledger))
		if err == nil && resolved == stored {
			return true
		}
	}
	if _, err := os.Lstat(filepath.Join(folder, event.LastName)); err == nil {
		return true
	}
	digits := strings.Repeat("[0-9]", 9) // as in event.Charge.StoredName
	found, err := filepath.Glob(filepath.Join(escape(folder), "*", digits+"*"))
	return err == nil && len(found) > 0
}

// escape returns a filepath.Glob pattern that matches only the path itself.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// ReadFolder reads the streams of releases in a folder, and skips other files. A file with the extension .pp must be a
// stream.
func ReadFolder(ctx context.Context, folder string) ([]*Stream, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []*Stream
	for _, entry := range entries {
		name := filepath.Join(folder, entry.Name())
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		kind, err := endpoint.KindOf(ctx, name)
		if err != nil && filepath.Ext(name) == ".pp" {
			return nil, err
		}
		if err != nil || kind != wire.Kind_RELEASES {
			continue
		}
		s, err := ReadStream(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// A Compared is the result of account verify for a stream with only charged releases.
type Compared struct {
	Stream   string `json:"stream"`
	Run      string `json:"run"`
	Releases int    `json:"releases"`
	// Missing lists the round of each charge that has no release in the stream.
	Missing []int `json:"missing_rounds,omitempty"`
}

// A Stream is a snapshot of a stream of releases.
type Stream struct {
	name   string
	header *wire.Header
	all    []endpoint.Released
}

// ReadStream reads a stream of releases. If the run is under way, read the stream before the ledgers. Then the ledgers
// have a charge for each release that was read.
func ReadStream(ctx context.Context, name string) (*Stream, error) {
	h, all, err := endpoint.Releases(ctx, name)
	if err != nil {
		return nil, err
	}
	return &Stream{name, h, all}, nil
}

// Compare checks that each release was charged to one of the ledgers. The charge must have the resolved cells, and must
// agree with the release's statements about itself.
func (s *Stream) Compare(ledgers []*event.Ledger) (*Compared, error) {
	name, h, all := s.name, s.header, s.all
	o := &Compared{Stream: name, Run: h.Run, Releases: len(all)}
	charges := make(map[int][]*event.Charge) // the run's charges by round
	grants := make(map[*event.Charge]*event.Grant)
	for _, ledger := range ledgers {
		of := make(map[string]*event.Grant)
		for _, line := range ledger.Lines {
			if line.Grant != nil {
				of[line.Grant.ID] = line.Grant
			}
			if c := line.Charge; c != nil && c.Run == h.Run {
				charges[c.Round] = append(charges[c.Round], c)
				grants[c] = of[c.Grant]
			}
		}
	}
	there := make(map[*event.Charge]bool)
	for _, r := range all {
		round := int(r.Round)
		wrong := func(why error) error {
			return exit.Errorf(exit.Malformed, "%s: round %d of run %s: %w", name, round, h.Run, why)
		}
		of := charges[round]
		if len(of) == 0 {
			return nil, wrong(errors.New("a release that no line of the ledger charges: the ledger was lost or " +
				"restored from an old copy, or the release is forged"))
		}
		if r.Head == nil { // only a part of the release, which has no digest
			continue
		}
		i := slices.IndexFunc(of, func(c *event.Charge) bool { return c.Release == r.Digest })
		if i < 0 {
			return nil, wrong(fmt.Errorf("a release that is not the one which was charged: it has SHA-256 %s",
				r.Digest))
		}
		if err := states(h, r.Head, of[i], grants[of[i]]); err != nil {
			return nil, wrong(err)
		}
		there[of[i]] = true
	}
	for _, round := range charges {
		for _, c := range round {
			if !there[c] {
				o.Missing = append(o.Missing, c.Round)
			}
		}
	}
	slices.Sort(o.Missing)
	return o, nil
}

// states compares a release's statements about itself with its charge and its grant. The release's cells were charged.
// g is nil if the charge has no grant.
func states(h *wire.Header, head *wire.Release, c *event.Charge, g *event.Grant) error {
	scheme, err := head.Scheme.Event()
	if err != nil {
		return err
	}
	// If the unit is a word, the stream's unit is the document.
	unit := map[string]wire.Unit{event.Document: wire.Unit_DOCUMENT, event.User: wire.Unit_USER,
		event.Word: wire.Unit_DOCUMENT}[c.Unit]
	switch {
	case head.Mechanism != c.Mechanism || head.Grant != c.Grant || head.Scale != c.Scale:
		return fmt.Errorf("it states mechanism %q, grant %q and scale %d, and was charged as %q, %q and %d",
			head.Mechanism, head.Grant, head.Scale, c.Mechanism, c.Grant, c.Scale)
	case scheme != c.Scheme:
		return fmt.Errorf("it states another sampling scheme (%v) than was charged (%v)", scheme, c.Scheme)
	case h.Unit != unit:
		return fmt.Errorf("it states another unit than was charged (%s)", c.Unit)
	case g == nil:
		return nil
	}
	bound, _ := g.Steps()
	// Another writer may compute a step's value in another order, with other roundings.
	if head.Clip != bound || math.Abs(head.Grid*float64(bound)/g.Clip-1) > 1e-9 {
		return fmt.Errorf("it states a bound of %d steps of %v, and the grant's is %v in %d steps", head.Clip,
			head.Grid, g.Clip, bound)
	}
	for i, m := range h.Matrices {
		want, stated := 1., 1.
		if n := slices.IndexFunc(g.Statistics, func(s event.Statistic) bool { return s.Name == m.Name }); n >= 0 {
			want = g.Statistics[n].Bound
		}
		if len(head.Bounds) > 0 {
			stated = head.Bounds[i]
		}
		if stated != want {
			return fmt.Errorf("it states a bound of %v for matrix %q, and the grant's is %v", stated, m.Name, want)
		}
	}
	if g.Version == 1 { // such a grant names no subject
		return nil
	}
	return g.Subject.Fits(headerSubject(h))
}

// headerSubject returns the subject that a header states.
func headerSubject(h *wire.Header) event.Subject {
	s := event.Subject{Model: h.Model, Vocabulary: hex.EncodeToString(h.Vocabulary),
		VocabularySize: int(h.VocabularySize)}
	for _, m := range h.Matrices {
		s.Matrices = append(s.Matrices,
			event.Matrix{Name: m.Name, Rows: int(m.Rows), Columns: int(m.Columns), Symmetric: m.Symmetric})
	}
	return s
}

// Warn logs which charged releases are not in the stream.
func (o *Compared) Warn(log *slog.Logger) {
	switch len(o.Missing) {
	case 0:
	case 1:
		log.Warn("this round was charged, and its release is not there", "stream", o.Stream, "round", o.Missing[0])
	default:
		log.Warn("rounds were charged, and their releases are not there", "stream", o.Stream, "first", o.Missing[0],
			"releases", len(o.Missing))
	}
}
