package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"privpipe/pipelines/npy"
)

// A speller spells a value, a number or bytes, as a program that writes CSV would.
type speller func(n int64, b []byte) string

// mostBytes is the length of the longest number that a speller takes, in bytes: 76 digits.
const mostBytes = 32

// speller returns a leaf's speller, nil for strings.
func (n *node) speller() (speller, error) {
	number := n.Type.V == format.Int32 || n.Type.V == format.Int64
	fixed := func(length int) bool { return n.Type.V == format.FixedLenByteArray && int(n.TypeLength.V) == length }
	switch logical := n.LogicalType.Value.(type) {
	case nil:
		return n.olderSpeller(number)
	case *format.StringType, *format.EnumType, *format.JsonType:
		if n.Type.V == format.ByteArray {
			return nil, nil
		}
	case *format.NullType:
		return func(int64, []byte) string { return "" }, nil
	case *format.DecimalType:
		return decimal(n.Type.V, int(logical.Scale))
	case *format.IntType:
		if number {
			return integer(n.Type.V, logical.IsSigned), nil
		}
	case *format.DateType:
		if number {
			return date, nil
		}
	case *format.TimeType:
		if number {
			return timeOfDay(unitOf(&logical.Unit)), nil
		}
	case *format.TimestampType:
		if number {
			return timestamp(unitOf(&logical.Unit), logical.IsAdjustedToUTC), nil
		}
	case *format.UUIDType:
		if fixed(16) {
			return uuid, nil
		}
	case *format.Float16Type:
		if fixed(2) {
			return func(_ int64, b []byte) string { return half(binary.LittleEndian.Uint16(b)) }, nil
		}
	}
	return nil, errKind
}

// olderSpeller is speller for leaves without a logical type.
func (n *node) olderSpeller(number bool) (speller, error) {
	converted := n.ConvertedType.V
	switch {
	case !n.ConvertedType.Valid:
	case converted == deprecated.Decimal:
		return decimal(n.Type.V, int(n.Scale.V))
	case number:
		switch converted {
		case deprecated.Date:
			return date, nil
		case deprecated.TimeMillis:
			return timeOfDay(time.Millisecond), nil
		case deprecated.TimeMicros:
			return timeOfDay(time.Microsecond), nil
		case deprecated.TimestampMillis:
			return timestamp(time.Millisecond, true), nil
		case deprecated.TimestampMicros:
			return timestamp(time.Microsecond, true), nil
		case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
			return integer(n.Type.V, false), nil
		case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
			return integer(n.Type.V, true), nil
		}
		return nil, errKind
	case converted != deprecated.UTF8 && converted != deprecated.Enum && converted != deprecated.Json:
		return nil, errKind
	}
	switch n.Type.V {
	case format.ByteArray:
		return nil, nil
	case format.FixedLenByteArray:
		return func(_ int64, b []byte) string { return hex.EncodeToString(b) }, nil
	case format.Boolean:
		return func(n int64, _ []byte) string { return strconv.FormatBool(n != 0) }, nil
	case format.Float:
		return func(n int64, _ []byte) string { return real(float64(math.Float32frombits(uint32(n))), 32) }, nil
	case format.Double:
		return func(n int64, _ []byte) string { return real(math.Float64frombits(uint64(n)), 64) }, nil
	case format.Int96: // nanoseconds in the day, then the day's number: 2,440,588 is 1970-01-01
		return func(_ int64, b []byte) string {
			day := int64(binary.LittleEndian.Uint32(b[8:])) - 2440588
			return instant(time.Unix(day*86400, int64(binary.LittleEndian.Uint64(b))), false)
		}, nil
	}
	return integer(n.Type.V, true), nil
}

// A number converts a value, a number's bits or bytes, to a floating-point number.
type number func(n int64, b []byte) float64

// number returns the conversion of a leaf's floating-point numbers, nil for other leaves.
func (n *node) number() number {
	switch _, half := n.LogicalType.Value.(*format.Float16Type); {
	case half:
		return func(_ int64, b []byte) float64 { return npy.Float16(binary.LittleEndian.Uint16(b)) }
	case n.LogicalType.Value != nil || n.ConvertedType.Valid:
	case n.Type.V == format.Float:
		return func(n int64, _ []byte) float64 { return float64(math.Float32frombits(uint32(n))) }
	case n.Type.V == format.Double:
		return func(n int64, _ []byte) float64 { return math.Float64frombits(uint64(n)) }
	}
	return nil
}

// real spells a floating-point number: the shortest decimal that is read back as the same number.
func real(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

func integer(physical format.Type, signed bool) speller {
	return func(n int64, _ []byte) string {
		switch small := physical == format.Int32; {
		case small && signed:
			return strconv.FormatInt(int64(int32(n)), 10)
		case small:
			return strconv.FormatUint(uint64(uint32(n)), 10)
		case signed:
			return strconv.FormatInt(n, 10)
		}
		return strconv.FormatUint(uint64(n), 10)
	}
}

// decimal spells n/10^scale. If n is given as bytes, it is in two's complement, with the most significant byte first.
func decimal(physical format.Type, scale int) (speller, error) {
	if physical == format.Boolean || physical == format.Float || physical == format.Double {
		return nil, errKind
	}
	if scale < 0 || scale > 1000 {
		return nil, errKind
	}
	return func(n int64, b []byte) string {
		if physical == format.Int32 {
			n = int64(int32(n))
		}
		x := big.NewInt(n)
		if b != nil {
			x.SetBytes(b)
			if len(b) > 0 && b[0] >= 0x80 {
				x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		digits := new(big.Int).Abs(x).String()
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale-len(digits)+1) + digits
		}
		if scale > 0 {
			digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
		}
		if x.Sign() < 0 {
			digits = "-" + digits
		}
		return digits
	}, nil
}

func date(n int64, _ []byte) string {
	return time.Unix(int64(int32(n))*86400, 0).UTC().Format(time.DateOnly)
}

func unitOf(unit *format.TimeUnit) time.Duration {
	switch unit.Value.(type) {
	case *format.NanoSeconds:
		return time.Nanosecond
	case *format.MicroSeconds:
		return time.Microsecond
	}
	return time.Millisecond
}

// timeOfDay spells a time of day. A time in milliseconds has 32 bits.
func timeOfDay(unit time.Duration) speller {
	return func(n int64, _ []byte) string {
		if unit == time.Millisecond {
			n = int64(int32(n))
		}
		return time.Unix(0, n*int64(unit)).UTC().Format("15:04:05.999999999")
	}
}

func timestamp(unit time.Duration, utc bool) speller {
	perSecond := int64(time.Second / unit)
	return func(n int64, _ []byte) string {
		return instant(time.Unix(n/perSecond, n%perSecond*int64(unit)), utc)
	}
}

func instant(t time.Time, utc bool) string {
	s := t.UTC().Format("2006-01-02 15:04:05.999999999")
	if utc {
		s += "+00:00"
	}
	return s
}

// uuid spells 16 bytes as a UUID (RFC 9562, section 4).
func uuid(_ int64, b []byte) string {
	s := hex.EncodeToString(b)
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}

// half spells a floating-point number of 16 bits.
func half(bits uint16) string { return real(npy.Float16(bits), 32) }
