package parquet

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// table writes rows documents over columns topics: document i has the share i + column/1024 of each.
func table(t *testing.T, rows, columns int) []byte {
	t.Helper()
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprint("topic_", i)
	}
	var b bytes.Buffer
	w := NewWriter(&b, []string{"id"}, names)
	values := make([]float64, columns)
	for row := range rows {
		for i := range values {
			values[i] = float64(row) + float64(i)/1024
		}
		if err := w.Write([]string{fmt.Sprintf("ä%d", row)}, values); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBytes writes two rows of two columns. The expected bytes follow parquet.thrift and the compact protocol by hand.
// The library also states that there are no nulls and no metadata elsewhere, and it numbers the row group.
func TestBytes(t *testing.T) {
	page := func(size byte) string { // sizes up to 63: zigzag doubles them
		return "\x15\x00\x15" + string([]byte{2 * size}) + "\x15" + string([]byte{2 * size}) +
			"\x2c\x15\x04\x15\x00\x15\x06\x15\x06\x1c\x36\x00\x00\x00\x00" // no nulls
	}
	element := func(name string, kind byte, rest string) string {
		return "\x15" + string([]byte{2 * kind}) + "\x25\x00\x18" + string(rune(len(name))) + name + rest + "\x00"
	}
	columnChunk := func(offset byte, name string, kind, size byte) string {
		return "\x26\x00\x1c\x15" + string([]byte{2 * kind}) + "\x19\x15\x00\x19\x18" + string(rune(len(name))) + name +
			"\x15\x00\x16\x04\x16" + varint(size) + "\x16" + varint(size) + "\x26" +
			varint(offset) + "\x3c\x36\x00\x00\x00\x00"
	}
	texts := "\x03\x00\x00\x00ä0\x03\x00\x00\x00ä1"
	shares := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f"
	footer := "\x15\x02" + // version 1
		"\x19\x3c" + "\x48\x06schema\x15\x04\x00" +
		element("id", 6, "\x25\x00\x4c\x1c\x00\x00") + element("topic_0", 5, "") +
		"\x16\x04" + // two rows
		"\x19\x1c" + "\x19\x2c" + columnChunk(4, "id", 6, 35) +
		columnChunk(39, "topic_0", 5, 37) + "\x16" + varint(72) + "\x16\x04\x44\x00\x00" +
		"\x28\x08privpipe\x00"
	want := "PAR1" + page(14) + texts + page(16) + shares + footer +
		string([]byte{byte(len(footer))}) + "\x00\x00\x00PAR1"
	if got := table(t, 2, 1); string(got) != want {
		t.Errorf("wrote\n%q, want\n%q", got, want)
	}
}

// varint of a number, by zigzag, below 64 in one byte and else in two.
func varint(n byte) string {
	if n < 64 {
		return string([]byte{2 * n})
	}
	return string([]byte{2*n&0x7f | 0x80, 2 * n >> 7})
}

func TestRefuses(t *testing.T) {
	if err := NewWriter(io.Discard, []string{"id"}, []string{"a", "b"}).Write([]string{"x"}, []float64{1}); err == nil {
		t.Error("a row of one number in a table of two was taken")
	}
	full := errors.New("full")
	w := NewWriter(failing{full}, []string{"id"}, nil)
	if err := errors.Join(w.Write([]string{"x"}, nil), w.Close()); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestGroups: a row group is written when it is large, and each row is in one group. pyarrow reads such a file below.
func TestGroups(t *testing.T) {
	const rows, size = 5, groupBytes/2 + 1 // so two rows fill a group
	var out counter
	w := NewWriter(&out, []string{"id"}, []string{"topic_0"})
	for range rows {
		if err := w.Write([]string{strings.Repeat("x", size)}, []float64{1}); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.groups) != 2 {
		t.Errorf("%d groups before the end, want 2", len(w.groups))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(w.groups) != 3 || w.groups[2].rows != 1 || w.total != rows {
		t.Errorf("groups %v of %d rows", w.groups, w.total)
	}
	if data := rows * (4 + size + 8); out.n < data || out.n > data+1000 {
		t.Errorf("%d bytes for %d of data", out.n, data)
	}
	if w.written != int64(out.n) {
		t.Errorf("%d bytes are counted, %d were written", w.written, out.n)
	}
}

type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) { c.n += len(b); return len(b), nil }

// TestPyArrow reads tables of no row, one and several row groups by Apache's own reader.
func TestPyArrow(t *testing.T) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import pyarrow.parquet").Run(); err != nil {
		t.Skipf("%s (set PYTHON to another; .ci/peers installs one) has no pyarrow: %v", python, err)
	}
	for _, c := range []struct{ rows, columns, groups int }{{0, 3, 0}, {1, 1, 1}, {100, 20, 1}, {9000, 1000, 3},
		{5, 0, 1}} {
		script := fmt.Sprintf(`
import sys, io, pyarrow.parquet as p
f = p.ParquetFile(io.BytesIO(sys.stdin.buffer.read()))
assert f.metadata.num_row_groups == %d, f.metadata
t = f.read()
assert t.schema.names == ["id"] + [f"topic_{i}" for i in range(%d)] and t.num_rows == %d, t
assert str(t.schema.field("id").type) == "string" and not t.schema.field("id").nullable
for i, column in enumerate(t.columns):
    got = column.to_pylist()
    assert got == [f"ä{row}" if i == 0 else row + (i - 1) / 1024 for row in range(%d)], (i, got)
`, c.groups, c.columns, c.rows, c.rows)
		command := exec.Command(python, "-c", script)
		command.Stdin = bytes.NewReader(table(t, c.rows, c.columns))
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%d rows of %d columns: %v\n%s", c.rows, c.columns, err, strings.TrimSpace(string(out)))
		}
	}
}
