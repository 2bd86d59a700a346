package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// file is a .npy file of version 1.0 with this header and data, without the padding that a reader need not care about.
func file(descr, order, shape, data string) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	return magic + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + data
}

// floats reads an array of numbers, row by row.
func floats(b string) (rows [][]float64, err error) {
	a, err := NewArray(strings.NewReader(b))
	for err == nil {
		var row []float64
		if row, err = a.Floats(nil); err == nil {
			rows = append(rows, row)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return rows, err
}

// texts reads an array of texts or integers.
func texts(b string) (all []string, err error) {
	a, err := NewArray(strings.NewReader(b))
	for err == nil {
		var text string
		if text, err = a.Text(); err == nil {
			all = append(all, text)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return all, err
}

// The bytes of 1, −0.5 and 65504 as binary16, and of 1 and −0.5 as binary32, are examples of IEEE 754 by hand.
func TestFloats(t *testing.T) {
	ones := [][]float64{{1, -0.5}}
	long := strings.Replace(file("<f4", "False", "(1, 2)", ""), "\x01\x00", "\x02\x00", 1)
	long = long[:len(magic)+2] + "\x00\x00" + long[len(magic)+2:] // four bytes of length
	for name, c := range map[string]struct {
		file string
		want [][]float64
	}{
		"float64": {bytes12, ones},
		"float32": {file("<f4", "False", "(1, 2)", "\x00\x00\x80\x3f\x00\x00\x00\xbf"), ones},
		"float16": {file("<f2", "False", "(2, 2)", "\x00\x3c\x00\xb8\xff\x7b\x01\x00"),
			[][]float64{{1, -0.5}, {65504, 0x1p-24}}},
		"version 2":    {long + "\x00\x00\x80\x3f\x00\x00\x00\xbf", ones},
		"Python 2":     {file("<f2", "False", "(1L, 2L)", "\x00\x3c\x00\xb8"), ones},
		"other quotes": {strings.ReplaceAll(file("<f2", "False", "(1, 2)", "\x00\x3c\x00\xb8"), "'", `"`), ones},
		"one row":      {file("<f2", "True", "(1, 2)", "\x00\x3c\x00\xb8"), ones}, // both orders are one
		"no rows":      {file("<f2", "False", "(0, 2)", ""), nil},
		"flat":         {file("<f2", "False", "(2,)", "\x00\x3c\x00\xb8"), [][]float64{{1}, {-0.5}}},
	} {
		rows, err := floats(c.file)
		if err != nil || !slices.EqualFunc(rows, c.want, slices.Equal) {
			t.Errorf("%s: read %v, error %v, want %v", name, rows, err, c.want)
		}
	}
}

func TestTexts(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"Unicode": {file("<U2", "False", "(3,)",
			"\xe4\x00\x00\x00\x62\x00\x00\x00\x08\xf4\x01\x00"+strings.Repeat("\x00", 12)),
			[]string{"äb", "🐈", ""}},
		"bytes":    {file("|S3", "False", "(2,)", "ab\x00cde"), []string{"ab", "cde"}},
		"int8":     {file("|i1", "False", "(2,)", "\x7f\x80"), []string{"127", "-128"}},
		"int64":    {file("<i8", "False", "(1,)", strings.Repeat("\xff", 8)), []string{"-1"}},
		"uint64":   {file("<u8", "False", "(1,)", strings.Repeat("\xff", 8)), []string{"18446744073709551615"}},
		"no texts": {file("<U1", "False", "(0,)", ""), nil},
	} {
		all, err := texts(c.file)
		if err != nil || !slices.Equal(all, c.want) {
			t.Errorf("%s: read %q, error %v, want %q", name, all, err, c.want)
		}
	}
}

func TestArrayRefuses(t *testing.T) {
	two := "\x00\x3c\x00\xb8"
	for name, c := range map[string]struct{ file, rule string }{
		"nothing":     {"", "not a .npy file"},
		"text":        {"topic,word,lambda\n0,cat,1.5\n", "not a .npy file"},
		"version 4":   {strings.Replace(bytes12, "\x01\x00", "\x04\x00", 1), "version 1.0, 2.0 or 3.0"},
		"cut header":  {bytes12[:60], "header is cut"},
		"long header": {magic[:6] + "\x02\x00\xff\xff\xff\x7f", "longer than 65536"},
		"no shape":    {strings.Replace(bytes12, "'shape'", "'sharp'", 1), "lacks one of"},
		"two shapes":  {file("<f2", "False", "(1, 2), 'shape': (1, 2)", two), "has it twice"},
		"three":       {file("<f2", "False", "(1, 2, 1)", two), "one or two dimensions"},
		"a number":    {file("<f2", "False", "()", two), "one or two dimensions"},
		"huge shape":  {file("<f2", "False", "(99999999999999999999, 2)", two), "no list of numbers"},
		"by columns":  {file("<f2", "True", "(2, 2)", two+two), "numpy.ascontiguousarray"},
		"objects":     {file("|O", "False", "(2,)", ""), "dtype=str"},
		"structures": {strings.Replace(file("12345678901234", "False", "(2,)", ""), "'12345678901234'",
			"[('a', '<f4')]  ", 1), "little-endian numbers"},
		"big-endian":     {file(">f4", "False", "(1, 2)", two+two), "little-endian numbers"},
		"long double":    {file("<f16", "False", "(1, 2)", two), "size that is not supported"},
		"empty texts":    {file("<U0", "False", "(2,)", ""), "size that is not supported"},
		"wide texts":     {file("<U99999", "False", "(2,)", ""), "size that is not supported"},
		"empty rows":     {file("<f2", "False", "(2, 0)", ""), "in rows of 1 to 2^24"},
		"wide rows":      {file("<f2", "False", "(2, 16777217)", ""), "in rows of 1 to 2^24"},
		"cut data":       {file("<f2", "False", "(2, 1)", two[:3]), "data are cut"},
		"no data":        {file("<f2", "False", "(9000000000, 16777216)", two), "data are cut"},
		"more than data": {file("<f2", "False", "(1, 2)", two+"\x00"), "after the end"},
		"integers":       {file("<i4", "False", "(1, 1)", two), "must be of float16"},
	} {
		if rows, err := floats(c.file); err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%s: read %v, error %v, want one about %q", name, rows, err, c.rule)
		}
	}
	for name, c := range map[string]struct{ file, rule string }{
		"floats":      {bytes12, "texts or integers"},
		"a matrix":    {file("|S2", "False", "(1, 2)", "abcd"), "one dimension"},
		"no UTF-8":    {file("|S2", "False", "(1,)", "a\xe9"), "not UTF-8"},
		"a surrogate": {file("<U1", "False", "(1,)", "\x00\xd8\x00\x00"), "not Unicode"},
		"no Unicode":  {file("<U1", "False", "(1,)", "\x00\x00\x11\x00"), "not Unicode"},
	} {
		if all, err := texts(c.file); err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%s: read %q, error %v, want one about %q", name, all, err, c.rule)
		}
	}
}

// TestFloat16 compares each of the 2^16 numbers with the value that IEEE 754-2019, section 3.4, defines.
func TestFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		sign, exponent, fraction := 1-2*float64(bits>>15), bits>>10&31, float64(bits&1023)
		want := sign * math.Pow(2, float64(exponent)-15) * (1 + fraction/1024)
		switch {
		case exponent == 0:
			want = sign * math.Pow(2, -14) * fraction / 1024
		case exponent == 31 && fraction == 0:
			want = sign * math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		}
		if got := Float16(uint16(bits)); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%x is %v, want %v", bits, got, want)
		}
	}
}

