package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// ledgerOf returns a ledger of a grant and charges of the given number of rounds.
func ledgerOf(t testing.TB, rounds int) []byte {
	t.Helper()
	ledger, b := new(Ledger), []byte(nil)
	for i := range rounds + 1 {
		line := ledger.Next(noon.Add(time.Duration(i) * time.Second))
		line.Type, line.Grant = TypeGrant, validGrant()
		if i > 0 {
			line.Type, line.Grant, line.Charge = TypeCharge, nil, validCharge(i)
		}
		encoded, err := line.Encode(ledger.LastHash())
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, encoded...)
		ledger.Lines = append(ledger.Lines, line)
	}
	return b
}

func read(b []byte) (*Ledger, error) { return ReadLedger(bytes.NewReader(b), "x.ledger") }

func TestReadLedger(t *testing.T) {
	b := ledgerOf(t, 3)
	ledger, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(ledger.Lines) != 4 || ledger.Size != int64(len(b)) || ledger.Torn {
		t.Errorf("%d lines, %d bytes, torn %v", len(ledger.Lines), ledger.Size, ledger.Torn)
	}
	charges := ledger.Charges()
	if len(charges) != 3 || *charges[2] != *validCharge(3) {
		t.Errorf("charges came back as %v", charges)
	}
	tally := ledger.Tally(nil)
	for round, want := range []int{0, 1, 1, 1, 0} {
		if n, other := tally.Charges("r", round), tally.Charges("R", round); n != want || other != 0 {
			t.Errorf("%d charges for round %d, %d in another run", n, round, other)
		}
	}
	if !tally.Begun("r") || tally.Begun("R") || tally.LastHash() != ledger.LastHash() {
		t.Errorf("the tally is %+v", tally)
	}
	if next := ledger.Next(noon); next.Sequence != 5 || ledger.LastHash() != ledger.Lines[3].Hash {
		t.Errorf("next line is %+v", next)
	}
	if empty, err := read(nil); err != nil || empty.LastHash() != Genesis || empty.Torn {
		t.Errorf("an empty input is %+v, %v", empty, err)
	}
}

// TestTornLine: wherever a crash cuts the last line, the whole lines count and the rest is torn. A line that lacks
// only its newline may have been released under, so it counts.
func TestTornLine(t *testing.T) {
	b := ledgerOf(t, 2)
	whole := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
	for cut := whole; cut < len(b)-1; cut++ {
		ledger, err := read(b[:cut])
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", cut, len(b), err)
		}
		if ledger.Torn != (cut > whole) || ledger.Size != int64(whole) || len(ledger.Lines) != 2 {
			t.Errorf("cut at %d of %d: torn %v, size %d", cut, len(b), ledger.Torn, ledger.Size)
		}
	}
	ledger, err := read(b[:len(b)-1])
	if err != nil || len(ledger.Lines) != 3 || ledger.Torn || !ledger.Unended || ledger.Size != int64(len(b)-1) {
		t.Errorf("without the last newline: %+v, %v", ledger, err)
	}
}

// TestChangedLedger: no change of a byte goes unseen. What a change of the very last newline leaves is a torn line.
func TestChangedLedger(t *testing.T) {
	b := ledgerOf(t, 1)
	for i := range b {
		for _, change := range []byte{1, 0x20, 0x80} { // another digit or letter, the other case, not ASCII
			changed := bytes.Clone(b)
			changed[i] ^= change
			ledger, err := read(changed)
			if i == len(b)-1 && err == nil && ledger.Torn {
				continue
			}
			broken := (*LedgerError)(nil)
			if !errors.As(err, &broken) {
				t.Fatalf("byte %d changed from %q to %q: got %v", i, b[i], changed[i], err)
			}
		}
	}
}

