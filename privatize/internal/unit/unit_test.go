package unit

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	s := make(Set)
	for i, c := range []struct {
		name  string
		fresh bool
	}{{"a", true}, {"b", true}, {"a", false}, {"", true}, {"A", true}, {"", false}, {"b", false}} {
		if s.Add(KeyOf(c.name)) != c.fresh {
			t.Errorf("name %d: not as it should be", i)
		}
	}
}

// TestMarks: a key keeps the mark that it came with first, and keys come out in ascending order.
func TestMarks(t *testing.T) {
	m := make(Marks)
	for i, c := range []struct {
		name        string
		mark, first Mark
		fresh       bool
	}{
		{"a", Mark{1, 2}, Mark{1, 2}, true}, {"b", Mark{}, Mark{}, true}, {"a", Mark{3, 4}, Mark{1, 2}, false},
		{"a", Mark{1, 2}, Mark{1, 2}, false}, {"c", Mark{1, 2}, Mark{1, 2}, true}, {"b", Mark{5, 6}, Mark{}, false},
		{"", Mark{7, 8}, Mark{7, 8}, true},
	} {
		if first, fresh := m.Add(KeyOf(c.name), c.mark); first != c.first || fresh != c.fresh {
			t.Errorf("name %d: first mark %v, fresh %v", i, first, fresh)
		}
	}
	keys := m.Keys()
	if len(keys) != 4*KeySize {
		t.Fatalf("%d bytes of keys", len(keys))
	}
	for i := KeySize; i < len(keys); i += KeySize {
		if bytes.Compare(keys[i-KeySize:i], keys[i:i+KeySize]) >= 0 {
			t.Error("keys do not ascend")
		}
	}
}

// TestKeyOf: the key that SPEC.md states, of all of a name and nothing else.
func TestKeyOf(t *testing.T) {
	long := strings.Repeat("user/ann ", 100)
	for _, name := range []string{"", "user/ann", "user/anna", long, long + "a", "\x00", "ÄÖ"} {
		sum := sha256.Sum256([]byte(name))
		if k := KeyOf(name); !bytes.Equal(k[:], sum[:16]) {
			t.Errorf("key of %.10q… is %x, want the first half of %x", name, k, sum)
		}
	}
}