// FuzzArray: no file makes the reader panic, or take much more memory than the file. Numbers that are read, written and
// read again are the same.
func FuzzArray(f *testing.F) {
	f.Add([]byte(bytes12))
	f.Add([]byte(file("<f2", "False", "(2, 2)", "\x00\x3c\x00\xb8\xff\x7b\x01\x00")))
	f.Add([]byte(file("|S3", "False", "(2,)", "ab\x00cde")))
	f.Add([]byte(file("<U1", "False", "(2,)", "\xe4\x00\x00\x00\x62\x00\x00\x00")))
	f.Fuzz(func(t *testing.T, b []byte) {
		if all, err := texts(string(b)); err == nil && len(all) > len(b) {
			t.Errorf("%d texts in %d bytes", len(all), len(b))
		}
		rows, err := floats(string(b))
		if err != nil || len(rows) == 0 {
			return
		}
		cells, width := slices.Concat(rows...), len(rows[0])
		if 2*len(cells) > len(b) {
			t.Errorf("%d numbers in %d bytes", len(cells), len(b))
		}
		var again bytes.Buffer
		if err := Write(&again, len(rows), width, cells); err != nil {
			t.Fatal(err)
		}
		same := func(a, b []float64) bool {
			return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
		}
		if twice, err := floats(again.String()); err != nil || !slices.EqualFunc(rows, twice, same) {
			t.Errorf("%v is read again as %v, error %v", rows, twice, err)
		}
	})
}

