package endtoend

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/crash"
)

// A sighting is what had left a victim at some moment, and what its ledger said then.
type sighting struct {
	when    string
	outputs [][]byte       // each as far as it went
	charged map[int]string // hash of the release by round
}

// files returns what stands in the output file and in what killed runs had of theirs, which nobody removes: it does.
func (v *victim) files() ([][]byte, error) {
	names, err := filepath.Glob(v.path("." + outputName + ".*.tmp"))
	if err != nil {
		return nil, err
	}
	var outputs [][]byte
	for _, name := range append(names, v.path(outputName)) {
		b, err := os.ReadFile(name)
		if err == nil && name != v.path(outputName) {
			err = os.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		outputs = append(outputs, b)
	}
	return outputs, nil
}

// sight records what stands in the output file.
func (v *victim) sight(when string) error {
	outputs, err := v.files()
	if err != nil {
		return err
	}
	return v.look(outputs, when)
}

// look records what left the victim, and checks what can be checked at once: the ledger and the stored releases.
func (v *victim) look(outputs [][]byte, when string) error {
	ledger, err := v.ledger()
	if err != nil {
		return fmt.Errorf("%s: %w", when, err)
	}
	hashes, err := charged(ledger)
	if err == nil {
		err = v.stored(hashes)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", when, err)
	}
	v.seen = append(v.seen, sighting{when, outputs, hashes})
	return nil
}

// ledger reads the ledger, of which nothing but the end of the last line may be missing.
func (v *victim) ledger() (*event.Ledger, error) {
	content, err := os.ReadFile(v.path(ledgerName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ledger, err := event.ReadLedger(bytes.NewReader(content), ledgerName)
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(content, '\n') + 1
	if ledger.Unended {
		whole = len(content)
	}
	if ledger.Size != int64(whole) || ledger.Torn != (len(content) > whole) {
		return nil, errors.New("more than the ledger's last line is torn")
	}
	return ledger, nil
}

// charged returns the hash of the release of each round that is charged, each once.
func charged(ledger *event.Ledger) (map[int]string, error) {
	hashes := make(map[int]string)
	for _, c := range ledger.Charges() {
		if _, twice := hashes[c.Round]; twice || c.Attempt != 0 || c.Run != crashRun {
			return nil, fmt.Errorf("round %d of run %s was charged twice, or is another's", c.Round, c.Run)
		}
		hashes[c.Round] = c.Release
	}
	return hashes, nil
}

func (v *victim) storedPath(round int) string {
	return v.path(fmt.Sprintf("%s/%s/%09d", releasesName, crashRun, round))
}

// sumEnding is that of the file beside a stored release, the digest of the sum that it was drawn from.
const sumEnding = ".sum"

// explained are the file names that a kill may leave beside the stored releases of charged rounds: a release, the
// digest of its sum, and unfinished files.
var explained = regexp.MustCompile(`^\d{9}(\.sum)?(\.tmp)?$`)

// stored checks that each charged release is stored, and that nothing else is there but what the next run replaces:
// files of the first round that is not charged.
func (v *victim) stored(hashes map[int]string) error {
	for round, charged := range hashes {
		b, err := os.ReadFile(v.storedPath(round))
		if err != nil {
			return err
		}
		if hash(b) != charged {
			return fmt.Errorf("the stored release of round %d is not the one that was charged", round)
		}
	}
	next := filepath.Base(v.storedPath(len(hashes) + 1))
	return filepath.WalkDir(v.path("wall"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == v.path(ledgerName) {
			return err
		}
		name := filepath.Base(path)
		if path == v.path(releasesName+"/.last") || path == v.path(releasesName+"/.last.tmp") {
			return nil // the hash of the last charge, and what is to become it
		}
		if filepath.Dir(path) != v.path(releasesName+"/"+crashRun) || !explained.MatchString(name) ||
			name[:9] > next || name[:9] < next && strings.HasSuffix(name, ".tmp") {
			return fmt.Errorf("%s was left behind", path)
		}
		return nil
	})
}

// order checks, before a line goes to the ledger and before a byte goes out, that a power cut could take back nothing
// that they stand on.
func (v *victim) order(s *crash.Stop) error {
	if v.disk == nil || !s.Writes() {
		return nil
	}
	ledger, err := v.ledger()
	if err != nil {
		return err
	}
	need := func(path string) error {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%s to the %s, but: %w", s.Name, v.place(&s.Call), err)
		}
		if volatile := v.disk.Volatile(path); len(volatile) > 0 {
			return fmt.Errorf("%s to the %s, but a power cut could undo %q", s.Name, v.place(&s.Call), volatile)
		}
		return nil
	}
	needRound := func(round int) error {
		return errors.Join(need(v.storedPath(round)), need(v.storedPath(round)+sumEnding))
	}
	v.checked[v.place(&s.Call)]++
	switch v.place(&s.Call) {
	case "ledger":
		if ledger.Unended {
			return nil // it is the newline of a line that counts already
		}
		// The line of the grant comes with its first charge, so it follows the stored release, too.
		return needRound(len(ledger.Charges()) + 1)
	case "output":
		err := need(v.path(ledgerName))
		for _, c := range ledger.Charges() {
			err = errors.Join(err, needRound(c.Round))
		}
		return err
	}
	return nil
}

// judge compares all that was ever seen of the victim with its last run, which came to its end. All output from before
// is the beginning of the last run's output. If any byte left for a round, the round was charged by then, with the last
// run's release.
func (v *victim) judge() error {
	last := v.seen[len(v.seen)-1]
	final := last.outputs[len(last.outputs)-1]
	rounds, err := v.decode(final)
	if err != nil {
		return err
	}
	if len(rounds) != v.rounds || len(last.charged) != v.rounds {
		return fmt.Errorf("%d releases and %d charges, want %d of each", len(rounds), len(last.charged), v.rounds)
	}
	for _, s := range v.seen {
		for _, output := range s.outputs {
			if !bytes.HasPrefix(final, output) {
				return fmt.Errorf("%s other bytes had left than at the end", s.when)
			}
			for number, r := range rounds {
				if int64(len(output)) > r.start && s.charged[number] != r.hash {
					return fmt.Errorf("%s bytes of round %d had left without the charge of that release", s.when,
						number)
				}
			}
		}
	}
	return v.tidy()
}

// tidy checks that nothing unfinished is left after a run that came to its end.
func (v *victim) tidy() error {
	return filepath.WalkDir(v.folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tmp") {
			err = fmt.Errorf("%s was left behind", path)
		}
		return err
	})
}
