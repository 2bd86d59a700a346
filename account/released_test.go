package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// dusk is a grant of three rounds with two matrices, of which one has a bound of its own and one is symmetric.
func dusk() *event.Grant {
	return &event.Grant{
		Version: event.GrantVersion, ID: "dusk", Created: testkit.Noon, Mechanism: event.Gaussian,
		Adjacency: event.AddRemove,
		Unit:      event.Document, Clip: 3, NoiseMultiplier: 4, Releases: 4,
		Statistics: []event.Statistic{{Name: "s", Bound: 0.5}},
		Scheme:     event.Scheme{Method: event.Epoch, Rate: 0.25, Rounds: 4},
		Subject: event.Subject{Model: "lda", Matrices: []event.Matrix{
			{Name: "m", Rows: 1, Columns: 3}, {Name: "s", Rows: 2, Columns: 2, Symmetric: true},
		}},
	}
}

// duskHeader is that of the releases of a run.
func duskHeader() *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: "dusk", Model: "lda",
		Unit: wire.Unit_DOCUMENT,
		Matrices: []*wire.Matrix{
			{Name: "m", Rows: 1, Columns: 3, Element: wire.Element_INT64},
			{Name: "s", Rows: 2, Columns: 2, Element: wire.Element_INT64, Symmetric: true},
		},
	}
}

// duskCells are the cells of a release, which a round and a draw of its noise give.
func duskCells(round, draw int64) [][]int64 {
	return [][]int64{{round, -draw, 0}, {1 << 40, round, draw}}
}

// duskHead is what a release states.
func duskHead(t testing.TB) *wire.Release {
	bound, scale := dusk().Steps()
	scheme, err := wire.SchemeOf(dusk().Scheme)
	if err != nil {
		t.Fatal(err)
	}
	return &wire.Release{
		Mechanism: event.Gaussian, Grant: "dusk", Grid: 3 / float64(bound), Clip: bound, Scale: scale, Scheme: scheme,
		Bounds: []float64{1, 0.5},
	}
}

// duskRelease is a release as records.
func duskRelease(head *wire.Release, round, draw int64) []*wire.Record {
	records := []*wire.Record{{Round: uint32(round), Body: &wire.Record_Release{Release: head}}}
	for i, cells := range duskCells(round, draw) {
		block := &wire.Block{Matrix: uint32(i), Values: stream.AppendCells(nil, cells)}
		records = append(records, &wire.Record{Round: uint32(round), Body: &wire.Record_Block{Block: block}})
	}
	return records
}

// duskCharge is the charge of a release.
func duskCharge(round, draw int64) *event.Charge {
	c := testkit.ChargeOf(dusk(), int(round), "dusk")
	var b []byte
	for _, cells := range duskCells(round, draw) {
		b = stream.AppendCells(b, cells)
	}
	digest := sha256.Sum256(b)
	c.Release = hex.EncodeToString(digest[:])
	return c
}

// duskLedger is a ledger of charges.
func duskLedger(t testing.TB, charges ...*event.Charge) []byte {
	var b testkit.Book
	b.Grant(t, dusk())
	for _, c := range charges {
		b.Charge(t, c)
	}
	return b.Bytes
}

// releasedLedgers are ledgers of two rounds, of which the second was released again, and streams of releases.
func releasedLedgers(t *testing.T) map[string][]byte {
	again := duskCharge(2, 8)
	again.Attempt = 2
	files := map[string][]byte{
		"dusk.ledger":      duskLedger(t, duskCharge(1, 7), duskCharge(2, 7), again),
		"dusk-back.ledger": duskLedger(t, duskCharge(1, 7)),
		"dusk-rest.ledger": duskLedger(t, duskCharge(2, 7)),
	}
	put := func(name string, h *wire.Header, rounds ...[]*wire.Record) {
		var records []*wire.Record
		for _, r := range rounds {
			records = append(records, r...)
		}
		files[name], _ = script.Stream(h, records...)
	}
	one, two := duskRelease(duskHead(t), 1, 7), duskRelease(duskHead(t), 2, 7)
	put("dusk.pp", duskHeader(), one, two)
	put("dusk-1.pp", duskHeader(), one)
	put("dusk-2-again.pp", duskHeader(), duskRelease(duskHead(t), 2, 8))
	files["dusk-all.pp"] = bytes.Join([][]byte{files["dusk.pp"], files["dusk-1.pp"], files["dusk-2-again.pp"]}, nil)
	files["dusk-cut.pp"] = files["dusk.pp"][:len(files["dusk.pp"])-9]
	put("dusk-none.pp", duskHeader())
	put("documents.pp", &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE})
	put("dusk-forged.pp", duskHeader(), one, two, duskRelease(duskHead(t), 3, 7))
	put("dusk-cells.pp", duskHeader(), one, duskRelease(duskHead(t), 2, 9))
	put("dusk-moved.pp", duskHeader(), one, func() []*wire.Record { // the cells of the one round as the other's
		moved := duskRelease(duskHead(t), 1, 7)
		for _, r := range moved {
			r.Round = 2
		}
		return moved
	}())
	for name, change := range map[string]func(*wire.Release){
		"scale":  func(r *wire.Release) { r.Scale++ },
		"grant":  func(r *wire.Release) { r.Grant = "dawn" },
		"scheme": func(r *wire.Release) { r.Scheme.Rate = 0.125; r.Scheme.Rounds = 8 },
		"grid":   func(r *wire.Release) { r.Grid *= 1.001 },
		"clip":   func(r *wire.Release) { r.Clip *= 2; r.Grid /= 2 },
		"bounds": func(r *wire.Release) { r.Bounds = nil },
		"named":  func(r *wire.Release) { r.Mechanism = event.Laplace },
	} {
		head := duskHead(t)
		head.Scheme = proto.CloneOf(head.Scheme)
		change(head)
		put("dusk-"+name+".pp", duskHeader(), one, duskRelease(head, 2, 7))
	}
	for name, change := range map[string]func(*wire.Header){
		"run":    func(h *wire.Header) { h.Run = "dawn" },
		"unit":   func(h *wire.Header) { h.Unit = wire.Unit_USER },
		"model":  func(h *wire.Header) { h.Model = "words" },
		"matrix": func(h *wire.Header) { h.Matrices[0].Name = "n" },
	} {
		h := duskHeader()
		change(h)
		put("dusk-"+name+".pp", h, one, two)
	}
	return files
}

