package endtoend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/crash"
)

const sequenceDelta = 1e-6

// TestSequences plans, charges, kills, restores and copies at random. Whatever was done, account verify refuses a
// ledger that lacks a release which has left, and no other ledger. ε of a ledger that it takes is that of all charges
// by another composition: by a closed form if all units are in each round, else by dp_accounting in the deep suite. A
// sequence follows from its number.
func TestSequences(t *testing.T) {
	t.Parallel()
	number := testkit.Repeats(t, "accounting", 3, 300)
	folder := memory(t)
	schemes := sequenceCorpus(t, folder)
	if number < 100 {
		schemes = schemes[:1]
	}
	var asked []*sequence
	done := make(map[string]int)
	for seed := range number {
		s := &sequence{
			t: t, seed: seed, schemes: schemes, random: rand.New(rand.NewPCG(uint64(seed), 33)),
			folder: filepath.Join(folder, fmt.Sprint(seed)), left: make(map[string]int), done: done,
		}
		if s.run(); t.Failed() {
			t.Logf("sequence %d:\n%s", seed, strings.Join(s.log, "\n"))
			return
		}
		if !s.over && len(s.charges()) > 0 {
			asked = append(asked, s)
		}
		if err := os.RemoveAll(s.folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%v", done)
	for _, what := range []string{"killed", "gone on", "restored", "refused", "copied", "over"} {
		if number >= 100 && done[what] < number/20 {
			t.Errorf("%s: %d times in %d sequences", what, done[what], number)
		}
	}
	compare(t, asked, number >= 100)
}

// A sequencedScheme is how rounds are sampled, and contributions so: several files, each with coins of its own.
type sequencedScheme struct {
	flags         []string
	rounds        int
	contributions []string
}

// sequenceCorpus makes the vocabulary and the contributions of each scheme.
func sequenceCorpus(t *testing.T, folder string) (schemes []sequencedScheme) {
	write(t, folder, "vocab.txt", "apple\npear\n")
	write(t, folder, "docs.jsonl", strings.Repeat(`{"text":"apple pear"}`+"\n", 20))
	run(t, folder, "tokenize text -q --vocab vocab.txt -o docs.pp docs.jsonl")
	for i, scheme := range []string{
		"--all --rounds 1", "--all --rounds 3", "--poisson 0.2 --rounds 3", "--poisson 0.05 --rounds 5",
	} {
		s := sequencedScheme{flags: strings.Fields(scheme), rounds: int(scheme[len(scheme)-1] - '0')}
		for coins := range 2 {
			path := filepath.Join(folder, fmt.Sprintf("contributions-%d-%d.pp", i, coins))
			run(t, folder, fmt.Sprintf("sample -q %s docs.pp | estep words -q -o %s", scheme, path))
			s.contributions = append(s.contributions, path)
		}
		schemes = append(schemes, s)
	}
	return schemes
}

// A sequence is under way in a folder, where LEDGER is the ledger in use, and nights has the releases that left.
type sequence struct {
	t       *testing.T
	seed    int
	schemes []sequencedScheme
	random  *rand.Rand
	folder  string
	nights  int
	left    map[string]int // run to its rounds, each of which left
	over    bool           // no single ledger has all
	done    map[string]int
	epsilon float64 // of account report
	charged []ledgerCharge
	log     []string
}

// A ledgerCharge is a charge, as the line has it.
type ledgerCharge struct {
	Run         string
	Round       int
	Sensitivity float64
	Scale       float64
	Scheme      struct {
		Rate  float64
		Coins string
	}
}

func (s *sequence) run() {
	if err := os.MkdirAll(filepath.Join(s.folder, "nights"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.want("account", "ledger", "new", "-q", "LEDGER")
	for range 4 + s.random.IntN(5) {
		switch draw := s.random.IntN(10); {
		case draw < 5:
			s.night("LEDGER")
		case draw < 6:
			s.keep("backup")
		case draw < 8:
			s.restore()
		case draw < 9:
			s.copied()
		default:
			s.want("rm", "-rf", "LEDGER.releases")
		}
		if s.over || s.t.Failed() {
			return
		}
	}
	s.verify("LEDGER")
	if s.charged = s.charges(); len(s.charged) == 0 || s.t.Failed() {
		return
	}
	output := s.want("account", "report", "-q", "--json", "--delta", fmt.Sprint(sequenceDelta), "LEDGER")
	var report struct{ Epsilon float64 }
	if err := json.Unmarshal(output, &report); err != nil {
		s.t.Errorf("report: %v", err)
	}
	s.epsilon = report.Epsilon
}

// night plans and releases on a ledger, as the script of ACCOUNTING.md. The privatizer may be killed, and may be
// started again then.
func (s *sequence) night(ledger string) {
	s.nights++
	name, scheme := fmt.Sprintf("night%d", s.nights), s.schemes[s.random.IntN(len(s.schemes))]
	plan := append([]string{
		"plan", "-q", "--model", "words", "--matrix", "words=1xV", "--vocab", "../vocab.txt",
		"--ledger", ledger, "-o", "grant.json",
	}, scheme.flags...)
	if s.seed%4 == 3 { // with a budget, under which no batch is released again
		plan = append(plan, "--delta", fmt.Sprint(sequenceDelta), "--more", fmt.Sprintf("%.3f", 0.1+s.random.Float64()))
	} else {
		plan = append(plan, "--noise-multiplier", fmt.Sprintf("%.3f", 2+20*s.random.Float64()))
	}
	s.want("account", plan...)
	output := filepath.Join("nights", name+".pp")
	privatize := []string{
		"-q", "--run", name, "--grant", "grant.json", "--ledger", ledger, "-o", output,
		scheme.contributions[s.random.IntN(2)],
	}
	if s.random.IntN(3) == 0 {
		s.kill(privatize, 1+s.random.IntN(100))
		if s.random.IntN(2) == 0 {
			return
		}
		s.done["gone on"]++
	}
	if s.seed%4 != 3 {
		s.want("privatize", privatize...)
		return
	}
	code, _, said := s.command("privatize", privatize...)
	if code != 0 && (code != 83 || !strings.Contains(said, "released before")) {
		s.t.Errorf("privatize: exit code %d, %s", code, said)
	}
}

// kill kills the privatizer at a boundary of its system calls on files of the folder, or lets it end.
func (s *sequence) kill(arguments []string, at int) {
	s.log = append(s.log, fmt.Sprintf("privatize %s, killed at %d", strings.Join(arguments, " "), at))
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer null.Close()
	program, err := exec.LookPath("privatize")
	if err != nil {
		s.t.Fatal(err)
	}
	end, err := crash.Run(crash.Program{
		Path: program, Args: arguments, Dir: s.folder, Files: [3]*os.File{null, null, null}, Deadline: runDeadline,
	}, func(stop *crash.Stop) (bool, error) {
		if stop.Below(s.folder) {
			at--
		}
		return at == 0, nil
	})
	if end.Killed {
		s.done["killed"]++
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		s.t.Error(err)
	}
	s.leaves(arguments)
}

// leaves notes the releases that a privatizer has sent.
func (s *sequence) leaves(privatize []string) {
	run, output, contributions := privatize[2], privatize[8], privatize[9]
	if _, err := os.Stat(filepath.Join(s.folder, output)); err != nil {
		return
	}
	for _, scheme := range s.schemes {
		if slices.Contains(scheme.contributions, contributions) {
			s.left[run] = scheme.rounds
		}
	}
}

// keep keeps a copy of the ledger and of what is beside it.
func (s *sequence) keep(name string) {
	s.want("sh", "-c", "rm -rf "+name+" && mkdir "+name+" && cp -a LEDGER* "+name)
}

// put takes a copy, of all or of the ledger only, for the ledger.
func (s *sequence) put(name, what string) {
	s.want("sh", "-c", "rm -rf "+what+" && cp -a "+name+"/"+what+" .")
}

// restore puts an old copy back. If it lacks releases, account verify says so, and so does a privatizer if the folder
// is newer; then the newest copy is put back.
func (s *sequence) restore() {
	if _, err := os.Stat(filepath.Join(s.folder, "backup")); err != nil {
		return
	}
	s.keep("newest")
	what := []string{"LEDGER*", "LEDGER"}[s.random.IntN(2)]
	s.put("backup", what)
	s.done["restored"]++
	if s.verify("LEDGER") {
		return
	}
	s.put("newest", "LEDGER*")
	if !s.verify("LEDGER") {
		s.t.Error("the newest copy lacks a release")
	}
}

// copied goes on with a copy of the ledger elsewhere. The ledger then lacks what the copy released, and the other way
// round.
func (s *sequence) copied() {
	s.want("sh", "-c", "rm -rf copy && mkdir copy && cp -a LEDGER* copy")
	s.night("copy/LEDGER")
	s.done["copied"]++
	both := s.random.IntN(3) == 0
	if both {
		s.night("LEDGER")
	}
	copyIsWhole, ledgerIsWhole := s.verify("copy/LEDGER"), s.verify("LEDGER")
	switch {
	case ledgerIsWhole:
	case copyIsWhole:
		s.put("copy", "LEDGER*")
	default:
		s.want("account", "verify", "-q", "--releases", "nights", "LEDGER", "copy/LEDGER")
		s.over = true
		s.done["over"]++
	}
}

// verify runs account verify as the script does, and compares its answer with what has left.
func (s *sequence) verify(ledger string) (whole bool) {
	s.t.Helper()
	has := make(map[string]map[int]bool)
	for _, c := range chargesOf(s.t, filepath.Join(s.folder, ledger)) {
		if has[c.Run] == nil {
			has[c.Run] = make(map[int]bool)
		}
		has[c.Run][c.Round] = true
	}
	whole = true
	for run, rounds := range s.left {
		whole = whole && len(has[run]) >= rounds
	}
	code, _, said := s.command("account", "verify", "-q", "--releases", "nights", ledger)
	refused := code == 90
	// The file .last beside the ledger also shows a charge that was lost and never left.
	newer := refused && strings.Contains(said, "lines are missing")
	if code != 0 && code != 90 || refused == whole && !newer {
		s.t.Errorf("account verify of %s: exit code %d, it has all that left: %v; %s", ledger, code, whole, said)
	}
	if refused {
		s.done["refused"]++
	}
	return code == 0
}

// charges returns the charges of the ledger.
func (s *sequence) charges() []ledgerCharge { return chargesOf(s.t, filepath.Join(s.folder, "LEDGER")) }

func chargesOf(t *testing.T, ledger string) (all []ledgerCharge) {
	t.Helper()
	content, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		var one struct{ Charge *ledgerCharge }
		if err := json.Unmarshal(line, &one); err == nil && one.Charge != nil { // not a torn one
			all = append(all, *one.Charge)
		}
	}
	return all
}

// want runs a command that must succeed, and returns its output.
func (s *sequence) want(name string, arguments ...string) []byte {
	s.t.Helper()
	code, output, said := s.command(name, arguments...)
	if code != 0 {
		s.t.Errorf("%s %s: exit code %d: %s", name, strings.Join(arguments, " "), code, said)
	}
	return output
}

// command runs a command, and notes what a privatizer sent.
func (s *sequence) command(name string, arguments ...string) (code int, output []byte, said string) {
	s.t.Helper()
	var errs strings.Builder
	c := exec.Command(name, arguments...)
	c.Dir, c.Stderr, c.WaitDelay = s.folder, &errs, time.Second
	output, err := c.Output()
	if c.ProcessState == nil {
		s.t.Fatal(err)
	}
	code = c.ProcessState.ExitCode()
	s.log = append(s.log, fmt.Sprintf("%s %s: %d %s", name, strings.Join(arguments, " "), code, errs.String()))
	if name == "privatize" {
		s.leaves(arguments)
	}
	return code, output, errs.String()
}

// compare compares the ε of the reports with an independent composition: of rounds of all units by theorem 8 of Balle
// and Wang 2018, of others by dp_accounting.
func compare(t *testing.T, all []*sequence, deep bool) {
	t.Helper()
	var sampled []*sequence
	var lines bytes.Buffer
	for _, s := range all {
		squares, whole := 0.0, true
		list := [][3]any{}
		for _, c := range s.charged {
			noise := c.Scale / c.Sensitivity
			squares, whole = squares+1/(noise*noise), whole && c.Scheme.Rate == 1
			list = append(list, [3]any{noise, c.Scheme.Rate, fmt.Sprint(c.Scheme.Coins, c.Round)})
		}
		if whole {
			want := gaussianEpsilon(math.Sqrt(squares))
			if !(s.epsilon >= want*(1-1e-9) && s.epsilon <= want*(1+1e-3)) {
				t.Errorf("sequence %d: report says ε %v, the closed form %v", s.seed, s.epsilon, want)
			}
			continue
		}
		sampled = append(sampled, s)
		if err := json.NewEncoder(&lines).Encode([]any{sequenceDelta, list}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d sequences end with a ledger, %d of them with samples", len(all), len(sampled))
	if len(all) == 0 {
		t.Error("no sequence ends with a ledger")
	}
	if !deep {
		return
	}
	command := exec.Command(python(t, "dp_accounting"), "sequences.py")
	command.Stdin, command.Stderr = &lines, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(bytes.NewReader(output))
	for _, s := range sampled {
		var want float64
		if err := answers.Decode(&want); err != nil {
			t.Fatal(err)
		}
		// dp_accounting rounds losses up, to 5e-4 each.
		if !(s.epsilon >= want*(1-5e-3) && s.epsilon <= want*(1+5e-3)) {
			t.Errorf("sequence %d: report says ε %v, dp_accounting %v", s.seed, s.epsilon, want)
		}
	}
}

// gaussianEpsilon is the ε at sequenceDelta of Gaussian noise, by μ, the distance of neighbours over its standard
// deviation.
func gaussianEpsilon(mu float64) float64 {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	low, high := 0.0, 1e3
	for range 200 {
		epsilon := (low + high) / 2
		if normal(mu/2-epsilon/mu)-math.Exp(epsilon)*normal(-mu/2-epsilon/mu) > sequenceDelta {
			low = epsilon
		} else {
			high = epsilon
		}
	}
	return high
}
