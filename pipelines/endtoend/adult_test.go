package endtoend

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit/script"
	words "privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// adultColumns are the columns of UCI's Adult census file: the values of a category, in the order of adult.names, or the public range of a
// number, which is scaled to [0, 1].
var adultColumns = []struct {
	name   string
	values string
	least  float64
	most   float64
}{
	{name: "age", least: 17, most: 90},
	{name: "workclass", values: "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked"},
	{name: "fnlwgt", most: 1.5e6},
	{name: "education", values: "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th 10th Doctorate 5th-6th Preschool"},
	{name: "education-num", least: 1, most: 16},
	{name: "marital-status", values: "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse"},
	{name: "occupation", values: "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces"},
	{name: "relationship", values: "Wife Own-child Husband Not-in-family Other-relative Unmarried"},
	{name: "race", values: "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"},
	{name: "sex", values: "Female Male"},
	{name: "capital-gain", most: 99999},
	{name: "capital-loss", most: 4356},
	{name: "hours-per-week", least: 1, most: 99},
	{name: "native-country", values: "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands"},
}

// adult writes features.txt, train.pp and test.pp to a folder: 106 features, one of them the intercept, of which a row has at most 15, each
// at most 1.
func adult(t testing.TB, folder string) {
	t.Helper()
	ids := make(map[string]uint32)
	var features words.Words
	feature := func(name string) {
		ids[name] = uint32(len(features))
		features = append(features, name)
	}
	for _, c := range adultColumns {
		if c.values == "" {
			feature(c.name)
		}
		for _, value := range strings.Fields(c.values) {
			feature(c.name + "=" + value)
		}
	}
	feature("intercept")
	write(t, folder, "features.txt", strings.Join(features, "\n")+"\n")

	for _, name := range []string{"train.pp", "test.pp"} {
		source := map[string]string{"train.pp": "adult.data", "test.pp": "adult.test"}[name]
		plain := filepath.Join(folder, source)
		decompress(t, shared(t, "data/adult", source+".zst"), plain)
		text, err := os.ReadFile(plain)
		if err != nil {
			t.Fatal(err)
		}
		h := &wire.Header{
			Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, Values: true,
			Vocabulary: features.Hash(), VocabularySize: uint32(len(features)),
		}
		var records []*wire.Record
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "."), ", ")
			if len(cells) != len(adultColumns)+1 {
				continue // an empty line, or the first of the test file
			}
			d := &wire.Document{Id: fmt.Sprint("row-", len(records)), Label: strconv.Itoa(strings.Count(cells[len(cells)-1], ">"))}
			last := uint32(0)
			add := func(name string, x float64) {
				id, known := ids[name]
				if !known || x == 0 {
					return
				}
				d.WordGaps = append(d.WordGaps, id-last)
				d.Values = binary.LittleEndian.AppendUint32(d.Values, math.Float32bits(float32(x)))
				last = id
			}
			for i, c := range adultColumns {
				if c.values != "" {
					add(c.name+"="+cells[i], 1)
					continue
				}
				x, err := strconv.ParseFloat(cells[i], 64)
				if err != nil {
					t.Fatal(err)
				}
				add(c.name, (min(max(x, c.least), c.most)-c.least)/(c.most-c.least))
			}
			add("intercept", 1)
			records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
		}
		stream, _ := script.Stream(h, records...)
		write(t, folder, name, string(stream))
	}
}
