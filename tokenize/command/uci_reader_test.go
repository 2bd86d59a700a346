package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

const vocabularySize = 5

// most is how many documents readUCI looks at: a short file may announce many empty ones.
const most = 1000

// readUCI returns the bags of a file, by word number.
func readUCI(in io.Reader) (bags []map[int]int, err error) {
	r, err := newUCIReader(in, "u.txt", vocabularySize)
	if err != nil {
		return nil, err
	}
	for len(bags) < most {
		d, err := r.Next()
		if err == io.EOF {
			return bags, nil
		}
		if err != nil {
			return nil, err
		}
		if d.Id != "" {
			return nil, fmt.Errorf("got the id %q, want none", d.Id)
		}
		d.Id = "named by others"
		header := &wire.Header{VocabularySize: vocabularySize}
		if err := wire.Check(header, &wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
			return nil, fmt.Errorf("a document that the wire refuses: %w", err)
		}
		bag := make(map[int]int)
		for i, id := range wire.AppendIDs(nil, d.WordGaps) {
			bag[int(id)+1] = int(d.Counts[i])
		}
		bags = append(bags, bag)
	}
	return bags, nil
}

func TestUCI(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []map[int]int
	}{
		{"plain", "2\n5\n3\n1 2 1\n1 5 7\n2 1 1\n", []map[int]int{{2: 1, 5: 7}, {1: 1}}},
		{"documents without a pair are empty", "4\n5\n1\n2 3 1\n", []map[int]int{{}, {3: 1}, {}, {}}},
		{"words in any order", "1\n5\n3\n1 5 1\n1 1 2\n1 3 3\n", []map[int]int{{1: 2, 3: 3, 5: 1}}},
		{"every word", "1\n5\n5\n1 5 1\n1 4 1\n1 3 1\n1 2 1\n1 1 1\n", []map[int]int{{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}}},
		{"no documents", "0\n5\n0\n", nil},
		{"CRLF, tabs, blank lines, no newline at the end", "1\r\n5\r\n\r\n1\r\n1\t2\t3\r\n \r\n",
			[]map[int]int{{2: 3}}},
		{"last line without a newline", "1\n5\n1\n1 2 3", []map[int]int{{2: 3}}},
		{"longest document", "1\n5\n1\n1 2 16777216\n", []map[int]int{{2: 1 << 24}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readUCI(iotest.OneByteReader(strings.NewReader(c.in)))
			if err != nil || !slices.EqualFunc(got, c.want, maps.Equal) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestUCIRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "line 0: file ends before its three lines of sizes"},
		{"sizes missing", "3\n5\n", "line 2: file ends before its three lines of sizes"},
		{"text for a size", "many\n5\n0\n", "line 1: must have 1 decimal numbers"},
		{"negative size", "-1\n5\n0\n", "line 1: must have 1 decimal numbers"},
		{"number over 2^31", "1\n5\n4294967297\n", "line 3: must have 1 decimal numbers"},
		{"two numbers", "1\n5\n1\n1 2\n", "line 4: must have 3 decimal numbers"},
		{"half a word", "1\n5\n1\n1 2 1.5\n", "line 4: must have 3 decimal numbers"},
		{"four numbers", "1\n5\n1\n1 2 3 4\n", "line 4: must have 3 decimal numbers"},
		{"larger vocabulary", "1\n6\n0\n",
			"line 3: file is over a vocabulary of 6 words, but the one given has 5: name the file's own"},
		{"document 0", "1\n5\n1\n0 1 1\n", "line 4: document number is not ascending, or below 1"},
		{"documents descend", "2\n5\n2\n2 1 1\n1 1 1\n", "line 5: document number is not ascending, or below 1"},
		{"document beyond D", "2\n5\n1\n3 1 1\n", "line 4: document number exceeds the number of documents in line 1"},
		{"word 0", "1\n5\n1\n1 0 1\n", "line 4: word number must be in [1, 5]"},
		{"word beyond W", "1\n5\n1\n1 6 1\n", "line 4: word number must be in [1, 5]"},
		{"count 0", "1\n5\n1\n1 1 0\n", "line 4: count must be in [1, 16777216]"},
		{"count over the limit", "1\n5\n1\n1 1 16777217\n", "line 4: count must be in [1, 16777216]"},
		{"word twice", "2\n5\n3\n1 1 1\n1 1 1\n2 1 1\n", "line 6: the document before this line has a word twice"},
		{"smaller vocabulary", "1\n2\n0\n",
			"line 3: file is over a vocabulary of 2 words, but the one given has 5: name the file's own"},
		{"more pairs than words", "1\n5\n6\n1 1 1\n1 2 1\n1 3 1\n1 4 1\n1 5 1\n1 1 1\n",
			"line 9: the document of this line has a word twice"},
		{"document too long", "1\n5\n2\n1 1 16777216\n1 2 1\n",
			"line 5: the document before this line has more than 16777216 words"},
		{"pairs missing", "1\n5\n2\n1 1 1\n", "line 4: file ends before the pairs that it announces"},
		{"pairs left over", "1\n5\n1\n1 1 1\n1 2 1\n", "line 5: more pairs than the file announces"},
		{"pairs without documents", "0\n5\n1\n1 1 1\n", "line 3: pairs, but no documents"},
		{"endless line", "1\n5\n1\n" + strings.Repeat("1", 1<<17), "line 4: longer than any line of this format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readUCI(strings.NewReader(c.in))
			if want := "u.txt: " + c.want; err == nil || err.Error() != want || exit.Code(err) != exit.Malformed {
				t.Errorf("got %v with exit code %d, want %s", err, exit.Code(err), want)
			}
		})
	}
}

