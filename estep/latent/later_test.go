package latent

import (
	"reflect"
	"testing"
)

// TestTopTopics reads the flag, and asks for rounds before, at and after each change.
func TestTopTopics(t *testing.T) {
	var top TopTopics
	if err := top.UnmarshalText([]byte("2,3@20,0@40")); err != nil {
		t.Fatal(err)
	}
	if want := (TopTopics{2, []Later{{20, 3}, {40, 0}}}); !reflect.DeepEqual(top, want) {
		t.Fatalf("read %v, want %v", top, want)
	}
	form := Flags{TopTopics: top, WordWeight: "sqrt", Norm: 2}.Shape()
	for round, want := range map[uint32]int{1: 2, 19: 2, 20: 3, 39: 3, 40: 0, 1 << 31: 0} {
		if got := form.In(round); !reflect.DeepEqual(got, Shape{TopTopics: want, Weight: Root, Norm: 2}) {
			t.Errorf("round %d has %+v, want %d topics", round, got, want)
		}
	}
	if form.Raw() || (Shape{Later: []Later{{2, 1}}}).Raw() || !(Shape{}).Raw() {
		t.Error("raw are all counts of all topics, and nothing else")
	}
	for _, text := range []string{
		"", "x", "-1", "2,", "2,3", "2,3@", "2,3@x", "2,x@3", "2,3@1", "2,3@5,4@5", "2,3@9,4@5", "2,-3@9", "4294967296",
	} {
		if new(TopTopics).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is no error", text)
		}
	}
}

// TestFactors: words weigh their count times their factor, and the norm holds after that.
func TestFactors(t *testing.T) {
	if WeightsOf(nil, nil, []uint32{1}) != nil {
		t.Error("no weights have factors")
	}
	factors := WeightsOf([]float32{9}, []float32{.25, 7, .5, 1}, []uint32{0, 2, 3})
	values := []float32{1, 1, 1, 3, 1, 0}
	Shape{Norm: 1}.Scale(values, []float32{4, 2, 1}, []float32{8, 4, 2}, factors)
	for i, want := range []float32{.5, 1, 2, 1.5, 1, 0} { // of counts 8, 4 and 2 by 1/4, 1/2 and 1, before the norm
		if d := values[i] - want/2.9154759; d > 1e-6 || d < -1e-6 { // √(1/4 + 1 + 4 + 9/4 + 1)
			t.Fatalf("values are %v", values)
		}
	}
}
