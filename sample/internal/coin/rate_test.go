package coin

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/sample/internal/corpus"
)

// TestRateIsTheCharged: a unit is in a round if and only if its number, as coin/claim.md defines it, is below the rate
// of the scheme, to the last bit of the rate. The scheme is what a ledger charges. The number is computed here, by
// another way than in package coin.
func TestRateIsTheCharged(t *testing.T) {
	digests, keys := units(66)
	for _, round := range []int{1, 4, 5, 1<<22 + 1, 1<<30 + 2, 1 << 31} {
		for _, i := range []int{0, 1, 40, 63, 64, 65} {
			for name, c := range map[string]struct {
				number *big.Int
				bits   int
				draw   func(event.Scheme) (*Chooser, error)
			}{
				"secret": {numberOf(secret(3), "any", round, &keys[i]), 96,
					func(scheme event.Scheme) (*Chooser, error) {
						return NewChooser(scheme, digests, keys, secret(3).Throw("any"))
					}},
				"seed": {new(big.Int).SetUint64(Seed(3).Number(round, digests[i])), 64,
					func(scheme event.Scheme) (*Chooser, error) {
						return NewSeeded(scheme, digests, keys, 3)
					}},
			} {
				above, below := around(c.number, c.bits)
				for rate, want := range map[float64]bool{above: true, below: false} {
					chooser, err := c.draw(event.Scheme{Method: event.Poisson, Rate: rate, Rounds: event.MaxRounds})
					if err != nil {
						t.Fatal(err)
					}
					if got := chooser.Round(round).Has(i); got != want {
						t.Errorf("%s: unit %d, number %x of %d bits, is in round %d of rate %x: %v, want %v", name, i,
							c.number, c.bits, round, rate, got, want)
					}
				}
			}
		}
	}
}

// numberOf returns a unit's number in a round of event.Poisson. The number has 96 bits: the 32 of its group, and the 64
// of its ties.
func numberOf(secret Secret, purpose string, round int, key *corpus.Key) *big.Int {
	block := func(use string, number uint64) []byte {
		mac := hmac.New(sha256.New, secret[:])
		mac.Write(binary.LittleEndian.AppendUint64([]byte(use+"\n"+purpose), number))
		cipher, err := aes.NewCipher(mac.Sum(nil))
		if err != nil {
			panic(err) // impossible: the key has 32 bytes
		}
		out := make([]byte, aes.BlockSize)
		cipher.Encrypt(out, key[:])
		return out
	}
	group, tie := block("group", uint64(round-1)/4), block("tie", uint64(round))
	number := new(big.Int).SetUint64(uint64(binary.LittleEndian.Uint32(group[uint64(round-1)%4*4:])))
	return number.Lsh(number, 64).Add(number, new(big.Int).SetUint64(binary.LittleEndian.Uint64(tie)))
}

// around returns the least float64 above the share number/2^bits, and the greatest that is not above it.
func around(number *big.Int, bits int) (above, below float64) {
	share := new(big.Rat).SetFrac(number, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	nearest, _ := share.Float64()
	if new(big.Rat).SetFloat64(nearest).Cmp(share) > 0 {
		return nearest, math.Nextafter(nearest, 0)
	}
	return math.Nextafter(nearest, 1), nearest
}
