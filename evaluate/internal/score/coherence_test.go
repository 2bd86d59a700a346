package score

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// TestAsGensim compares with gensim's numbers, which testdata/gensim_coherence.py wrote.
func TestAsGensim(t *testing.T) {
	content, err := os.ReadFile("testdata/gensim.json")
	if err != nil {
		t.Fatal(err)
	}
	var gensim struct {
		Documents, Topics, Absent [][]uint32
		UMass                     []float64 `json:"u_mass"`
		CNPMI                     []float64 `json:"c_npmi"`
		CV                        []float64 `json:"c_v"`
		AbsentUMass               []float64 `json:"absent_u_mass"`
	}
	if err := json.Unmarshal(content, &gensim); err != nil {
		t.Fatal(err)
	}
	if len(gensim.Topics) < 5 || len(gensim.UMass) != len(gensim.Topics) {
		t.Fatalf("%d topics, %d values", len(gensim.Topics), len(gensim.UMass))
	}
	var all []uint32
	for _, topic := range gensim.Topics {
		all = append(all, topic...)
	}
	for _, topic := range gensim.Absent {
		all = append(all, topic...)
	}
	c := count(all, gensim.Documents...)
	if len(gensim.Absent) < 5 {
		t.Errorf("%d topics with words that no document holds", len(gensim.Absent))
	}
	for i, topic := range gensim.Absent {
		if got, want := c.UMass(topic), gensim.AbsentUMass[i]; math.Abs(got-want) > 1e-9 {
			t.Errorf("topic %v: u_mass is %v, gensim's %v", topic, got, want)
		}
	}
	for i, topic := range gensim.Topics {
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"u_mass", c.UMass(topic), gensim.UMass[i]},
			{"c_npmi", c.CNPMI(topic), gensim.CNPMI[i]},
			{"c_v", c.CV(topic), gensim.CV[i]},
		} {
			if math.Abs(m.got-m.want) > 1e-9 {
				t.Errorf("topic %d: %s is %v, gensim's %v", i, m.name, m.got, m.want)
			}
		}
	}
}

// TestWordOfNoDocument: a word that no document holds leaves every measure finite.
func TestWordOfNoDocument(t *testing.T) {
	topic := []uint32{9, 1, 2}
	c := count(topic, []uint32{1, 2}, []uint32{1}, []uint32{3})
	for name, got := range map[string]float64{
		"npmi": c.NPMI(topic), "c_npmi": c.CNPMI(topic), "c_v": c.CV(topic), "u_mass": c.UMass(topic),
	} {
		if math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("%s is %v", name, got)
		}
	}
	// 9 comes first, so its pairs count 0; 1 is in two documents, one of them with 2.
	if got, want := c.UMass(topic), math.Log(0.5)/3; math.Abs(got-want) > 1e-9 {
		t.Errorf("u_mass is %v, want %v", got, want)
	}
	// 1 and 2 alone have a C_V of their own, and 9 takes a third of it away.
	if got, want := c.CV(topic), c.CV([]uint32{1, 2})*2/3; math.Abs(got-want) > 1e-9 || got <= 0 {
		t.Errorf("c_v is %v, want %v", got, want)
	}
	if got := c.Held(topic); !slices.Equal(got, []uint32{1, 2}) {
		t.Errorf("documents hold %v", got)
	}
}

// TestNoWord: a topic of which no document holds a word has no C_V to speak of.
func TestNoWord(t *testing.T) {
	topic := []uint32{7, 8, 9}
	if got := count(topic, []uint32{1, 2}, []uint32{1}).CV(topic); got != 0 {
		t.Errorf("c_v is %v, want 0", got)
	}
}
