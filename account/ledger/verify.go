package ledger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// VerifyCommand is account verify.
type VerifyCommand struct {
	LastHash []string `placeholder:"HEX" help:"Refuse a ledger without a line of this hash, which somebody noted earlier as the last hash of the ledger: lines were cut off. May be repeated."`
	Releases string   `placeholder:"DIR|FILE|TOPIC" help:"Compare these releases with their charges. Each release of a file, of a topic, or of the files in a folder must have been charged. A folder of stored releases, as LEDGER.releases, must hold every one. The default is LEDGER.releases if it exists; a release that is missing, or that this user may not read, is then only a warning."`
	JSON     bool     `name:"json" help:"Print JSON, not a line a ledger."`
	Output   string   `short:"o" placeholder:"FILE" help:"Write the result here; standard output by default."`
	Ledgers  []string `arg:"" name:"ledger" help:"Ledgers of privatize."`
}

// Help is the text that --help adds for this command.
func (c *VerifyCommand) Help() string {
	return "Checks a ledger. Its chain of hashes must be whole. Each charge must be one that privatize would have " +
		"made after the lines before it, at the time of its line. All charges up to the last one of a grant with a " +
		"budget must keep that budget. The whole ledger must keep its own budget, and the latest planned budget " +
		"(exit code 83). Stored releases are compared with their charges, and so are streams of releases from " +
		"anyone, or a folder of them (--releases). A release without a charge, or one that differs from its charge, " +
		"is an error (exit code 90). A charge without its release is a warning. The hash that privatize keeps " +
		"beside stored releases shows whether lines were cut off the end, and so does --last-hash. If somebody " +
		"writes a ledger and all beside it again from the start, nothing shows it."
}

// Validate is kong's hook.
func (c *VerifyCommand) Validate() error {
	for _, hash := range c.LastHash {
		if b, err := hex.DecodeString(hash); err != nil || len(b) != 32 || hash != strings.ToLower(hash) {
			return fmt.Errorf("--last-hash must have 64 hexadecimal digits, in lower case, is %q", hash)
		}
	}
	if c.Releases == endpoint.Stdio && slices.Contains(c.Ledgers, endpoint.Stdio) {
		return errors.New("standard input is a ledger, or --releases, and not both")
	}
	if len(c.Ledgers) > 1 && c.stored() {
		return errors.New("a folder of stored releases belongs to one ledger")
	}
	return nil
}

// A verification is the result for one ledger that passed all checks.
type verification struct {
	Ledger   string `json:"ledger"`
	Lines    int    `json:"lines"`
	Charges  int    `json:"charges"`
	LastHash string `json:"last_hash"`
	Torn     bool   `json:"torn_last_line,omitempty"`
	// DisjointDatasets says that the budgets are kept if data sets share no unit. Nobody can verify from the ledger
	// that they share none.
	DisjointDatasets bool `json:"disjoint_datasets,omitempty"`
	// Releases is the folder of the stored releases that were compared with their charges. It is empty if none were
	// compared. Missing lists the paths of stored releases that do not exist.
	Releases string   `json:"releases,omitempty"`
	Missing  []string `json:"missing_releases,omitempty"`
	// Unreadable counts the stored releases that this user may not read.
	Unreadable int `json:"unreadable_releases,omitempty"`
}

// Run is kong's hook.
func (c *VerifyCommand) Run(r *filter.Run) error {
	streams, err := c.streams(r) // before the ledgers: see ledgers.ReadStream
	if err != nil {
		return err
	}
	var read []*event.Ledger
	var verified []*verification
	wanted := slices.Clone(c.LastHash)
	for _, name := range c.Ledgers {
		// The hash beside the releases is read before the ledger, because a running privatizer writes the hash after
		// the ledger.
		folder := c.folder(name)
		last, err := ledgers.LastOf(folder)
		if errors.Is(err, fs.ErrPermission) {
			r.Log.Warn("this user may not read the hash beside the stored releases: lines that are cut off the end "+
				"do not show without --last-hash",
				"file", filepath.Join(folder, event.LastName))
		} else if err != nil {
			return err
		}
		ledger, err := ledgers.Read(r, name)
		if err != nil {
			return err
		}
		v, err := c.verify(name, ledger, folder, last)
		if err != nil {
			return err
		}
		v.warn(r)
		if v.Torn {
			r.Log.Warn("the last line is torn, from a crash; nothing was released under it", "ledger", name)
		}
		wanted = slices.DeleteFunc(wanted, func(hash string) bool {
			_, found := ledger.After(hash)
			return found
		})
		verified, read = append(verified, v), append(read, ledger)
	}
	if len(wanted) > 0 {
		return exit.Errorf(exit.Malformed,
			"%s: no line has hash %s: lines were cut off the end, or it is another ledger",
			strings.Join(c.Ledgers, ", "), wanted[0])
	}
	all := verifications{Verified: verified}
	for _, stream := range streams {
		released, err := stream.Compare(read)
		if err != nil {
			return err
		}
		released.Warn(r.Log)
		all.Folder = append(all.Folder, released)
	}
	switch {
	case ledgers.IsStream(c.Releases):
		all.Released, all.Folder = all.Folder[0], nil
	case c.Releases != "" && !c.stored() && len(streams) == 0:
		r.Log.Warn("no stream of releases is in this folder", "folder", c.Releases)
	}
	return print.Flags{JSON: c.JSON, Output: c.Output}.Indented(r, all)
}

