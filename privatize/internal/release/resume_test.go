package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"privpipe/privatize/internal/claims"
)

// sent is a release as an output shows it.
func sent(round int, cells []int64) Sent {
	digest := sha256.Sum256(encodeCells(cells))
	return Sent{round, hex.EncodeToString(digest[:])}
}

// TestResume: what the output holds must be charged here, or claimed by another ledger.
func TestResume(t *testing.T) {
	log := new(sharedLog)
	first, second := newLedger(t), newLedger(t)
	p := open(t, first, claiming(log))
	if err := p.Resume(nil); err != nil {
		t.Fatal(err)
	}
	cells, err := finish(t, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	whole, part := sent(1, cells), Sent{Round: 1}
	cells[0]++
	other := sent(1, cells)
	for at, digit := range []byte(whole.Digest) { // of which every digit counts
		changed := []byte(whole.Digest)
		if changed[at] = '0'; digit == '0' {
			changed[at] = '1'
		}
		if p.Resume([]Sent{{1, string(changed)}}) == nil {
			t.Errorf("digit %d of a digest is not compared", at)
		}
	}
	p.Close()
	if err := p.Resume([]Sent{whole}); err == nil {
		t.Error("a ledger that cannot be read has the charge")
	}

	for name, c := range map[string]struct {
		ledger  string
		claims  claims.Log
		sent    []Sent
		refused bool
	}{
		"charged":                      {first, nil, []Sent{whole, whole}, false},
		"charged, a part":              {first, nil, []Sent{part}, false},
		"charged, other cells":         {first, nil, []Sent{whole, other}, true},
		"charged, another round":       {first, nil, []Sent{whole, {2, whole.Digest}}, true},
		"not charged, a part":          {first, nil, []Sent{{Round: 2}}, true},
		"another ledger":               {second, nil, []Sent{whole}, true},
		"another ledger that claimed":  {second, log, []Sent{whole, part}, false},
		"nobody claimed":               {second, log, []Sent{whole, {Round: 2}}, true},
		"own claim, charged":           {first, log, []Sent{whole}, false},
		"own claim, other cells":       {first, log, []Sent{other}, true},
		"an empty log is no other's":   {second, new(sharedLog), []Sent{whole}, true},
		"an empty log, and no release": {second, new(sharedLog), nil, false},
	} {
		terms := claiming(nil)
		terms.Claims = c.claims
		p := open(t, c.ledger, terms)
		err := p.Resume(c.sent)
		p.Close()
		if c.refused {
			wantCode(t, err, 90)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.refused && err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestResumeFromClaims: a claim without a charge is what a crash leaves, and the last one of a ledger only.
func TestResumeFromClaims(t *testing.T) {
	log, ledger := new(sharedLog), newLedger(t)
	p := open(t, ledger, claiming(log))
	if _, err := finish(t, p, 1); err != nil {
		t.Fatal(err)
	}
	before := read(t, ledger)
	for round := 2; round <= 3; round++ {
		if _, err := finish(t, p, round); err != nil {
			t.Fatal(err)
		}
		p.Close()
		// Put back with what is beside it, of which only the last hash would tell.
		whole := read(t, ledger)
		last := read(t, ledger+".releases/.last")
		write(t, ledger, before)
		if err := os.Remove(ledger + ".releases/.last"); err != nil {
			t.Fatal(err)
		}
		q := open(t, ledger, claiming(log))
		err := q.Resume(nil)
		q.Close()
		if round == 2 && err != nil {
			t.Errorf("as after a crash: %v", err)
		}
		if round == 3 {
			wantCode(t, err, 90)
		}
		write(t, ledger, whole)
		write(t, ledger+".releases/.last", last)
		p = open(t, ledger, claiming(log))
		if err := p.Resume(nil); err != nil {
			t.Errorf("the whole ledger: %v", err)
		}
	}
	p.Close()
	// Claims of other runs and of other ledgers say nothing.
	terms := claiming(&sharedLog{entries: [][]byte{
		[]byte(`{"version":1,"run":"other","round":2,"attempt":1,"owner":"` +
			string(bytes.TrimSpace(read(t, ledger+".releases/.owner"))) + `"}`),
		// Who has claimed a second release of a charged round is no former name of this ledger.
		[]byte(`{"version":1,"run":"run","round":1,"attempt":2,"owner":"00000000000000000000000000000001"}`),
		[]byte(`{"version":1,"run":"run","round":5,"attempt":1,"owner":"00000000000000000000000000000001"}`),
		[]byte(`{"version":1,"run":"run","round":6,"attempt":1,"owner":"00000000000000000000000000000001"}`),
	}})
	if err := open(t, ledger, terms).Resume(nil); err != nil {
		t.Error(err)
	}
	damaged := newLedger(t)
	wantCode(t, open(t, damaged, claiming(&sharedLog{entries: [][]byte{[]byte("MARKER")}})).Resume(nil), 90)
}
