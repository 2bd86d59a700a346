//go:build !amd64

package job

func toINT16(values []byte, scale float32) { plainINT16(values, scale) }

func magnitude(values []byte) float32 { return plainMagnitude(values) }