func TestMembers(t *testing.T) {
	b := archive(t)
	m, err := OpenMembers(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := m.Array("nowhere"); a != nil || err != nil {
		t.Errorf("got %v, error %v for an array that is not there", a, err)
	}
	words, err := m.Array("words")
	if err != nil || words.Rows != 4 {
		t.Fatalf("%v, error %v", words, err)
	}
	for _, want := range []string{"ä", "cat", "", "🐈"} {
		if got, err := words.Text(); got != want || err != nil {
			t.Errorf("%q, error %v, want %q", got, err, want)
		}
	}
	if _, err := words.Text(); err != io.EOF {
		t.Errorf("%v after the last", err)
	}
	if _, err := OpenMembers(bytes.NewReader(b[:len(b)-1]), int64(len(b)-1)); err == nil {
		t.Error("a truncated archive is opened")
	}
	var twice bytes.Buffer
	again := NewArchive(&twice)
	again.Floats("a", []float64{1}, 1)
	again.Floats("a", []float64{2}, 1)
	again.Close()
	if m, err = OpenMembers(bytes.NewReader(twice.Bytes()), int64(twice.Len())); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Array("a"); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v for an array that is twice in the archive", err)
	}
}

// TestNumPyWrites reads what NumPy itself writes, where it is installed.
func TestNumPyWrites(t *testing.T) {
	for _, save := range []string{"savez", "savez_compressed"} {
		b := numpy(t, nil, `
np.`+save+`(sys.stdout.buffer, half=np.array([[1, -.5], [65504, 2**-24]], np.float16), single=np.eye(2, dtype=np.float32),
	double=np.array([[.1], [np.nan]]), words=np.array(["äb", "c"]), bytes=np.array([b"ab", b"c"]), n=np.arange(-1, 2),
	columns=np.asfortranarray(np.ones((2, 3))), objects=np.array(["a", 1], dtype=object))
`)
		m, err := OpenMembers(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"half": "[[1 -0.5] [65504 5.960464477539063e-08]]", "single": "[[1 0] [0 1]]", "double": "[[0.1] [NaN]]",
			"words": "[äb c]", "bytes": "[ab c]", "n": "[-1 0 1]",
			"columns": "in Fortran order, column by column: numpy.ascontiguousarray makes an array in C order",
			"objects": "of Python objects, which only Python can read: write texts as numpy.array(…, dtype=str)",
		} {
			got := ""
			a, err := m.Array(name)
			switch {
			case err != nil:
				got = err.Error()
			case a.IsFloats():
				var rows [][]float64
				for row, err := a.Floats(nil); err == nil; row, err = a.Floats(nil) {
					rows = append(rows, row)
				}
				got = fmt.Sprint(rows)
			default:
				var all []string
				for text, err := a.Text(); err == nil; text, err = a.Text() {
					all = append(all, text)
				}
				got = fmt.Sprint(all)
			}
			if got != want {
				t.Errorf("%s of %s: %s, want %s", name, save, got, want)
			}
		}
	}
}
