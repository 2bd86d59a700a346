package noise

// A Uniform draws independent integers, all with the same probability exactly. It is not safe for concurrent use.
type Uniform struct{ random *source }

func NewUniform() *Uniform { return &Uniform{newSource()} }

// Below draws an integer in [0, n), n ≥ 1. A random number that is not below the largest multiple of n is drawn again:
// below that multiple every remainder comes equally often.
func (u *Uniform) Below(n uint64) uint64 {
	for {
		if x := u.random.uint64(); x < multiple(n) {
			return x % n
		}
	}
}

// multiple returns the largest multiple of n that fits.
func multiple(n uint64) uint64 { return ^uint64(0) - ^uint64(0)%n }
