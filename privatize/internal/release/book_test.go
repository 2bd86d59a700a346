package release

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/fixed"
)

// storedRelease is where the release of a round of run "run" is kept.
func storedRelease(ledger, round string) string {
	return filepath.Join(ledger+".releases", "run", round)
}

// onceReleased makes a ledger with one released round. It returns the ledger as it was before the charge and after.
func onceReleased(t *testing.T) (ledger string, before, after []byte, cells []int64) {
	t.Helper()
	ledger = newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	before = read(t, ledger)
	cells = release(t, p, 1, poisson, one)
	p.Close()
	return ledger, before, read(t, ledger), cells
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProtocol: when Release returns, the noisy cells are stored, and the charge that names them is the ledger's last
// line. A restart sends the same cells and charges nothing.
func TestProtocol(t *testing.T) {
	ledger, _, after, cells := onceReleased(t)
	for range 2 {
		p := open(t, ledger, newTerms(newGrant()))
		stored, err := p.Begin(1, poisson)
		if err != nil || !slices.Equal(stored, cells) {
			t.Fatalf("replay %v, error %v, want %v", stored, err, cells)
		}
		p.Close()
	}
	if !bytes.Equal(read(t, ledger), after) {
		t.Error("a replay changed the ledger")
	}
	info, err := os.Stat(storedRelease(ledger, "000000001"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || info.Size() != 6*8 {
		t.Errorf("stored release has mode %v and %d bytes", info.Mode(), info.Size())
	}
}

// TestCrashBeforeCharge: whatever a crash leaves before the charge is whole, nothing has left under it. The round
// begins again, with its own noise and one charge.
func TestCrashBeforeCharge(t *testing.T) {
	for name, crash := range map[string]func(t *testing.T, ledger string, before, after []byte){
		"before the spool": func(t *testing.T, ledger string, before, _ []byte) {
			write(t, ledger, before)
			os.RemoveAll(ledger + ".releases")
		},
		"within the spool": func(t *testing.T, ledger string, before, _ []byte) {
			write(t, ledger, before)
			spooled := storedRelease(ledger, "000000001")
			write(t, spooled+".tmp", read(t, spooled)[:20])
			os.Remove(spooled)
		},
		"before the rename": func(t *testing.T, ledger string, before, _ []byte) {
			write(t, ledger, before)
			spooled := storedRelease(ledger, "000000001")
			os.Rename(spooled, spooled+".tmp")
		},
		"before the charge": func(t *testing.T, ledger string, before, _ []byte) { write(t, ledger, before) },
		"after one byte of it": func(t *testing.T, ledger string, before, after []byte) {
			write(t, ledger, after[:len(before)+1])
		},
		"in the middle of it": func(t *testing.T, ledger string, before, after []byte) {
			write(t, ledger, after[:(len(before)+len(after))/2])
		},
		"between the grant and it": func(t *testing.T, ledger string, before, after []byte) {
			write(t, ledger, after[:len(before)+bytes.IndexByte(after[len(before):], '\n')+1])
		},
		"two bytes before its end": func(t *testing.T, ledger string, before, after []byte) {
			write(t, ledger, after[:len(after)-2])
		},
	} {
		t.Run(name, func(t *testing.T) {
			ledger, before, after, spooled := onceReleased(t)
			crash(t, ledger, before, after)
			os.Remove(ledger + ".releases/.last") // is written behind the charge
			left := read(t, ledger)
			p := open(t, ledger, newTerms(newGrant()))
			if !bytes.Equal(read(t, ledger), left[:bytes.LastIndexByte(left, '\n')+1]) {
				t.Fatal("the ledger was not brought back to its last whole line")
			}
			two := contribution{"two", []float32{0, 2, 0, 0, 0, 0}} // the round need not be the same
			cells := release(t, p, 1, poisson, two)
			if slices.Equal(cells, spooled) {
				t.Error("the spooled release was used for another sum")
			}
			p.Close()
			stored, err := open(t, ledger, newTerms(newGrant())).Begin(1, poisson)
			if err != nil || !slices.Equal(stored, cells) {
				t.Errorf("replay %v, error %v, want %v", stored, err, cells)
			}
			if n := len(charges(t, ledger)); n != 1 {
				t.Errorf("%d charges, want 1", n)
			}
			if left, _ := filepath.Glob(storedRelease(ledger, "*.tmp")); left != nil {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestCrashInGrantLine: a torn grant is entered again.
func TestCrashInGrantLine(t *testing.T) {
	ledger, before, after, _ := onceReleased(t)
	os.Remove(ledger + ".releases/.last") // is written behind the charge
	write(t, ledger, after[:len(before)+100])
	release(t, open(t, ledger, newTerms(newGrant())), 1, poisson, one)
	l, err := event.ReadLedger(bytes.NewReader(read(t, ledger)), ledger)
	if err != nil || len(l.Lines) != 3 || l.Lines[0].Head == nil || l.Lines[1].Grant == nil ||
		l.Lines[2].Charge == nil {
		t.Errorf("ledger of %d lines, error %v, want a head, a grant and a charge", len(l.Lines), err)
	}
}

// TestDamagedSpool: a round that is charged is answered with the very release, or not at all.
func TestDamagedSpool(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, stored string){
		"gone":   func(_ *testing.T, stored string) { os.Remove(stored) },
		"folder": func(_ *testing.T, stored string) { os.RemoveAll(filepath.Dir(filepath.Dir(stored))) },
		"changed": func(t *testing.T, stored string) {
			b := read(t, stored)
			b[17] ^= 1
			write(t, stored, b)
		},
		"cut":   func(t *testing.T, stored string) { write(t, stored, read(t, stored)[:40]) },
		"empty": func(t *testing.T, stored string) { write(t, stored, nil) },
		"longer": func(t *testing.T, stored string) {
			write(t, stored, append(read(t, stored), make([]byte, 8)...))
		},
		"still under way": func(_ *testing.T, stored string) { os.Rename(stored, stored+".tmp") },
	} {
		t.Run(name, func(t *testing.T) {
			ledger, _, _, _ := onceReleased(t)
			damage(t, storedRelease(ledger, "000000001"))
			refused(t, ledger, newTerms(newGrant()), 1, poisson, "stored release")
			// The other rounds go on.
			release(t, open(t, ledger, newTerms(newGrant())), 2, poisson, one)
		})
	}
}

// TestShapeOfStoredRelease: a stored release of another number of cells is not taken for this run's, even if it is the
// one that was charged.
func TestShapeOfStoredRelease(t *testing.T) {
	ledger, _, _, _ := onceReleased(t)
	stored := filepath.Join(ledger+".releases", "run", "000000001")
	write(t, stored, append(read(t, stored), make([]byte, 8)...))
	refused(t, ledger, newTerms(newGrant()), 1, poisson, "is not the one that was charged")

	p := open(t, newLedger(t), newTerms(newGrant()))
	release(t, p, 1, poisson, one)
	for columns, refused := range map[int]bool{5: true, 6: false, 7: true} {
		p.layout = new(fixed.Layout)
		p.layout.Append(1, columns)
		if _, err := p.readStored(p.charge); (err != nil) != refused {
			t.Errorf("6 cells for %d: %v", columns, err)
		}
	}
}

// TestFailedStep: where a step of the protocol fails, no cell leaves, and the next start begins the round again.
func TestFailedStep(t *testing.T) {
	for name, sabotage := range map[string]func(p *Privatizer, ledger string) (mend func()){
		"spool": func(_ *Privatizer, ledger string) func() {
			os.WriteFile(ledger+".releases", nil, 0o600) // a file where the folder goes
			return func() { os.Remove(ledger + ".releases") }
		},
		"charge": func(p *Privatizer, _ string) func() {
			p.book.Close() // writes fail from now on
			return func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			p := open(t, ledger, newTerms(newGrant()))
			digest := take(t, p, 1, poisson, one)
			mend := sabotage(p, ledger)
			cells, _, err := p.Release(Announced{1, 1, digest})
			if err == nil || cells != nil {
				t.Fatalf("released %v, error %v", cells, err)
			}
			p.Close()
			if n := len(charges(t, ledger)); n != 0 {
				t.Errorf("%d charges, want 0", n)
			}
			mend()
			release(t, open(t, ledger, newTerms(newGrant())), 1, poisson, one)
		})
	}
}

// TestLock: one privatizer holds a ledger, and the others wait for the end of its process or its Close.
func TestLock(t *testing.T) {
	ledger, _, after, _ := onceReleased(t)
	p := open(t, ledger, newTerms(newGrant()))
	_, err := Open(ledger, newTerms(nil))
	wantCode(t, err, 91)
	// By another name it is the same ledger.
	link := ledger + ".link"
	if err := os.Symlink(ledger, link); err != nil {
		t.Fatal(err)
	}
	_, err = Open(link, newTerms(newGrant()))
	wantCode(t, err, 91)
	if !bytes.Equal(read(t, ledger), after) {
		t.Error("the ledger changed")
	}
	p.Close()
	open(t, ledger, newTerms(newGrant()))
}

// TestTamperedLedger: a ledger that breaks its chain is not gone on with, nor changed.
func TestTamperedLedger(t *testing.T) {
	_, _, whole, _ := onceReleased(t)
	lines := bytes.SplitAfter(whole, []byte{'\n'})
	for name, tampered := range map[string][]byte{
		"more noise charged":   bytes.Replace(whole, []byte(`"scale":1,`), []byte(`"scale":9,`), 1),
		"other round":          bytes.Replace(whole, []byte(`"round":1,`), []byte(`"round":2,`), 1),
		"more releases":        bytes.Replace(whole, []byte(`"releases":2,`), []byte(`"releases":9,`), 1),
		"first line gone":      lines[1],
		"lines swapped":        slices.Concat(lines[1], lines[0]),
		"line twice":           slices.Concat(whole, lines[1]),
		"not a ledger":         []byte("# notes\n"),
		"torn and tampered":    slices.Concat(lines[1], lines[0][:20]),
		"empty line at end":    slices.Concat(whole, []byte{'\n'}),
		"line of zeros at end": slices.Concat(whole, make([]byte, 64), []byte{'\n'}),
	} {
		t.Run(name, func(t *testing.T) {
			if bytes.Equal(tampered, whole) {
				t.Fatal("the case changes nothing")
			}
			ledger := newLedger(t)
			write(t, ledger, tampered)
			_, err := Open(ledger, newTerms(newGrant()))
			wantCode(t, err, 90)
			if !bytes.Equal(read(t, ledger), tampered) {
				t.Error("the ledger changed")
			}
		})
	}
}

// TestSeveralRunsOfALedger: stored releases of runs do not meet.
func TestSeveralRunsOfALedger(t *testing.T) {
	ledger := newLedger(t)
	want := make(map[string][]int64)
	for _, run := range []string{"a", "b"} {
		terms := newTerms(newGrant())
		terms.Run = run
		p := open(t, ledger, terms)
		want[run] = release(t, p, 1, poisson, one)
		p.Close()
	}
	for run, cells := range want {
		terms := newTerms(newGrant())
		terms.Run = run
		p := open(t, ledger, terms)
		if stored, err := p.Begin(1, poisson); err != nil || !slices.Equal(stored, cells) {
			t.Errorf("run %s: replay %v, error %v, want %v", run, stored, err, cells)
		}
		p.Close()
	}
}

// encodeCells encodes cells as they are stored.
func encodeCells(cells []int64) []byte {
	var b bytes.Buffer
	writeCells(&b, cells) // never fails
	return b.Bytes()
}

// TestCells: stored cells are little-endian, also in the last chunk.
func TestCells(t *testing.T) {
	cells := slices.Repeat([]int64{0, 1, -2, math.MaxInt64, math.MinInt64}, 1<<14)
	b := encodeCells(cells)
	if len(b) != 8*len(cells) {
		t.Fatalf("%d cells take %d bytes", len(cells), len(b))
	}
	for i, cell := range cells {
		if got := int64(binary.LittleEndian.Uint64(b[8*i:])); got != cell {
			t.Fatalf("cell %d is %d, want %d", i, got, cell)
		}
	}
}

// FuzzLedgerTail: whatever follows a whole ledger, the charge in it is neither lost nor made twice. Either the ledger
// is refused and left alone, or it is cut to whole lines and the round is answered as it was released.
func FuzzLedgerTail(f *testing.F) {
	for _, tail := range []string{"", "{", "\n", "{}\n", "\x00\x00", `{"version":1,"sequence":3,`, "x\ny"} {
		f.Add([]byte(tail))
	}
	f.Fuzz(func(t *testing.T, tail []byte) {
		ledger, _, whole, cells := onceReleased(t)
		content := slices.Concat(whole, tail)
		write(t, ledger, content)
		p, err := Open(ledger, newTerms(newGrant()))
		if err != nil {
			if !bytes.Equal(read(t, ledger), content) {
				t.Error("the ledger is refused and changed")
			}
			return
		}
		defer p.Close()
		if stored, err := p.Begin(1, poisson); err != nil || !slices.Equal(stored, cells) {
			t.Errorf("replay %v, error %v, want %v", stored, err, cells)
		}
		take(t, p, 2, poisson, one)
		if _, _, err := p.Release(Announced{1, 1, wire.UnitDigest(one.unit)}); err != nil {
			t.Error(err)
		}
		if n := len(charges(t, ledger)); n != 2 {
			t.Errorf("%d charges, want 2", n)
		}
	})
}

// TestLedgerMustBeDurable: a device that keeps nothing is no ledger.
func TestLedgerMustBeDurable(t *testing.T) {
	_, err := Open("/dev/null", newTerms(nil))
	if err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v, want one of the sync", err)
	}
}
