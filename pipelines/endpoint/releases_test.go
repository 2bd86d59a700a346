package endpoint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	wirestream "privpipe/pipelines/wire/stream"
)

// large is so many columns that a topic gets a part of a release before the rest.
const large = 200_000

// releasesHeader is that of releases of two matrices.
func releasesHeader() *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: "a", Unit: wire.Unit_DOCUMENT,
		Matrices: []*wire.Matrix{
			{Name: "m", Rows: 2, Columns: large, Element: wire.Element_INT64},
			{Name: "s", Rows: 2, Columns: 2, Element: wire.Element_INT64, Symmetric: true},
		},
	}
}

// cellsOf are the cells of a release that begin with a number.
func cellsOf(first int64) [][]int64 {
	cells := make([]int64, 2*large)
	cells[0], cells[2*large-1] = first, -1
	return [][]int64{cells, {4, 5, 6}}
}

// releasedAs is how Releases shows a release that begins with a number.
func releasedAs(round uint32, first int64) endpoint.Released {
	b := wirestream.AppendCells(wirestream.AppendCells(nil, cellsOf(first)[0]), cellsOf(first)[1])
	digest := sha256.Sum256(b)
	return endpoint.Released{Round: round, Digest: hex.EncodeToString(digest[:])}
}

// release writes the release of a round that begins with a number, or only its first matrices.
func release(t *testing.T, w *endpoint.StreamWriter, round uint32, first int64, matrices int) {
	t.Helper()
	head := &wire.Record{Round: round, Body: &wire.Record_Release{Release: &wire.Release{
		Mechanism: "none", Grid: 1, Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 9},
	}}}
	var rows []wirestream.Rows
	for _, cells := range cellsOf(first)[:matrices] {
		rows = append(rows, wirestream.RowsOf(cells))
	}
	if err := w.WriteSet(head, rows...); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// wantReleases checks what an input holds, the heads of whole releases left out.
func wantReleases(t *testing.T, name string, want ...endpoint.Released) {
	t.Helper()
	h, got, err := endpoint.Releases(t.Context(), name)
	if err != nil || h.Run != "a" {
		t.Fatalf("%s: header %v, %v", name, h, err)
	}
	for i, r := range got {
		if whole := r.Digest != ""; whole != (r.Head != nil) {
			t.Errorf("%s: release %d: %+v", name, i, r)
		}
		got[i].Head = nil
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// TestReleases: all that was ever written shows, also what readers pass over, and where the topic has not ended.
func TestReleases(t *testing.T) { broker.Each(t, releases) }

func releases(t *testing.T, b *broker.Broker) {
	written, two, foreign := b.Topic(t, "releases", 1, nil), b.Topic(t, "releases", 2, nil),
		b.Topic(t, "releases", 1, nil)
	name := topic(b.Address, written)
	if _, _, err := endpoint.Releases(t.Context(), name); !errors.Is(err, wirestream.ErrEmpty) {
		t.Errorf("an empty topic: %v", err)
	}
	create := func(name string) *endpoint.StreamWriter { return streams(t, name, releasesHeader())[0] }
	w := create(name)
	release(t, w, 1, 10, 2)
	release(t, w, 2, 20, 1) // and it dies
	wantReleases(t, name, releasedAs(1, 10), endpoint.Released{Round: 2})
	again := create(name)
	release(t, again, 1, 11, 2)
	release(t, again, 2, 20, 2)
	release(t, again, 3, 30, 1)
	third := create(name)
	release(t, third, 3, 30, 2)
	if err := third.Commit(); err != nil {
		t.Fatal(err)
	}
	release(t, create(name), 3, 31, 2) // after the end record
	all := []endpoint.Released{
		releasedAs(1, 10), releasedAs(1, 11), releasedAs(2, 20), releasedAs(3, 30), releasedAs(3, 31), {Round: 2},
		{Round: 3},
	}
	wantReleases(t, name, all...)
	wantReleases(t, name+"?from=start", all...)

	// A file, and one that another program appended twice.
	file := filepath.Join(t.TempDir(), "releases.pp")
	out, err := endpoint.CreateStream(t.Context(), file, releasesHeader(), "fast")
	if err != nil {
		t.Fatal(err)
	}
	release(t, out, 1, 10, 2)
	release(t, out, 4, 40, 2)
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	wantReleases(t, file, releasedAs(1, 10), releasedAs(4, 40))
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 2 {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: foreign, Value: content}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	twice := []endpoint.Released{releasedAs(1, 10), releasedAs(4, 40), releasedAs(1, 10), releasedAs(4, 40)}
	wantReleases(t, topic(b.Address, foreign), twice...)
	if err := os.WriteFile(file, append(content, content...), 0o600); err != nil {
		t.Fatal(err)
	}
	wantReleases(t, file, twice...)

	// A release of which retention took the beginning does not show.
	b.Delete(t, written, 0, 1)
	wantReleases(t, name, all[1:]...)

	for _, wrong := range []string{topic(b.Address, two), name + "?group=g", topic(b.Address, "releases.private")} {
		_, _, err := endpoint.Releases(t.Context(), wrong)
		wantCode(t, err, exit.Usage)
	}
}