// streams reads the streams that --releases names.
func (c *VerifyCommand) streams(ctx context.Context) ([]*ledgers.Stream, error) {
	switch {
	case ledgers.IsStream(c.Releases):
		stream, err := ledgers.ReadStream(ctx, c.Releases)
		return []*ledgers.Stream{stream}, err
	case c.Releases != "" && !c.stored():
		return ledgers.ReadFolder(ctx, c.Releases)
	}
	return nil, nil
}

// stored says whether --releases names a folder of stored releases.
func (c *VerifyCommand) stored() bool {
	return c.Releases != "" && !ledgers.IsStream(c.Releases) &&
		slices.ContainsFunc(c.Ledgers, func(ledger string) bool { return ledgers.IsStored(c.Releases, ledger) })
}

// folder returns the folder with a ledger's stored releases. It is beside the file itself, even if name is a link.
func (c *VerifyCommand) folder(name string) string {
	if c.stored() {
		return c.Releases
	}
	if name == endpoint.Stdio {
		return ""
	}
	return ledgers.StoredFolder(name)
}

// warn names each stored release that is missing. If a run misses several, it only counts them.
func (v *verification) warn(r *filter.Run) {
	if v.Unreadable > 0 {
		r.Log.Warn("this user may not read stored releases: they were not compared with their charges", "ledger",
			v.Ledger, "releases", v.Unreadable)
	}
	of := make(map[string][]string)
	for _, path := range v.Missing {
		of[filepath.Dir(path)] = append(of[filepath.Dir(path)], path)
	}
	for _, folder := range slices.Sorted(maps.Keys(of)) {
		if paths := of[folder]; len(paths) == 1 {
			r.Log.Warn("this stored release is not there", "release", paths[0])
		} else {
			r.Log.Warn("stored releases of this run are not there", "folder", folder, "releases", len(paths))
		}
	}
}

// verifications is what account verify prints, and its JSON form.
type verifications struct {
	Released *ledgers.Compared   `json:"released,omitempty"`
	Folder   []*ledgers.Compared `json:"released_in_folder,omitempty"`
	Verified []*verification     `json:"verified"`
}

// Table prints a line for each ledger, and for each stream.
func (all verifications) Table(b *bytes.Buffer) {
	for _, v := range all.Verified {
		if len(all.Verified) > 1 {
			fmt.Fprintf(b, "%s: ", v.Ledger)
		}
		fmt.Fprintf(b, "verified: %d lines, %d charges, last hash %s", v.Lines, v.Charges, v.LastHash)
		if v.DisjointDatasets {
			fmt.Fprintf(b, "; %s", accountant.DisjointNote)
		}
		fmt.Fprintln(b)
	}
	streams := all.Folder
	if all.Released != nil {
		streams = append(streams, all.Released)
	}
	for _, s := range streams {
		fmt.Fprintf(b, "released: %d releases of run %s in %s, each as it was charged\n", s.Releases, s.Run, s.Stream)
	}
}

// verify checks that a ledger respects its grants and budgets, and that stored releases are as they were charged. last
// is the content of the file in folder that names the last charge. It is nil if there is no such file.
func (c *VerifyCommand) verify(name string, ledger *event.Ledger, folder string, last []byte) (*verification, error) {
	v := &verification{
		Ledger: name, Lines: len(ledger.Lines), Charges: len(ledger.Charges()), LastHash: ledger.LastHash(),
		Torn:             ledger.Torn,
		DisjointDatasets: accountant.DisjointDatasets(ledger),
	}
	if overspent, err := ledgers.CheckOverspent(name, ledger); overspent != nil || err != nil {
		return nil, cmp.Or(overspent, err)
	}
	if err := ledgers.CheckBudgets(name, ledger); err != nil {
		return nil, err
	}
	v.Releases = folder
	if _, err := os.Stat(v.Releases); err != nil && (c.stored() || !errors.Is(err, fs.ErrPermission)) {
		if c.stored() || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		v.Releases = ""
		return v, nil
	}
	if last != nil && !ledger.HasLast(last) {
		return nil, &event.LedgerError{
			Name: name, Line: len(ledger.Lines) + 1,
			Err: fmt.Errorf("lines are missing: %s was charged after it", folder),
		}
	}
	missing, err := ledgers.CheckReleases(name, ledger, v.Releases)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 && c.stored() {
		first := missing[0]
		if first.Unreadable {
			return nil, exit.Errorf(exit.Missing, "%s: permission denied", first.Path)
		}
		return nil, &event.LedgerError{Name: name, Line: first.Line,
			Err: fmt.Errorf("its release %s is not there", first.Path)}
	}
	for _, m := range missing {
		if m.Unreadable {
			v.Unreadable++
		} else {
			v.Missing = append(v.Missing, m.Path)
		}
	}
	if v.Unreadable > 0 && v.Unreadable == v.Charges {
		v.Releases = "" // no release was compared
	}
	return v, nil
}