// TestChain: lines may not be removed, moved, doubled, or put in from another ledger.
func TestChain(t *testing.T) {
	lines := bytes.SplitAfter(ledgerOf(t, 3), []byte("\n"))[:4]
	for name, order := range map[string][]int{
		"first removed": {1, 2, 3}, "removed": {0, 2, 3}, "moved": {0, 2, 1, 3}, "doubled": {0, 1, 1, 2, 3},
	} {
		var b []byte
		for _, i := range order {
			b = append(b, lines[i]...)
		}
		_, err := read(b)
		if err == nil || !strings.Contains(err.Error(), "does not follow the one before") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Lines in the place of others, of the same number and with hashes that fit, but that of the line before does not.
	other := []byte(resealed(string(lines[2]), `"settings":"`, `"settings":"0`))
	first := []byte(resealed(string(lines[0]), `"previous":"0`, `"previous":"1`))
	for name, b := range map[string][]byte{
		"put in": slices.Concat(lines[0], lines[1], other, lines[3]), "first put in": first,
	} {
		_, err := read(b)
		if err == nil || !strings.Contains(err.Error(), "does not follow the one before") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// eachDigit calls other with hash but for one digit, for each.
func eachDigit(hash string, other func(at int, changed string)) {
	for at, digit := range hash {
		changed := []byte(hash)
		if changed[at] = '0'; digit == '0' {
			changed[at] = '1'
		}
		other(at, string(changed))
	}
}

// TestEveryDigit: a digest that differs in any one digit is another one, wherever two are compared.
func TestEveryDigit(t *testing.T) {
	lines := bytes.SplitAfter(ledgerOf(t, 2), []byte("\n"))
	ledger, err := read(bytes.Join(lines, nil))
	if err != nil {
		t.Fatal(err)
	}
	last := ledger.Lines[len(ledger.Lines)-1]
	eachDigit(last.Previous, func(at int, changed string) {
		line := resealed(string(lines[2]), last.Previous, changed)
		if _, err := read(slices.Concat(lines[0], lines[1], []byte(line))); err == nil {
			t.Errorf("digit %d of the hash of the line before is not compared", at)
		}
	})
	eachDigit(ledger.LastHash(), func(at int, changed string) {
		if ledger.HasLast([]byte(changed + "\n")) {
			t.Errorf("digit %d of the last hash is not compared", at)
		}
	})
	subject, charge := validGrant().Subject, validCharge(1)
	subject.Vocabulary, charge.Settings = strings.Repeat("0a", 32), strings.Repeat("b1", 32)
	eachDigit(subject.Vocabulary, func(at int, changed string) {
		other := subject
		if other.Vocabulary = changed; subject.Fits(other) == nil {
			t.Errorf("digit %d of the vocabulary is not compared", at)
		}
	})
	charged := (&Ledger{Lines: []*Line{{Charge: charge}}}).Tally(nil)
	eachDigit(charge.Settings, func(at int, changed string) {
		other := *charge
		if other.Settings = changed; charged.CheckRepeat(&other) == nil {
			t.Errorf("digit %d of the settings is not compared", at)
		}
	})
	if subject.Fits(subject) != nil || charged.CheckRepeat(charge) != nil {
		t.Error("the same digest is another one")
	}
}

// TestReader: from each mark on the same lines come as from the beginning, and nothing after an error. A mark is right
// also behind a line without its newline.
func TestReader(t *testing.T) {
	whole := ledgerOf(t, 3*apart)
	ledger, err := read(whole)
	if err != nil || len(ledger.Marks) != 3 {
		t.Fatalf("%d marks, %v", len(ledger.Marks), err)
	}
	for sequence := 1; sequence <= len(ledger.Lines); sequence++ {
		mark, behind := ledger.Marks.Around(sequence, ledger.Tally(nil).Last())
		if sequence-mark.Sequence > apart || mark.Sequence >= sequence || behind.Sequence < sequence ||
			behind.Sequence-mark.Sequence > apart || behind.Hash != ledger.Lines[behind.Sequence-1].Hash {
			t.Fatalf("marks around line %d are behind lines %d and %d", sequence, mark.Sequence, behind.Sequence)
		}
		for line, err := range NewReader(bytes.NewReader(whole[mark.End:]), "x.ledger", mark).Lines() {
			if want := ledger.Lines[mark.Sequence]; err != nil || line.Hash != want.Hash {
				t.Fatalf("after line %d: %+v, %v", mark.Sequence, line, err)
			}
			break
		}
	}
	mark := ledger.Marks[0]
	unended, err := read(whole[:mark.End-1])
	if err != nil || !unended.Unended || unended.Marks[0] != mark {
		t.Errorf("without its newline: %+v, %v, want %+v", unended.Marks, err, mark)
	}
	var errs []error
	other := Mark{mark.Sequence, Genesis, mark.End}
	for line, err := range NewReader(bytes.NewReader(whole[mark.End:]), "x.ledger", other).Lines() {
		if line != nil {
			t.Errorf("after a line of another hash: %+v", line)
		}
		errs = append(errs, err)
	}
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "x.ledger: line 65: line does not follow") {
		t.Errorf("got %q", errs)
	}
}

// TestNext: the time of a line is in whole seconds of UTC, rounded down, for whatever zone and clock.
func TestNext(t *testing.T) {
	at := time.Date(2026, 11, 22, 13, 14, 15, 999_999_999, time.FixedZone("", 3600))
	line := (&Ledger{Lines: make([]*Line, 4)}).Next(at)
	if want := time.Date(2026, 11, 22, 12, 14, 15, 0, time.UTC); line.Time != want || line.Sequence != 5 ||
		line.Version != LedgerVersion {
		t.Errorf("next line %+v, want one of %v", line, want)
	}
}

// resealed returns a line with a change, under a hash that fits it.
func resealed(line, old, new string) string {
	body, _, _ := strings.Cut(line, hashMember)
	body = strings.Replace(body, old, new, 1) + "}"
	sum := sha256.Sum256([]byte(body))
	return strings.TrimSuffix(body, "}") + hashMember + hex.EncodeToString(sum[:]) + "\"}\n"
}

// TestLedgerRules breaks one rule each in a line with a fitting hash. The chain has no key, so a fitting hash does not
// prove a line's origin.
func TestLedgerRules(t *testing.T) {
	lines := strings.SplitAfter(string(ledgerOf(t, 1)), "\n")
	for _, c := range []struct{ old, new, rule string }{
		{"", "", ""},
		{`"version":2`, `"version":3`, "ledger version 3, must be 1 to 2"},
		{`"version":2,`, ``, "ledger version 0, must be 1 to 2"},
		{`"type":"charge"`, `"type":"refund"`, `unknown event "refund"`},
		{`"type":"charge"`, `"type":"grant"`, "must have its member of that name"},
		{`"charge":{`, `"grant":null,"charge":{`, "not in the canonical form"},
		{`"run":"r"`, `"run":"r","seed":1`, `unknown field "seed"`},
		{`"run":"r"`, `"run":"r","note":{}`, `unknown field "note"`},
		{`"version":2`, `"version":2,"comment":""`, `unknown field "comment"`},
		{`"round":1`, `"round":0`, "round: number of rounds"},
		{`"mechanism":"gaussian"`, `"mechanism":"cauchy"`, `unknown mechanism "cauchy"`},
		{`"rate":0.25`, `"rate":0.25,"rate":0.1`, "not in the canonical form"},
		{`"rate":0.25`, `"Rate":0.25`, "not in the canonical form"},
		{`"rate":0.25`, `"rate":2.5e-1`, "not in the canonical form"},
		{`"rate":0.25`, `"rate": 0.25`, "not in the canonical form"},
		{`"dataset":"d"`, "\"dataset\":\"\xff\"", "not in the canonical form"},
		{`"sequence":2`, `"sequence":3`, "does not follow the one before"},
		{`"previous":"`, `"previous":"0`, "does not follow the one before"},
	} {
		_, err := read([]byte(lines[0] + resealed(lines[1], c.old, c.new)))
		expect(t, err, c.rule)
	}
	for name, b := range map[string]string{
		"empty line": "\n", "no JSON": "charge\n", "no object": "[]\n", "other numbers": "{\"version\":\"1\"}\n",
		"no hash": `{"version":1,"type":"charge"}` + "\n", "two values": strings.TrimSuffix(lines[0], "\n") + "{}\n",
		"too long": strings.Repeat(" ", MaxLine+1),
	} {
		if _, err := read([]byte(b)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestReadError: a disk that fails has not shown the ledger to be wrong.
func TestReadError(t *testing.T) {
	bad := errors.New("bad sector")
	_, err := ReadLedger(iotest.ErrReader(bad), "x.ledger")
	broken := (*LedgerError)(nil)
	if !errors.Is(err, bad) || errors.As(err, &broken) || !strings.Contains(err.Error(), "x.ledger") {
		t.Errorf("got %v", err)
	}
}

// TestReadErrorInTheMiddle: wherever the disk fails, the ledger is neither read as a shorter one nor as one with a torn
// line, which the next process would cut off.
func TestReadErrorInTheMiddle(t *testing.T) {
	b, bad := ledgerOf(t, 1), errors.New("bad sector")
	for at := range len(b) {
		ledger, err := ReadLedger(io.MultiReader(bytes.NewReader(b[:at]), iotest.ErrReader(bad)), "x.ledger")
		if !errors.Is(err, bad) || ledger != nil {
			t.Fatalf("after %d bytes: ledger %+v, error %v", at, ledger, err)
		}
	}
}

// TestShortReads: a ledger is the same in whatever pieces it is read.
func TestShortReads(t *testing.T) {
	b := ledgerOf(t, 2)
	for name, pieces := range map[string]func(io.Reader) io.Reader{
		"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "the end with the data": iotest.DataErrReader,
	} {
		for _, content := range [][]byte{b, b[:len(b)-1], b[:len(b)-9]} {
			whole, err := read(content)
			if err != nil {
				t.Fatal(err)
			}
			ledger, err := ReadLedger(pieces(bytes.NewReader(content)), "x.ledger")
			if err != nil || !reflect.DeepEqual(ledger, whole) {
				t.Errorf("%s: ledger %+v, error %v, want %+v", name, ledger, err, whole)
			}
		}
	}
}

// TestGrantTwice: a grant has one line. A second line, even of the same grant, is no privatizer's.
func TestGrantTwice(t *testing.T) {
	n := newNext(schemes()[Poisson], func(*Grant) {})
	expect(t, n.ledger.Check("x.ledger"), "")
	n.enter(n.grant)
	err := n.ledger.Check("x.ledger")
	expect(t, err, `x.ledger: line 4: grant "g1" is there a second time`)
	if code := err.(*LedgerError); code.ExitCode() != 90 || errors.Unwrap(err) != code.Err {
		t.Errorf("code %d, cause %v", code.ExitCode(), errors.Unwrap(err))
	}
}

// TestMembersOfALine: a line has the member that its type names, and no other.
func TestMembersOfALine(t *testing.T) {
	for _, kind := range []string{TypeHead, TypeGrant, TypeCharge} {
		for members := range 8 {
			line := &Line{Version: LedgerVersion, Sequence: 1, Type: kind}
			var has []string
			if members&1 > 0 {
				line.Head, has = validHead(), append(has, TypeHead)
			}
			if members&2 > 0 {
				line.Grant, has = validGrant(), append(has, TypeGrant)
			}
			if members&4 > 0 {
				line.Charge, has = validCharge(1), append(has, TypeCharge)
			}
			rule := "must have its member of that name, and no other"
			if len(has) == 1 && has[0] == kind {
				rule = ""
			}
			expect(t, line.check(), rule)
		}
	}
	draws := validCharge(1)
	draws.Draws = 0.5
	expect(t, (&Line{Version: 1, Type: TypeCharge, Charge: draws}).check(), "a member that came with version 2")
}

// TestEncodeRefuses: a line that could not be read again would make the whole ledger useless.
func TestEncodeRefuses(t *testing.T) {
	for rule, change := range map[string]func(*Line){
		"not UTF-8":         func(l *Line) { l.Charge.Dataset = "\xff" },
		"exceeds 65536":     func(l *Line) { l.Charge.Dataset = strings.Repeat("x", MaxLine) },
		"rounds must be":    func(l *Line) { l.Charge.Round = 0 },
		"must have its":     func(l *Line) { l.Charge = nil },
		"and no other":      func(l *Line) { l.Grant = validGrant() },
		"range [0,9999]":    func(l *Line) { l.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"unknown mechanism": func(l *Line) { l.Charge.Mechanism = "cauchy" },
	} {
		line := new(Ledger).Next(noon)
		line.Type, line.Charge = TypeCharge, validCharge(1)
		change(line)
		_, err := line.Encode(Genesis)
		expect(t, err, rule)
	}
}

// TestLongestLine: what Encode writes ReadLedger reads, to the last byte of the limit.
func TestLongestLine(t *testing.T) {
	encode := func(dataset int) ([]byte, error) {
		line := new(Ledger).Next(noon)
		line.Type, line.Charge = TypeCharge, validCharge(1)
		line.Charge.Dataset = strings.Repeat("x", dataset)
		return line.Encode(Genesis)
	}
	short, err := encode(1)
	if err != nil {
		t.Fatal(err)
	}
	longest := MaxLine - len(short) + 1
	b, err := encode(longest)
	if err != nil || len(b) != MaxLine {
		t.Fatalf("a line of %d bytes: %v", len(b), err)
	}
	if _, err := read(b); err != nil {
		t.Error(err)
	}
	if _, err := encode(longest + 1); err == nil {
		t.Error("a line beyond the limit is written")
	}
}

// FuzzReadLedger: a ledger that is accepted is, line for line and byte for byte, what its lines encode to. Since no
// random change finds a fitting hash, the first line is tried under one, too.
func FuzzReadLedger(f *testing.F) {
	whole := ledgerOf(f, 2)
	first, rest, _ := strings.Cut(string(whole), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	f.Add(whole)
	f.Add(whole[:len(whole)-20])
	f.Add([]byte(strings.Replace(first, `"clip":1`, `"clip":1.0`, 1)))
	for _, c := range []*Charge{validSelect(), validResponse()} {
		line := new(Ledger).Next(noon)
		line.Type, line.Charge = TypeCharge, c
		b, err := line.Encode(Genesis)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	second = strings.Replace(second, `"sequence":2`, `"sequence":1`, 1)
	f.Add([]byte(strings.Replace(second, `"d"`, `"<é\u2028>"`, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		reencode(t, b)
		line, _, _ := strings.Cut(string(b), "\n")
		reencode(t, []byte(resealed(line, "", "")))
	})
}

func reencode(t *testing.T, b []byte) {
	ledger, err := read(b)
	if err != nil {
		return
	}
	previous, encoded := Genesis, []byte(nil)
	for _, line := range ledger.Lines {
		b, err := line.Encode(previous)
		if err != nil {
			t.Fatal(err)
		}
		encoded, previous = append(encoded, b...), line.Hash
	}
	if ledger.Unended {
		encoded = encoded[:len(encoded)-1]
	}
	if ledger.Size != int64(len(encoded)) || !bytes.HasPrefix(b, encoded) {
		t.Errorf("accepted %q, which encodes to %q", b, encoded)
	}
	if ledger.Torn != (len(b) > len(encoded)) {
		t.Errorf("torn is %v, with %d bytes after the lines", ledger.Torn, len(b)-len(encoded))
	}
}

// TestHasLast: a ledger that was cut after a line lacks the hash of what was cut off.
func TestHasLast(t *testing.T) {
	whole := Ledger{Lines: []*Line{{Hash: strings.Repeat("a", 64)}, {Hash: strings.Repeat("b", 64)}}}
	cut := Ledger{Lines: whole.Lines[:1]}
	for content, has := range map[string][2]bool{ // in the whole ledger, and in the one that was cut
		whole.Lines[0].Hash + "\n": {true, true},
		whole.Lines[1].Hash + "\n": {true, false},
		whole.Lines[1].Hash:        {true, true}, // torn by a power cut
		"":                         {true, true},
		Genesis + "\n":             {true, true},
		"\n":                       {false, false},
	} {
		if whole.HasLast([]byte(content)) != has[0] || cut.HasLast([]byte(content)) != has[1] {
			t.Errorf("%q: want %v", content, has)
		}
	}
}
