package kafka

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/wire/stream"
)

// The message headers. Their values are text. SPEC.md, "Topics", is the contract.
const (
	headerWriter = "writer" // the random name of the writing program run, in hexadecimal
	headerFrame  = "frame"  // the frame's number among the writer's frames, from 0
	headerSince  = "since"  // the frame's number among the writer's frames in its round or set, from 0
	headerRound  = "round"  // the round of the writer's last record so far; an end record does not count
	// "close": the frame closes the round or set; "end": the frame ends the stream; otherwise absent
	headerMark = "mark"
)

// A label describes the frame in a message. It comes from the message headers.
type label struct {
	Writer        string // empty: another program wrote the message, which may hold several frames
	Number, Since int
	stream.Mark
}

func (l *label) headers() []kafka.Header {
	text := func(key, value string) kafka.Header { return kafka.Header{Key: key, Value: []byte(value)} }
	headers := []kafka.Header{
		text(headerWriter, l.Writer), text(headerFrame, strconv.Itoa(l.Number)),
		text(headerSince, strconv.Itoa(l.Since)),
		text(headerRound, strconv.FormatUint(uint64(l.Round), 10)),
	}
	switch {
	case l.Ends:
		headers = append(headers, text(headerMark, "end"))
	case l.Closes:
		headers = append(headers, text(headerMark, "close"))
	}
	return headers
}

// maxNumber bounds numbers in headers, so that sums of them do not overflow.
const maxNumber = 1 << 40

// readLabel reads a message's headers. It refuses headers that no stage writes. Without the header "writer" another
// program wrote the message, and readLabel ignores the other headers.
func readLabel(headers []kafka.Header) (label, error) {
	var l label
	var wrong error
	given := make(map[string]int)
	for _, h := range headers {
		value, err := string(h.Value), error(nil)
		switch h.Key {
		case headerWriter:
			l.Writer = value
			_, err = hex.DecodeString(value)
		case headerFrame:
			l.Number, err = number(value)
		case headerSince:
			l.Since, err = number(value)
		case headerRound:
			var round uint64
			round, err = strconv.ParseUint(value, 10, 32)
			l.Round = uint32(round)
		case headerMark:
			l.Ends = value == "end"
			l.Closes = l.Ends || value == "close"
			if !l.Closes {
				err = errors.New("neither close nor end")
			}
		}
		if given[h.Key]++; err != nil {
			wrong = fmt.Errorf("header %s of the message is malformed", h.Key)
		}
	}
	if l.Writer == "" {
		return label{}, nil
	}
	for _, key := range []string{headerWriter, headerFrame, headerSince, headerRound} {
		if given[key] != 1 {
			wrong = fmt.Errorf("the message has header %s %d times, must have it once", key, given[key])
		}
	}
	if wrong != nil {
		return label{}, wrong
	}
	return l, nil
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && (n < 0 || n > maxNumber) {
		err = strconv.ErrRange
	}
	return n, err
}
