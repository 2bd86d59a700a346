package informed

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether this machine has the instructions of kernel_amd64.s.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// multiplyTile is the kernel of kernel.go. With AVX2 it rounds a sum once for each product, so the last digits may
// differ between machines.
func multiplyTile(t *tile, a, b []float32) {
	if n := len(a) / height; hasAVX2 && n > 0 {
		multiplyAVX2(t, &a[0], &b[:n*width][0], n)
		return
	}
	plainMultiplyTile(t, a, b)
}

//go:noescape
func multiplyAVX2(t *tile, a, b *float32, n int)
