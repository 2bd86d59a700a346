package filter

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "17": 17, "17B": 17, "1e3": 1000, "1.5KiB": 1536, "512MiB": 512 << 20, "4GiB": 4 << 30,
		"2 TiB": 2 << 40,
		"3kB":   3000, "1.5 MB": 1_500_000, "4GB": 4_000_000_000, "1TB": 1e12,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "MiB", "-1", "-1kB", "NaN", "inf", "infB", "4Gi", "4G", "4gib", "4KB", "4GiBB", "4kBB", "4GiB4", "1e30",
		"99999999TiB",
	} {
		if err := new(Size).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

// TestSizeString: what is printed is read again as the same.
func TestSizeString(t *testing.T) {
	for size, want := range map[Size]string{
		0: "0", 1000: "1000", 1023: "1023", 1024: "1KiB", 1536: "1536", 3 << 19: "1536KiB", 64 << 20: "64MiB",
		5 << 40:    "5TiB",
		2048 << 40: "2048TiB",
	} {
		var again Size
		if got := size.String(); got != want || again.UnmarshalText([]byte(got)) != nil || again != size {
			t.Errorf("%d is printed as %q, which is %d; want %q", int64(size), got, int64(again), want)
		}
	}
}
