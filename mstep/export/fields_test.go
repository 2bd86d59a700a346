package export

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/npy"
)

// TestFields: each field is written in its shape, whatever its dimensions are.
func TestFields(t *testing.T) {
	f := &modelfile.File{Words: []string{"cat", "dog"}, Size: model.Size{Words: 2, Components: 3}}
	arrays := []model.Array{
		{Name: "number", Cells: []float64{7}},
		{Name: "byword", Columns: model.Words, Cells: []float64{1, 2}},
		{Name: "bypair", Rows: model.Words, Columns: model.Components, Cells: []float64{1, 2, 3, 4, 5, 6}},
	}
	var b bytes.Buffer
	if err := writeFieldsNPZ(&b, f, arrays); err != nil {
		t.Fatal(err)
	}
	read := unzipped(t, b.Bytes())
	for i, tuple := range []string{"()", "(2,)", "(2, 3)"} {
		content := read[arrays[i].Name+".npy"]
		if !bytes.Contains(content, []byte("'shape': "+tuple)) {
			t.Errorf("%s is not of shape %s: %.128q", arrays[i].Name, tuple, content)
		}
	}
	if got, err := npy.Read(bytes.NewReader(read["bypair.npy"]), 2, 3); err != nil ||
		!slices.Equal(got, arrays[2].Cells) {
		t.Errorf("bypair: %v, %v", got, err)
	}
	if len(read) != 4 || !bytes.Contains(read["words.npy"], []byte("(2,)")) {
		t.Errorf("%d arrays, want three and the words", len(read))
	}

	b.Reset()
	if err := writeFieldsCSV(&b, f, arrays); err != nil {
		t.Fatal(err)
	}
	want := "field,row,column,value\nnumber,,,7\nbyword,,cat,1\nbyword,,dog,2\n"
	for i := range 6 {
		want += fmt.Sprintf("bypair,%s,%d,%d\n", f.Words[i/3], i%3, i+1)
	}
	if b.String() != want {
		t.Errorf("got\n%s, want\n%s", &b, want)
	}

	b.Reset()
	if err := writeFieldsJSON(&b, f, arrays); err != nil {
		t.Fatal(err)
	}
	want = `{"field":"words","shape":[2],"values":["cat","dog"]}
{"field":"number","shape":[],"values":[7]}
{"field":"byword","shape":[2],"values":[1,2]}
{"field":"bypair","shape":[2,3],"values":[1,2,3,4,5,6]}
`
	if b.String() != want {
		t.Errorf("got\n%s, want\n%s", &b, want)
	}
}
