package latent

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// TopTopics is the value of --top-topics: a number of topics, and other numbers from later rounds on.
type TopTopics struct {
	First int
	Later []Later
}

// Later is the number of topics from a round on.
type Later struct {
	From   uint32 `json:"from"`
	Topics int    `json:"topics"`
}

// UnmarshalText reads N[,N@ROUND…], where rounds ascend from 2 on.
func (t *TopTopics) UnmarshalText(text []byte) error {
	first, rest, more := strings.Cut(string(text), ",")
	var err error
	if t.First, err = number(first, 0); err != nil {
		return err
	}
	t.Later = nil
	for before := 1; more; {
		var one string
		one, rest, more = strings.Cut(rest, ",")
		topics, round, found := strings.Cut(one, "@")
		if !found {
			return fmt.Errorf("must be N[,N@ROUND…], and %q lacks its round", one)
		}
		n, err := number(topics, 0)
		if err != nil {
			return err
		}
		from, err := number(round, before+1)
		if err != nil {
			return err
		}
		t.Later, before = append(t.Later, Later{uint32(from), n}), from
	}
	return nil
}

// number reads a whole number.
func number(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > math.MaxInt32 {
		const form = "must be N[,N@ROUND…] with whole numbers and ascending rounds: %q must be at least %d"
		return 0, fmt.Errorf(form, text, least)
	}
	return n, nil
}
