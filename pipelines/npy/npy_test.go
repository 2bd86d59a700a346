package npy

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// bytes12 is the array [[1, −0.5]], by hand: numpy/lib/format.py, "Format Version 1.0". The header with its length and
// the magic has a multiple of 64 bytes.
var bytes12 = "\x93NUMPY\x01\x00" + "\x76\x00" +
	"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }" + strings.Repeat(" ", 58) + "\n" +
	"\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x00\x00\x00\x00\x00\x00\xe0\xbf"

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, 1, 2, []float64{1, -0.5}); err != nil {
		t.Fatal(err)
	}
	if b.String() != bytes12 {
		t.Errorf("wrote %q, want %q", b.String(), bytes12)
	}
}

// TestAlignment: the data begin at a multiple of 64 bytes, whatever the length of the shape.
func TestAlignment(t *testing.T) {
	for rows := 1; rows <= 1e5; rows *= 10 {
		for columns := 1; rows*columns <= 1e6; columns *= 10 {
			var b bytes.Buffer
			if err := Write(&b, rows, columns, make([]float64, rows*columns)); err != nil {
				t.Fatal(err)
			}
			if head := b.Len() - 8*rows*columns; head%64 != 0 || b.Bytes()[head-1] != '\n' {
				t.Errorf("%d × %d: data begin at byte %d", rows, columns, head)
			}
		}
	}
}

func TestRead(t *testing.T) {
	cells, err := Read(strings.NewReader(bytes12), 1, 2)
	if err != nil || !slices.Equal(cells, []float64{1, -0.5}) {
		t.Errorf("read %v, error %v", cells, err)
	}
}

func TestReadRefuses(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(bytes12, old, new, 1) }
	for name, c := range map[string]struct{ file, rule string }{
		"nothing":        {"", "not a .npy file"},
		"text":           {"topic,word,lambda\n0,cat,1.5\n", "not a .npy file"},
		"version 2":      {replace("NUMPY\x01", "NUMPY\x02"), "version 1.0"},
		"float32":        {replace("<f8", "<f4"), "array is"},
		"big-endian":     {replace("<f8", ">f8"), "array is"},
		"by columns":     {replace("False", "True "), "array is"},
		"other shape":    {replace("(1, 2)", "(2, 1)"), "(1, 2)"},
		"one dimension":  {replace("(1, 2)", "(2,)  "), "array is"},
		"cut in header":  {bytes12[:60], "header is cut"},
		"cut in data":    {bytes12[:len(bytes12)-1], "data are cut"},
		"more than data": {bytes12 + "\x00", "after the end"},
	} {
		if _, err := Read(strings.NewReader(c.file), 1, 2); err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%s: got %v, want an error about %q", name, err, c.rule)
		}
	}
}

// FuzzRead: what is read is written again to a file of the same length that reads the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(bytes12))
	f.Add([]byte(bytes12[:100]))
	f.Fuzz(func(t *testing.T, file []byte) {
		cells, err := Read(bytes.NewReader(file), 1, 2)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, 1, 2, cells); err != nil {
			t.Fatal(err)
		}
		if data := len(file) - 16; !bytes.Equal(b.Bytes()[b.Len()-16:], file[data:]) {
			t.Errorf("cells %x are written as %x", file[data:], b.Bytes()[b.Len()-16:])
		}
	})
}

// numpy runs a script with NumPy as np and returns what it prints, or skips where NumPy is not installed.
func numpy(t *testing.T, stdin []byte, script string) []byte {
	t.Helper()
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		t.Skipf("%s (set PYTHON to another) has no NumPy: %v", python, err)
	}
	command := exec.Command(python, "-c", "import io, sys\nimport numpy as np\n"+script)
	var out, complaints bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), &out, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &complaints)
	}
	return out.Bytes()
}

// TestNumPy asks NumPy itself, where it is installed: its bytes of an array are ours.
func TestNumPy(t *testing.T) {
	cells := make([]float64, 12)
	for i := range cells {
		cells[i] = 1 / float64(i+1)
	}
	var ours bytes.Buffer
	if err := Write(&ours, 3, 4, cells); err != nil {
		t.Fatal(err)
	}
	numpys := numpy(t, ours.Bytes(), `
a = np.load(io.BytesIO(sys.stdin.buffer.read()))
assert a.dtype == np.float64 and a.shape == (3, 4) and a[2, 1] == 1/10
np.save(sys.stdout.buffer, a)
`)
	if !bytes.Equal(numpys, ours.Bytes()) {
		t.Errorf("NumPy writes %q, we %q", numpys, ours.Bytes())
	}
}
