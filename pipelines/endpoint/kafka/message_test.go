package kafka

import (
	"slices"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/wire/stream"
)

// headersOf takes "key=value" texts.
func headersOf(texts ...string) []kafka.Header {
	var headers []kafka.Header
	for _, text := range texts {
		key, value, _ := strings.Cut(text, "=")
		headers = append(headers, kafka.Header{Key: key, Value: []byte(value)})
	}
	return headers
}

func TestLabel(t *testing.T) {
	for _, c := range []struct {
		label   label
		headers string
	}{
		{label{Writer: "00ff"}, "writer=00ff frame=0 since=0 round=0"},
		{label{"a0", 7, 3, stream.Mark{Round: 2}}, "writer=a0 frame=7 since=3 round=2"},
		{label{"a0", 7, 3, stream.Mark{Round: 1<<32 - 1, Closes: true}},
			"writer=a0 frame=7 since=3 round=4294967295 mark=close"},
		{label{"a0", maxNumber, 0, stream.Mark{Round: 2, Closes: true, Ends: true}},
			"writer=a0 frame=1099511627776 since=0 round=2 mark=end"},
	} {
		want := headersOf(strings.Fields(c.headers)...)
		if got := c.label.headers(); !slices.EqualFunc(got, want, same) {
			t.Errorf("%+v has the headers %s, want %s", c.label, got, want)
		}
		got, err := readLabel(append(headersOf("trace=1"), append(want, headersOf("trace=2")...)...))
		if err != nil || got != c.label {
			t.Errorf("%s: %+v, %v, want %+v", c.headers, got, err, c.label)
		}
	}
}

func same(a, b kafka.Header) bool { return a.Key == b.Key && string(a.Value) == string(b.Value) }

// TestForeignLabel: without a writer headers mean nothing.
func TestForeignLabel(t *testing.T) {
	for _, headers := range [][]kafka.Header{
		nil, {}, headersOf("trace=1"), headersOf("writer="), headersOf("frame=7", "mark=end"),
		headersOf("round=first", "mark=?", "Writer=a0"),
	} {
		if got, err := readLabel(headers); err != nil || got != (label{}) {
			t.Errorf("%s: %+v, %v", headers, got, err)
		}
	}
}

func TestLabelRefuses(t *testing.T) {
	for headers, want := range map[string]string{
		"writer=a frame=0 since=0 round=0":              "header writer",
		"writer=Alice frame=0 since=0 round=0":          "header writer",
		"writer=a0 frame=-1 since=0 round=0":            "header frame",
		"writer=a0 frame= since=0 round=0":              "header frame",
		"writer=a0 frame=0x1 since=0 round=0":           "header frame",
		"writer=a0 frame=1099511627777 since=0 round=0": "header frame",
		"writer=a0 frame=0 since=1.5 round=0":           "header since",
		"writer=a0 frame=0 since=0 round=4294967296":    "header round",
		"writer=a0 frame=0 since=0 round=-1":            "header round",
		"writer=a0 frame=0 since=0 round=0 mark=":       "header mark",
		"writer=a0 frame=0 since=0 round=0 mark=closes": "header mark",
		"writer=a0":                                              "0 times",
		"writer=a0 since=0 round=0":                              "header frame 0 times",
		"writer=a0 frame=0 round=0":                              "header since 0 times",
		"writer=a0 frame=0 since=0":                              "header round 0 times",
		"writer=a0 frame=0 frame=1 since=0 round=0":              "header frame 2 times",
		"writer=a0 writer=b0 frame=0 since=0 round=0":            "header writer 2 times",
		"frame=secret since=0 round=0 mark=secret writer=secret": "header",
	} {
		got, err := readLabel(headersOf(strings.Fields(headers)...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, error %v, want one of %q", headers, got, err, want)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells what it holds: %v", headers, err)
		}
	}
}

// FuzzLabel: what is read as a label is what a writer of it would have written, or it is no label of ours.
func FuzzLabel(f *testing.F) {
	f.Add("a0", "1", "0", "3", "close")
	f.Add("00ff", "1099511627776", "7", "4294967295", "end")
	f.Add("", "x", "y", "z", "")
	f.Add("a0", "+1", "01", "-0", "")
	f.Fuzz(func(t *testing.T, writer, frame, since, round, mark string) {
		headers := headersOf("writer="+writer, "frame="+frame, "since="+since, "round="+round)
		if mark != "" {
			headers = append(headers, headersOf("mark="+mark)...)
		}
		l, err := readLabel(headers)
		if err != nil || l.Writer == "" {
			if l != (label{}) {
				t.Errorf("%s: %+v beside %v", headers, l, err)
			}
			return
		}
		again, err := readLabel(l.headers())
		if err != nil || again != l {
			t.Errorf("%s: %+v, and from its own headers %+v, %v", headers, l, again, err)
		}
		for _, n := range []int{l.Number, l.Since} {
			if n < 0 || n > maxNumber {
				t.Errorf("%s: the number %d", headers, n)
			}
		}
	})
}
