package features

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"

	"privpipe/pipelines/wire"
)

// An ImageRule decides which pixels in an image are on.
type ImageRule struct {
	size      ImageSize
	threshold byte   // pixels of at least this intensity are on; not with coins
	coins     bool   // a pixel is on with probability intensity/255
	seed      uint64 // of the coins, and public
}

// Binarise returns the rule that turns on each pixel of at least the threshold, 1 to 255.
func Binarise(size ImageSize, threshold byte) ImageRule {
	return ImageRule{size: size, threshold: threshold}
}

// Bernoulli returns the rule that turns on a pixel with probability intensity/255, independently of all others.
func Bernoulli(size ImageSize, seed uint64) ImageRule {
	return ImageRule{size: size, coins: true, seed: seed}
}

// version is the version of the rules. It must grow whenever an image becomes another document.
const version = "privpipe images 1\n"

func (r ImageRule) String() string {
	if r.coins {
		return fmt.Sprintf("%v bernoulli %d", r.size, r.seed)
	}
	return fmt.Sprintf("%v binarise %d", r.size, r.threshold)
}

// Settings identifies the rule in a stream's header.
func (r ImageRule) Settings() []byte {
	sum := sha256.Sum256([]byte(version + r.String()))
	return sum[:]
}

// Document returns the document for an image, without an id. The image must have the rule's size.
func (r ImageRule) Document(image Image) *wire.Document {
	on := func(intensity byte) bool { return intensity >= r.threshold }
	if r.coins {
		on = r.toss(image.Pixels)
	}
	d := &wire.Document{Label: image.Label}
	last := 0
	for i, intensity := range image.Pixels {
		if on(intensity) {
			d.WordGaps, d.Counts = append(d.WordGaps, uint32(i-last)), append(d.Counts, 1)
			last = i
		}
	}
	return d
}

// toss returns a function that throws a coin for each pixel. The key of the coins is a hash of the seed and the image.
// An image's coins must not change when another image is removed. With the image's number in the key, they would
// (SPEC.md §2.3). The label is no part of the key.
func (r ImageRule) toss(image []byte) func(intensity byte) bool {
	key := sha256.New()
	key.Write([]byte(version + r.String() + "\n"))
	key.Write(image)
	coins := rand.NewChaCha8([32]byte(key.Sum(nil)))
	var block [256]byte
	left := block[:0]
	return func(intensity byte) bool {
		for {
			if len(left) == 0 {
				coins.Read(block[:]) // never fails
				left = block[:]
			}
			coin := left[0]
			left = left[1:]
			if coin < 255 { // uniform on 0 to 254
				return coin < intensity
			}
		}
	}
}
