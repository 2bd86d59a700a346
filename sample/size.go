package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes with a unit, as flags give it: 512MiB, 4GiB.
type size int64

var units = map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *size) UnmarshalText(text []byte) error {
	number := strings.TrimRight(string(text), "BiKMGT")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	factor, ok := units[string(text[len(number):])]
	if err != nil || !ok || !(n >= 0 && n*factor < math.MaxInt64) {
		return fmt.Errorf("%q is not a size like 512MiB", text)
	}
	*s = size(n * factor)
	return nil
}
