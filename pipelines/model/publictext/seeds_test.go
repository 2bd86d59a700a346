package publictext

import (
	"math"
	"testing"
)

// TestSeed: a seeded topic has half of its mass on its own words, by the root of their frequencies, and more of a word
// that stands beside them in public text than of another. The topics of the text follow, with their kinds.
func TestSeed(t *testing.T) {
	before := text() // cat and owl share a topic, and dog has another
	seeds := []Seed{{"night", []string{"owl", "zebra"}}, {"birds", []string{"owl", "dog"}}}
	seeded, err := before.Seed(seeds, "seeds.txt")
	if err != nil {
		t.Fatal(err)
	}
	row, sum := make([]float64, len(before.Frequencies)), 0.
	for v, p := range before.Frequencies {
		row[v] = p * math.Exp(float64(seeded.Topics[0][v]))
		sum += row[v]
	}
	if math.Abs(sum-1) > 1e-6 || row[3] < seedShare || row[0]/before.Frequencies[0] < row[1]/before.Frequencies[1] {
		t.Errorf("the topic of owls is %v, with the sum %v", row, sum)
	}
	own := math.Exp(float64(seeded.Topics[1][3])) * before.Frequencies[3]
	if least := seedShare * math.Sqrt(.1) / (math.Sqrt(.1) + math.Sqrt(.3)); own < least {
		t.Errorf("owl has %v of its topic, must have at least %v", own, least)
	}
	if seeded.First != 3 || len(seeded.Topics) != 4 || seeded.Kinds[1].First != 3 || seeded.Names[1] != "birds" ||
		seeded.Digest == before.Digest || len(before.Topics) != 2 || before.Kinds[1].First != 1 {
		t.Errorf("seeded %+v, before %+v", seeded, before)
	}
	if _, err := before.Seed([]Seed{{"none", []string{"zebra"}}}, "seeds.txt"); err == nil {
		t.Error("a topic without a known word is made")
	}
}