// TestUCIRefusesADocumentThatNoRecordHolds: it has 450,000 different words, of two bytes each on the wire.
func TestUCIRefusesADocumentThatNoRecordHolds(t *testing.T) {
	const size = 450_000
	var in strings.Builder
	fmt.Fprintf(&in, "1\n%d\n%d\n", size, size)
	for word := range size {
		fmt.Fprintf(&in, "1 %d 1\n", word+1)
	}
	r, err := newUCIReader(strings.NewReader(in.String()), "u.txt", size)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next()
	want := "u.txt: line 450003: before this line: document has more different words than a record of 880000 bytes " +
		"holds"
	if err == nil || err.Error() != want || exit.Code(err) != exit.Malformed {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestUCIReportsErrorsOfTheInput(t *testing.T) {
	broken := errors.New("broken")
	_, err := readUCI(io.MultiReader(strings.NewReader("1\n5\n9\n1 1 1\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("got %v, want the error of the input and its line", err)
	}
}

// readUCIReference reads a file by the words of the format, all at once; false where it breaks a rule.
func readUCIReference(in string) (bags []map[int]int, ok bool) {
	var lines [][]int
	scanner := bufio.NewScanner(strings.NewReader(in))
	for scanner.Scan() {
		var line []int
		for _, field := range strings.Fields(scanner.Text()) {
			whole, zeros, _ := strings.Cut(field, ".")
			if strings.Trim(zeros, "0") != "" {
				return nil, false
			}
			n, err := strconv.Atoi(whole)
			if err != nil {
				return nil, false
			}
			line = append(line, n)
		}
		if line != nil {
			lines = append(lines, line)
		}
	}
	if len(lines) < 3 || len(lines[0])*len(lines[1])*len(lines[2]) != 1 || len(lines) != 3+lines[2][0] {
		return nil, false
	}
	for range min(lines[0][0], most) {
		bags = append(bags, make(map[int]int))
	}
	for _, uciPair := range lines[3:] {
		if uciPair[0] <= len(bags) {
			bags[uciPair[0]-1][uciPair[1]] += uciPair[2]
		}
	}
	return bags, true
}

// uciRefusals are all messages of the reader: a closed list of forms. Their numbers are lines, limits and sizes of
// vocabularies.
var uciRefusals = regexp.MustCompile(`^u\.txt: line \d+: (must have [13] decimal numbers|` +
	`file ends before (its three lines of sizes|the pairs that it announces)|pairs, but no documents|` +
	`file is over a vocabulary of \d+ words, but the one given has 5: name the file's own|(word number|count) must be in \[1, \d+\]|` +
	`document number (is not ascending, or below 1|exceeds the number of documents in line 1)|` +
	`the document (of|before) this line has a word twice|the document before this line has more than 16777216 words|` +
	`more pairs than the file announces|longer than any line of this format)$`)

func FuzzUCI(f *testing.F) {
	for _, seed := range []string{
		"2\n5\n3\n1 2 1\n1 5 7\n2 1 1\n", "2.0\n5.\n1\n1 2 1.00\n", "1\n5\n1\n1 2 1.5\n", "1\n5\n1\n1 2 .0\n",
		"1\n5\n1\n1 2 1.0.0\n", "0\n0\n0\n", "1000\n0\n0\n0",
		"900\n5\n1\n900 5 1\n", "010\n5\n0\n", "1\n5\n2\n1 1 1\n1 1 1\n", "1 1 1", "\n\n\n", "1\n5\n\x00\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := readUCI(strings.NewReader(in))
		if err != nil {
			if !uciRefusals.MatchString(err.Error()) {
				t.Errorf("got %q, want a refusal", err)
			}
			return
		}
		if len(got) == most {
			return
		}
		if want, ok := readUCIReference(in); !ok || !slices.EqualFunc(got, want, maps.Equal) {
			t.Errorf("%q: got %v, want %v, %v", in, got, want, ok)
		}
	})
}