// TestEveryDigitOfADigest: a release whose charge has another digest in any one digit is not the one that was charged,
// be it of a stream or stored.
func TestEveryDigitOfADigest(t *testing.T) {
	folder := t.TempDir()
	file, _ := script.Stream(duskHeader(), duskRelease(duskHead(t), 1, 7)...)
	stored := []byte("stored")
	hash := sha256.Sum256(stored)
	for name, content := range map[string][]byte{"dusk.pp": file, "releases/dusk/000000001": stored} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := ledgers.ReadStream(t.Context(), filepath.Join(folder, "dusk.pp"))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(charge *event.Charge) (ofStream, ofStored error) {
		ledger, err := event.ReadLedger(bytes.NewReader(duskLedger(t, charge)), "dusk.ledger")
		if err != nil {
			t.Fatal(err)
		}
		_, ofStream = stream.Compare([]*event.Ledger{ledger})
		_, ofStored = ledgers.CheckReleases("dusk.ledger", ledger, filepath.Join(folder, "releases"))
		return ofStream, ofStored
	}
	for which, digest := range []string{duskCharge(1, 7).Release, hex.EncodeToString(hash[:])} {
		for at := range len(digest) + 1 {
			charge, changed := duskCharge(1, 7), []byte(digest)
			if at < len(digest) {
				changed[at] = "10"[min(1, changed[at]-'0')]
			}
			charge.Release = string(changed)
			ofStream, ofStored := refused(charge)
			if err := []error{ofStream, ofStored}[which]; (err == nil) != (at == len(digest)) {
				t.Errorf("digit %d of a release of %s changed: %v", at, []string{"a stream", "a folder"}[which], err)
			}
		}
	}
}

// TestReleasesOfTopic: in a topic, too, all that was written is compared, also what its readers pass over, and parts.
func TestReleasesOfTopic(t *testing.T) { broker.Each(t, releasesOfTopic) }

func releasesOfTopic(t *testing.T, b *broker.Broker) {
	ledger := filepath.Join(t.TempDir(), "dusk.ledger")
	if err := os.WriteFile(ledger, duskLedger(t, duskCharge(1, 7), duskCharge(2, 7)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		writers [][]*wire.Record // each of a writer, which does not end
		code    int
		says    string
	}{
		"charged": {[][]*wire.Record{duskRelease(duskHead(t), 1, 7), duskRelease(duskHead(t), 1, 7)}, 0,
			"round was charged, and its release is not there"},
		"drawn-again": {[][]*wire.Record{duskRelease(duskHead(t), 2, 9), duskRelease(duskHead(t), 2, 7)}, 90,
			"round 2 of run dusk: a release that is not the one which was charged"},
		"after-another": {[][]*wire.Record{duskRelease(duskHead(t), 2, 7), duskRelease(duskHead(t), 2, 9)}, 90,
			"round 2 of run dusk: a release that is not the one which was charged"},
		"not-charged": {[][]*wire.Record{duskRelease(duskHead(t), 3, 7)}, 90,
			"round 3 of run dusk: a release that no line of the ledger charges"},
		"louder": {[][]*wire.Record{duskRelease(func() *wire.Release { r := duskHead(t); r.Scale--; return r }(), 1,
			7)}, 90,
			"round 1 of run dusk: it states mechanism"},
		"empty": {nil, 90, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			topic := "kafka://" + b.Address + "/" + b.Topic(t, "releases", 1, nil)
			for _, records := range c.writers {
				out, err := endpoint.CreateStream(t.Context(), topic, duskHeader(), "none")
				if err != nil {
					t.Fatal(err)
				}
				defer out.Abort()
				for _, r := range records {
					if err := out.Write(r); err != nil {
						t.Fatal(err)
					}
				}
				if err := out.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			var says bytes.Buffer
			command := exec.Command("account", "verify", "--releases", topic, ledger)
			command.Stderr = &says
			command.Run()
			if code := command.ProcessState.ExitCode(); code != c.code || !strings.Contains(says.String(), c.says) {
				t.Errorf("exit code %d, want %d: %s", code, c.code, says.String())
			}
		})
	}
}
