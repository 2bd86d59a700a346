package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// elementsOf returns the values of JSON as the chunks of a reader give them: "line:value", or "line!" with the fault.
func elementsOf(in io.Reader, limit int) (found []string, err error) {
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
			found = append(found, fmt.Sprintf("%d!%v", chunk.Line, chunk.Fault))
			continue
		}
		for line, e := range chunk.elements(limit) {
			if e.err != nil {
				found = append(found, fmt.Sprintf("%d!%v", line, e.err))
			} else {
				found = append(found, fmt.Sprintf("%d:%s", line, e.content))
			}
		}
	}
}

func TestValues(t *testing.T) {
	for in, want := range map[string][]string{
		"[]":                            nil,
		" \n[ \n]\n":                    nil,
		"\uFEFF[{},\n {\"a\":[1,2]}]":   {"1:{}", `2:{"a":[1,2]}`},
		"[{\"a\":\"]},\\\"\"},\n\n2]":   {`1:{"a":"]},\""}`, "3:2"},
		"[1,]":                          {"1:1", "1:"},
		"[,1]":                          {"1:", "1:1"},
		"[1":                            {"1!the array is not closed: is the file truncated?"},
		"[1,\n{\"a\"":                   {"1:1", "2!the array is not closed: is the file truncated?"},
		"[":                             nil,
		"[1] [2]":                       {"1:1", "1!something comes after the array"},
		"[1]]":                          {"1:1", "1!something comes after the array"},
		"{\n\"a\":1\n}\n{\n\"b\":{}\n}": {"1:{\n\"a\":1\n}", "4:{\n\"b\":{}\n}"},
		"{\n\"a\":1":                    {"1:{\n\"a\":1"},
		"[12345,\"123456789012\",1]":    {"1:12345", "1!record too long", "1:1"},
		// A quote that is not escaped swallows what comes after it.
		// Whoever skips long records must not skip these people.
		"[1,{\"a\":\"x\"y\"},{\"a\":\"z\"}]": {"1:1", "1!the array is not closed: is the file truncated?"},
		"{\n\"a\":\"x\"y\"\n}\n{}\n":         {"1!an object is not closed: is the file truncated?"},
	} {
		for name, reader := range map[string]io.Reader{
			"whole": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		} {
			if got, err := elementsOf(reader, 13); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %s: got %q, %v, want %q", in, name, got, err, want)
			}
		}
	}
}

// TestSeveral: a line of several objects is never skipped, so its people are not left out.
func TestSeveral(t *testing.T) {
	for line, want := range map[string]bool{
		`{"text":"a"}{"text":"b"}`: true, `{"text":"a"}, {"text":"b"}`: true, `{"text":"}{"}x`: false,
		`{"text":"a"},`: false, `{"text":"a"`: false, `x`: false,
	} {
		c := Chunk{Line: 1, Content: []byte(line), format: JSONLines, options: new(Options)}
		for _, row := range c.Rows(100) {
			if got := errors.Is(row.Err, ErrNeverSkipped); row.Err == nil || got != want {
				t.Errorf("%s: %v, never skipped: %v", line, row.Err, got)
			}
		}
	}
}

// FuzzValues compares the elements with the elements that encoding/json finds in an array. It also checks that the
// elements do not depend on how the pipe cuts its input.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{
		"[]", "[1]", "[{\"a\":\"]\\\\\"},[[]],\"\\\"\"]", "[\n]\n", "[1,]", "[1]]", "[1] x", "{\n\"a\":[{}]}\n{\n}",
		"[\"\\", "[}]", "[1,\r\n2\r\n]\r\n",
	} {
		f.Add(seed, 100)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, in string, limit int) {
		limit = max(limit, 1)
		if len(strings.Join(strings.Fields(in), "")) <= len(in)-limit {
			return // as much white space as a document may have: a pipe that delivers it slowly shows no end
		}
		want, err := elementsOf(strings.NewReader(in), limit)
		got, again := elementsOf(iotest.OneByteReader(strings.NewReader(in)), limit)
		if !slices.Equal(got, want) || (err == nil) != (again == nil) {
			t.Errorf("%q: byte by byte %q, %v, at once %q, %v", in, got, again, want, err)
		}
		var values []json.RawMessage
		if err != nil || limit <= len(in) || json.Unmarshal([]byte(in), &values) != nil || values == nil ||
			strings.Contains(in, "\r") {
			return
		}
		if len(got) != len(values) {
			t.Fatalf("%q: %d values, want %d", in, len(got), len(values))
		}
		for i, value := range values {
			if _, content, _ := strings.Cut(got[i], ":"); content != string(value) {
				t.Errorf("%q: value %d is %q, want %q", in, i, got[i], value)
			}
		}
	})
}
