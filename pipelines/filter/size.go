package filter

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Size is a number of bytes, at least 0. Flags accept it as 67108864, 64MiB or 1.5GB.
type Size int64

// units has the IEC 80000-13 units, with powers of 1024, and then the SI units, with powers of 1000. In each group
// larger units come first. Plain bytes come last.
var units = []struct {
	name  string
	bytes float64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1},
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	for _, unit := range units {
		number, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n >= 0 && n*unit.bytes < math.MaxInt64) {
			break
		}
		*s = Size(n * unit.bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size: a number of bytes, or one of kB, MB, GB, TB, KiB, MiB, GiB or TiB, such as "+
		"512MiB", text)
}

// String implements fmt.Stringer. It writes the size in the largest IEC unit that divides it.
func (s Size) String() string {
	for _, unit := range units[:4] {
		if n := Size(unit.bytes); s > 0 && s%n == 0 {
			return fmt.Sprintf("%d%s", s/n, unit.name)
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
