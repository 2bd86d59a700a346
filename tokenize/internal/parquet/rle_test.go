package parquet

import (
	"testing"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// TestLibrary shows why pages are decoded here: parquet-go's decoder panics on 3 bytes, and takes 16 MiB for 4 others.
// If this test fails, weigh again whether it can decode the pages. On "\xff\xff\xff\x7f" it takes 4 GiB before it
// panics, and that takes between 10 ms and 10 s: so this test gives it 3 bytes only.
func TestLibrary(t *testing.T) {
	panics := func() (is bool) {
		defer func() { is = recover() != nil }()
		_, _ = (&rle.Encoding{BitWidth: 8}).DecodeInt32(nil, []byte("\xff\xff\x7f"))
		return false
	}
	if !panics() {
		t.Error("3 bytes do not panic")
	}
	levels, err := new(rle.Encoding).DecodeLevels(nil, []byte("\x80\x80\x80\x10"))
	if err != nil || len(levels) != 16<<20 {
		t.Errorf("4 bytes take %d bytes, %v", len(levels), err)
	}
	for _, width := range []int{0, 8} {
		for _, src := range []string{"\xff\xff\xff\x7f", "\x80\x80\x80\x10"} {
			h := hybrid{src: []byte(src), width: width}
			h.next() // takes no memory
		}
	}
}
