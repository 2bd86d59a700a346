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

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// longest is the time limit for one run of the binary.
const longest = time.Minute

// A bench is a folder with a grant, and the terms of the grant. The binary runs there.
type bench struct {
	binary string
	folder string
	terms  Terms
	grant  *event.Grant
}

// newBench makes a folder below folder, and writes a grant for rounds there.
func newBench(binary, folder string, terms Terms, rounds int) (*bench, error) {
	b := &bench{binary: binary, terms: terms, grant: terms.grant(rounds)}
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

// An outcome is the result of one run of the binary.
type outcome struct {
	refusal  string // the binary's error message; empty if it did not refuse
	releases []*stream.Set
	cells    [][]int64 // for each release, the cells of all matrices one after the other
	ledger   *event.Ledger
}

// make makes a folder for one run, below b's folder.
func (b *bench) make(home string) error { return os.MkdirAll(b.path(home), 0o700) }

// run runs the binary on inputs in a run's folder, with that folder's ledger.
func (b *bench) run(ctx context.Context, home string, inputs ...string) (*outcome, error) {
	if err := b.make(home); err != nil {
		return nil, err
	}
	output, ledger := filepath.Join(b.path(home), "releases.pp"), filepath.Join(b.path(home), "ledger")
	if err := begin(ledger); err != nil {
		return nil, err
	}
	defer os.Remove(output)
	arguments := []string{b.terms.Mechanism, "--grant", b.path("grant.json"), "--ledger", ledger, "-o", output}
	for _, in := range inputs {
		arguments = append(arguments, b.path(in))
	}
	o := new(outcome)
	var err error
	if o.refusal, err = b.call(ctx, home, arguments); err != nil {
		return nil, err
	}
	if err := b.readReleases(o, output); err != nil {
		return nil, err
	}
	return o, b.readLedger(o, ledger)
}

// begin begins a ledger unless an earlier run has begun it. A privatizer begins none.
func begin(ledger string) error {
	if _, err := os.Stat(ledger); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	content, err := event.NewLedger(event.NewHead(), time.Now())
	if err != nil {
		return err
	}
	return os.WriteFile(ledger, content, 0o600)
}

// combine writes the partial sums of an input's rounds to another file in the same folder, and returns the file's name.
func (b *bench) combine(ctx context.Context, home, input string) (string, error) {
	sums := input + ".sums"
	refusal, err := b.call(ctx, home,
		[]string{"combine", "--grant", b.path("grant.json"), "-o", b.path(sums), b.path(input)})
	if err == nil && refusal != "" {
		err = b.malformed("it refuses to combine an input that is in order: %s", refusal)
	}
	return sums, err
}

// call calls the binary. refusal is the binary's error message. It is empty if the binary did not refuse.
func (b *bench) call(ctx context.Context, home string, arguments []string) (refusal string, err error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	command := exec.CommandContext(ctx, b.binary, arguments...)
	command.Dir = b.path(home)
	var message bytes.Buffer
	command.Stderr = &message
	command.WaitDelay = time.Second // for a child of the binary that holds on to standard error
	err = command.Run()
	if stopped := (*exec.ExitError)(nil); errors.As(err, &stopped) && stopped.ExitCode() > 0 {
		return fmt.Sprintf("exit code %d: %s", stopped.ExitCode(), firstLine(message.String())), nil
	} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "", b.malformed("a run takes longer than %v", longest)
	} else if err != nil {
		return "", b.malformed("%w", err)
	}
	return "", nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line[:min(len(line), 200)]
}

// malformed returns the error about a binary that does not behave like a privatizer.
func (b *bench) malformed(format string, args ...any) error {
	return exit.Errorf(exit.Malformed, "%s: %w", b.binary, fmt.Errorf(format, args...))
}

// readReleases reads all complete releases in an output. A refused run may leave none, or a stream without an end
// record.
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
			if released, err = cellsOf(h, set); err == nil {
				o.releases, o.cells = append(o.releases, set), append(o.cells, released)
			}
		}
	}
	if err == io.EOF || o.refusal != "" {
		return nil
	}
	return b.malformed("%w", err)
}

// cellsOf returns the cells of all matrices in a release.
func cellsOf(h *wire.Header, set *stream.Set) ([]int64, error) {
	var all []int64
	for _, m := range h.Matrices {
		cells, err := stream.Cells[int64](set, m.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, cells...)
	}
	return all, nil
}

func (b *bench) checkHeader(h *wire.Header) error {
	same := h.Kind == wire.Kind_RELEASES && slices.EqualFunc(h.Matrices, b.terms.layout.header(wire.Element_INT64),
		func(x, y *wire.Matrix) bool { return proto.Equal(x, y) })
	if !same {
		return errors.New("the output is not a stream of releases of the matrices that went in")
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

// books returns an error if the ledger of an outcome does not account for its releases. Under the grant, each release
// must have a charge that names it. If before is not nil, the ledger must still begin with the lines of before.
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
		if err := checkCharge(o.ledger.Charges()[at], release.Release.Clip, b.grant); err != nil {
			return fmt.Errorf("round %d: %w", release.Round, err)
		}
	}
	return nil
}

// charges returns the charge for each round. The outcome must have released all rounds of its input.
func (b *bench) charges(o *outcome, rounds int) ([]*event.Charge, error) {
	if o.refusal != "" {
		return nil, b.malformed("it refuses an input that is in order: %s", o.refusal)
	}
	if len(o.releases) != rounds {
		return nil, b.malformed("%d releases of %d rounds", len(o.releases), rounds)
	}
	last := make(map[int]*event.Charge)
	for _, c := range o.ledger.Charges() {
		if c.Run == runName {
			last[c.Round] = c
		}
	}
	charges := make([]*event.Charge, rounds)
	for i, release := range o.releases {
		if int(release.Round) != i+1 {
			return nil, b.malformed("release %d is of round %d", i+1, release.Round)
		}
		c := last[i+1]
		if c == nil || c.Scale == 0 || c.Mechanism != event.Gaussian && c.Mechanism != event.Laplace {
			return nil, exit.Errorf(exit.Refused, "%s: the ledger claims no privacy for round %d, which was released",
				b.binary, i+1)
		}
		charges[i] = c
	}
	// At most two rounds, with one unit in both, are measured together.
	if c := claimOf(charges[:min(2, rounds)]); c.gaussian && c.loss > MaxMu {
		return nil, exit.Errorf(exit.Refused, "%s: the ledger claims a μ above %d, which is no privacy", b.binary,
			MaxMu)
	}
	return charges, nil
}
