package noise

import "testing"

// Each branch of Next. At t = 160 the width is 2. u = 1 has the exponent 1/160. Its first digits in base 2^16 are 409
// and 39321, and again 39321. The limit of the first digit is 2·2^16/160 + 1 = 820.
func TestLaplaceTakesEachBranch(t *testing.T) {
	l := NewLaplace(160)
	checkScripted(t, l, []scripted{
		{"digit not asked about", [][]byte{l.word(1, 1, 820, false)}, 3},
		{"digit fails the first trial", [][]byte{l.word(1, 1, 819, false)}, 3},
		{"negative", [][]byte{l.word(5, 1, 820, true)}, -11},
		{"u = 0 has exponent 0", [][]byte{l.word(1, 0, 0, false), digits(1)}, 2},
		{"zero", [][]byte{l.word(0, 0, 0xffff, false)}, 0},
		{"−0 is drawn again", [][]byte{l.word(0, 0, 0xffff, true), l.word(2, 0, 0xffff, true)}, -4},
		{"second trial fails at 1/2: rejected", [][]byte{
			l.word(1, 1, 408, true), digits(0xffff),
			l.word(2, 1, 0xffff, false),
		}, 5},
		{"second trial fails at 1/160: rejected", [][]byte{
			l.word(1, 1, 408, true), digits(0, 410),
			l.word(0, 1, 0xffff, false),
		}, 1},
		{"third trial fails: accepted", [][]byte{l.word(1, 1, 408, true), digits(0, 0, 0xffff)}, -3},
		{"first digits equal: the second fails", [][]byte{l.word(1, 1, 409, false), digits(39322)}, 3},
		{"first digits equal: the second succeeds", [][]byte{
			l.word(1, 1, 409, false), digits(39320), digits(0xffff),
			l.word(7, 0, 0xffff, true),
		}, -14},
		{"three digits equal: the fourth fails", [][]byte{l.word(1, 1, 409, false), digits(39321, 39321, 39322)}, 3},
	})
}

// Beyond the table there are more numbers, not one that stands for all. With w = 1 and t = 1, 1 − F_j is
// 2·e^-(j+1)/(1+1/e); U = 1 − 2^-100 has 64 ones and 36 more, and j is the least with e^-(j+1) < 2^-100·(1+1/e)/2:
// 69.3 + 0.4 < j + 1.
func TestLaplaceBeyondTheTable(t *testing.T) {
	l := NewLaplace(1)
	ones := ^uint64(0)
	first := ones &^ (1 << 41) // not negative
	checkScripted(t, l, []scripted{
		{"100 ones", [][]byte{words(first, ones, ones<<28)}, 69},
		{"128 ones, then 0", [][]byte{words(first, ones, ones, 0, 0)}, 89},
	})
}
