package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// numbered returns the lines of a reader as "number:line", or "number!" where one is too long.
func numbered(in io.Reader, limit int) (found []string, err error) {
	l := newLines(in, "name", JSONLines, &Options{Limit: limit})
	for {
		chunk, err := l.next()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		if chunk.Fault != nil {
			found = append(found, fmt.Sprintf("%d!", chunk.Line))
		}
		for number, line := range chunk.lines(limit) {
			if line.err != nil {
				found = append(found, fmt.Sprintf("%d!", number))
			} else {
				found = append(found, fmt.Sprintf("%d:%s", number, line.content))
			}
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a\nbb\n", []string{"1:a", "2:bb"}},
		{"a\nbb", []string{"1:a", "2:bb"}},
		{"a\r\nbb\r\n", []string{"1:a", "2:bb"}},
		{"\n a\n\r\n  \nb", []string{"2: a", "5:b"}},         // blank lines count and say nothing
		{"\uFEFFa\n\uFEFFb\n", []string{"1:a", "2:\uFEFFb"}}, // a mark at the beginning only
		{"four\r\nfour", []string{"1:four", "2:four"}},
		{"\uFEFFfour\n", []string{"1:four"}},
		{"a\nfive5\nb\n", []string{"1:a", "2!", "3:b"}},
		{"five5", []string{"1!"}},
	} {
		for name, in := range map[string]io.Reader{
			"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
		} {
			if got, err := numbered(in, 4); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q %s: got %q, %v, want %q", c.in, name, got, err, c.want)
			}
		}
	}
}

// TestChunksAreApart: chunks share an array, but nothing of a later one reaches an earlier one, or the other way, even
// if a user appends to a chunk.
func TestChunksAreApart(t *testing.T) {
	const whole, want = "a\ntoo long a line\nb\r\nc\rd\ne", "a\nb\r\nc\nd\ne"
	for name, in := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(strings.NewReader(whole)),
		"cut":          io.MultiReader(strings.NewReader(whole[:9]), strings.NewReader(whole[9:])),
	} {
		l := newLines(in, "name", JSONLines, &Options{Limit: 4})
		var all [][]byte
		for {
			chunk, err := l.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = append(chunk.Content, "MARKER"...)
			all = append(all, chunk.Content)
		}
		if got := string(bytes.Join(all, nil)); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// FuzzLines checks that what is found does not depend on how a pipe cuts its input.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"", "a\nb", "\uFEFF\uFEFFa\r\n\r\r\n", "too long\nb\n", "    \nfour", "\xef\xbb", "four\r\r\r\n",
		"\xef\xbb\nxyz",
	} {
		f.Add(seed, 4)
	}
	f.Fuzz(func(t *testing.T, in string, limit int) {
		limit = max(limit, 1)
		if otherFormat([]byte(in), JSONLines) != nil || valuesOf([]byte(strings.TrimPrefix(in, "\uFEFF"))) != nil {
			t.Skip("no lines")
		}
		var want []string
		ends := strings.NewReplacer("\r\n", "\n", "\r", "\n") // a CR ends a line by itself
		for i, line := range strings.Split(ends.Replace(strings.TrimPrefix(in, "\uFEFF")), "\n") {
			line = strings.TrimSuffix(line, "\r")
			if len(line) > limit {
				want = append(want, fmt.Sprintf("%d!", i+1))
			} else if strings.TrimSpace(line) != "" {
				want = append(want, fmt.Sprintf("%d:%s", i+1, line))
			}
		}
		for name, reader := range map[string]io.Reader{
			"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
			"end with the data": iotest.DataErrReader(strings.NewReader(in)),
		} {
			if got, err := numbered(reader, limit); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q with limit %d, %s: got %q, %v, want %q", in, limit, name, got, err, want)
			}
		}
	})
}

// endless is a line that does not end.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return copy(b, "\nb"), io.EOF
	}
	n := min(len(b), e.left)
	for i := range b[:n] {
		b[i] = 'x'
	}
	e.left -= n
	return n, nil
}

// TestLinesDropsALongLineWithoutKeepingIt reads a line of 256 MiB with a limit of 1 KiB. All that it allocates, kept or
// not, must be a small part of that.
func TestLinesDropsALongLineWithoutKeepingIt(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := numbered(&endless{256 << 20}, 1<<10)
	runtime.ReadMemStats(&after)
	if err != nil || !slices.Equal(got, []string{"1!", "2:b"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("allocated %d MiB", used>>20)
	}
}

func TestLinesReportsErrorsOfTheInput(t *testing.T) {
	broken := errors.New("broken")
	got, err := numbered(io.MultiReader(strings.NewReader("a\nb\nMARKER"), iotest.ErrReader(broken)), 100)
	if !errors.Is(err, broken) || err.Error() != "broken (at line 3)" || len(got) != 2 {
		t.Errorf("got %q, %v, want two lines and the error", got, err)
	}
}
