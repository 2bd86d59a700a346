package job

import (
	"math"

	"golang.org/x/sys/cpu"
)

// toINT16 and magnitude are plainINT16 and plainMagnitude, sixteen and eight numbers at a time.

func toINT16(values []byte, scale float32) {
	whole := 0 // numbers by vectors
	if cpu.X86.HasAVX2 && len(values) >= 64 {
		whole = len(values) / 64 * 16
		int16AVX2(&values[0], whole, scale)
	}
	rest := values[4*whole:]
	plainINT16(rest, scale)
	copy(values[2*whole:], rest[:len(rest)/2])
}

func magnitude(values []byte) float32 {
	if !cpu.X86.HasAVX2 || len(values) < 32 {
		return plainMagnitude(values)
	}
	whole := len(values) / 32 * 8
	bits := magnitudeAVX2(&values[0], whole)
	return math.Float32frombits(max(bits, math.Float32bits(plainMagnitude(values[4*whole:]))))
}

// n is a positive multiple of sixteen.
//
//go:noescape
func int16AVX2(values *byte, n int, scale float32)

// n is a positive multiple of eight.
//
//go:noescape
func magnitudeAVX2(values *byte, n int) (bits uint32)
