package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"privpipe/evaluate/internal/audit"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// An Auditor audits one command on one data set.
type Auditor struct {
	Bin     string // the folder of the seeded programs, absolute
	Seed    uint64
	Command []string
	From    string // the folder that the command may find files in, absolute
	Folder  string // for temporary files
	Cases   []string
	Except  []string // patterns of names of files that are not compared
	Workers int
	// Patience is how long a run on a neighbour may take, at least.
	Patience time.Duration
	Status   func(format string, args ...any)
}

// same is the name of the second run on the same documents.
const same = "the same again"

// longer is how many times as long as the first run a run on a neighbour may take.
const longer = 30

// Audit runs the command on the data set, on the same again, and on each neighbour. It returns an error if the command
// cannot be audited: it fails, it is not the same with equal noise, or it releases nothing under a claim.
func (a *Auditor) Audit(ctx context.Context, d *Data) (relation Relation, results []*Result, err error) {
	folder, err := os.MkdirTemp(a.Folder, "privpipe-replay-")
	if err != nil {
		return relation, nil, err
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.Abs(folder); err != nil {
		return relation, nil, err
	}
	b := &bench{bin: a.Bin, seed: a.Seed, command: a.Command, from: a.From, folder: folder, except: a.Except,
		file:    d.File,
		longest: time.Hour}
	documents, err := d.form.encode(d.items)
	if err != nil {
		return relation, nil, err
	}
	began := time.Now()
	a.Status("the first run")
	first, err := b.run(ctx, "first", documents, nil)
	if err != nil {
		return relation, nil, err
	}
	b.longest = max(a.Patience, longer*time.Since(began))
	if first.code != 0 {
		return relation, nil, exit.Errorf(exit.Malformed, "the command fails, with exit code %d: %s", first.code,
			strings.TrimSpace(strings.Join(first.said, "")))
	}
	claims, err := first.claims()
	if err != nil {
		return relation, nil, err
	}
	if relation, err = relationOf(claims); err != nil {
		return relation, nil, err
	}
	neighbours, err := a.chosen(d.Neighbours(relation))
	if err == nil && len(neighbours) == 0 {
		err = exit.Errorf(exit.Usage, "the data set has no neighbours for unit %s: it needs documents of one word",
			relation.Unit)
	}
	if err != nil {
		return relation, nil, err
	}
	results = make([]*Result, len(neighbours))
	one := func(ctx context.Context, i int) error {
		n := neighbours[i]
		documents, err := d.form.encode(n.items)
		if err != nil {
			return err
		}
		other, err := b.run(ctx, fmt.Sprintf("neighbour-%d", i), documents, first)
		if err != nil {
			return err
		}
		results[i] = &Result{Neighbour: n.Name, Releases: len(first.kept)}
		return results[i].compare(first, other, claims)
	}
	status := func(i int) { a.Status("neighbour %d of %d", i, len(neighbours)) }
	again := &Result{Neighbour: same}
	other, err := b.run(ctx, "same", documents, first)
	if err == nil {
		err = again.compare(first, other, claims)
	}
	if err == nil && (again.Broken() != "" || again.Moved > 0) {
		err = exit.Errorf(exit.Malformed, "the command does not repeat itself with equal noise and coins: %s, sums "+
			"move by %.3g of their sensitivity", again.Broken(), again.Moved)
	}
	if err == nil {
		err = audit.Each(ctx, a.Workers, len(neighbours), status, one)
	}
	return relation, results, err
}

// claims returns the claims of all ledgers of a first run. Each release of the seeded build must have one, and each
// claim a release.
func (r *run) claims() (all []*claim, err error) {
	for _, f := range r.seen {
		if f.ledger == nil {
			continue
		}
		some, err := claimsOf(f.ledger)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, exit.Errorf(exit.Usage, "the command leaves no ledger with a release in its folder")
	}
	claimed := make(map[string]bool)
	for _, c := range all {
		outputs := c.of(r.kept)
		if len(outputs) == 0 {
			return nil, exit.Errorf(exit.Usage,
				"a release that no privatize of --bin made: does the command call another?")
		}
		for _, name := range outputs {
			claimed[name] = true
		}
	}
	for name := range r.kept {
		if !claimed[name] {
			return nil, exit.Errorf(exit.Refused, "no charge of a ledger claims anything of the release %s", name)
		}
	}
	return all, nil
}

// relationOf returns the relation of all claims.
func relationOf(claims []*claim) (Relation, error) {
	var r Relation
	for i, c := range claims {
		of := Relation{Adjacency: c.charge.Adjacency, Unit: c.charge.Unit}
		if i > 0 && (of.Adjacency != r.Adjacency || of.Unit != r.Unit) {
			return r, exit.Errorf(exit.Usage, "the ledger has charges for %s of a %s and for %s of a %s: a replay "+
				"needs one relation", r.Adjacency, r.Unit, of.Adjacency, of.Unit)
		}
		of.Fixed = r.Fixed || c.charge.Scheme.Method == event.Fixed
		r = of
	}
	return r, nil
}

// chosen returns the neighbours that a.Cases name, or all.
func (a *Auditor) chosen(all []Neighbour) ([]Neighbour, error) {
	if len(a.Cases) == 0 {
		return all, nil
	}
	known := make(map[string]Neighbour)
	names := make([]string, len(all))
	for i, n := range all {
		names[i], known[n.Name] = n.Name, n
	}
	var chosen []Neighbour
	for _, name := range a.Cases {
		n, ok := known[name]
		if !ok {
			return nil, exit.Errorf(exit.Usage, "--case must be one of %q, is %q", names, name)
		}
		chosen = append(chosen, n)
	}
	return chosen, nil
}
