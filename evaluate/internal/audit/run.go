package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// longest is how long a run of the binary may take.
const longest = time.Minute

// A bench is where the binary runs: a folder with a grant, and what the grant asks for.
type bench struct {
	binary string
	folder string
	terms  Terms
	grant  *event.Grant
	cells  int
}

// newBench makes a folder below folder and writes a grant for rounds there.
func newBench(binary, folder string, terms Terms, rounds, cells int) (*bench, error) {
	b := &bench{binary: binary, terms: terms, grant: terms.grant(rounds), cells: cells}
	encoded, err := encodeGrant(b.grant)
	if err != nil {
		return nil, err
	}
	if b.folder, err = os.MkdirTemp(folder, "bench-"); err != nil {
		return nil, err
	}
	return b, os.WriteFile(b.path("grant.json"), encoded, 0o600)
}

func (b *bench) path(name string) string { return filepath.Join(b.folder, name) }

// An outcome is what a run of the binary left behind.
type outcome struct {
	refusal  string // why it stopped, in its own words; empty if it did not
	releases []*stream.Set
	cells    [][]int64 // of each release
	ledger   *event.Ledger
}

// run runs the binary on an input, with the ledger of a folder below b's.
func (b *bench) run(ctx context.Context, home, input string) (*outcome, error) {
	if err := os.MkdirAll(b.path(home), 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	output, ledger := filepath.Join(b.path(home), "releases.pp"), filepath.Join(b.path(home), "ledger")
	defer os.Remove(output)
	command := exec.CommandContext(ctx, b.binary, b.terms.Mechanism, "--grant", b.path("grant.json"), "--ledger", ledger,
		"-o", output, b.path(input))
	command.Dir = b.path(home)
	var message bytes.Buffer
	command.Stderr = &message
	command.WaitDelay = time.Second // for a child of the binary that holds on to standard error
	err := command.Run()
	o := new(outcome)
	if stopped := (*exec.ExitError)(nil); errors.As(err, &stopped) && stopped.ExitCode() > 0 {
		o.refusal = fmt.Sprintf("exit code %d: %s", stopped.ExitCode(), firstLine(message.String()))
	} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, b.malformed("a run takes longer than %v", longest)
	} else if err != nil {
		return nil, b.malformed("%w", err)
	}
	if err := b.readReleases(o, output); err != nil {
		return nil, err
	}
	return o, b.readLedger(o, ledger)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line[:min(len(line), 200)]
}

// malformed says that the binary is no privatizer that an audit understands.
func (b *bench) malformed(format string, args ...any) error {
	return exit.Errorf(exit.Malformed, "%s: %w", b.binary, fmt.Errorf(format, args...))
}

// readReleases reads all whole releases of an output. A run that was refused may leave none, or a stream without end.
func (b *bench) readReleases(o *outcome, output string) error {
	content, err := os.ReadFile(output)
	if o.refusal != "" && (errors.Is(err, fs.ErrNotExist) || len(content) == 0) {
		return nil
	}
	if err != nil {
		return b.malformed("it wrote no output: %w", err)
	}
	in, err := stream.NewReader(bytes.NewReader(content), "its output")
	if err != nil {
		return err
	}
	h, err := in.Header()
	if err == nil {
		err = b.checkHeader(h)
	}
	for err == nil {
		var set *stream.Set
		if set, err = stream.ReadSet(in, nil); err == nil {
			var released []int64
			if released, err = stream.Cells[int64](set, h.Matrices[0].Name); err == nil {
				o.releases, o.cells = append(o.releases, set), append(o.cells, released)
			}
		}
	}
	if err == io.EOF || o.refusal != "" {
		return nil
	}
	return b.malformed("%w", err)
}

func (b *bench) checkHeader(h *wire.Header) error {
	if h.Kind != wire.Kind_RELEASES || len(h.Matrices) != 1 || h.Matrices[0].Cells() != b.cells {
		return errors.New("the output is not a stream of releases of the matrix that went in")
	}
	return nil
}

func (b *bench) readLedger(o *outcome, ledger string) error {
	file, err := os.Open(ledger)
	if errors.Is(err, fs.ErrNotExist) && o.refusal != "" {
		o.ledger = new(event.Ledger)
		return nil
	}
	if err != nil {
		return b.malformed("it wrote no ledger: %w", err)
	}
	defer file.Close()
	if o.ledger, err = event.ReadLedger(file, "its ledger"); err != nil {
		return b.malformed("%w", err)
	}
	return nil
}

// write writes an input into b's folder.
func (b *bench) write(input string, content []byte) error {
	return os.WriteFile(b.path(input), content, 0o600)
}

// remove removes a run's folder.
func (b *bench) remove(home string) error { return os.RemoveAll(b.path(home)) }

// books reports how the ledger of an outcome fails to account for its releases: each must have a charge under the grant
// that names it, and the lines that were there before, if before is not nil, must still be there.
func (b *bench) books(o, before *outcome) error {
	if o.ledger.Torn {
		return errors.New("the ledger's last line is torn")
	}
	if before != nil {
		if _, found := o.ledger.After(before.ledger.LastHash()); !found {
			return errors.New("lines of the ledger are gone")
		}
	}
	for i, release := range o.releases {
		sum := sha256.Sum256(stream.AppendCells(nil, o.cells[i]))
		at := slices.IndexFunc(o.ledger.Charges(), func(c *event.Charge) bool {
			return c.Run == runName && c.Round == int(release.Round) && c.Release == hex.EncodeToString(sum[:])
		})
		if at < 0 {
			return fmt.Errorf("round %d: a release that no charge of the ledger names", release.Round)
		}
		if err := checkCharge(o.ledger.Charges()[at], b.grant); err != nil {
			return fmt.Errorf("round %d: %w", release.Round, err)
		}
	}
	return nil
}

// charges returns the charge of each round of an outcome that released all of them.
func (b *bench) charges(o *outcome) ([]*event.Charge, error) {
	if o.refusal != "" {
		return nil, b.malformed("it refuses an input that is in order: %s", o.refusal)
	}
	rounds := b.grant.Scheme.Rounds
	if len(o.releases) != rounds {
		return nil, b.malformed("%d releases of %d rounds", len(o.releases), rounds)
	}
	charges := make([]*event.Charge, rounds)
	for i, release := range o.releases {
		if int(release.Round) != i+1 {
			return nil, b.malformed("release %d is of round %d", i+1, release.Round)
		}
		c := o.ledger.Find(runName, i+1)
		if c == nil || c.Scale == 0 || c.Mechanism != event.Gaussian && c.Mechanism != event.Laplace {
			return nil, exit.Errorf(exit.Refused, "%s: the ledger claims no privacy for round %d, which was released", b.binary, i+1)
		}
		charges[i] = c
	}
	if c := claimOf(charges); c.gaussian && c.loss > MaxMu {
		return nil, exit.Errorf(exit.Refused, "%s: the ledger claims a μ above %d, which is no privacy", b.binary, MaxMu)
	}
	return charges, nil
}
