package replay

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// IsText says by its name whether a data set is a text: JSON Lines or CSV.
func IsText(name string) bool {
	switch filepath.Ext(name) {
	case ".jsonl", ".csv":
		return true
	}
	return false
}

// ReadText reads a text's records. Columns or members called text, id, user and label have the meaning that
// tokenize gives them.
func ReadText(name string, content []byte) (*Data, error) {
	d := &Data{File: "documents" + filepath.Ext(name)}
	var err error
	if filepath.Ext(name) == ".csv" {
		err = d.readCSV(content)
	} else {
		err = d.readLines(content)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return d, d.check(name)
}

func (d *Data) readLines(content []byte) error {
	d.form = texts(nil)
	for line := range bytes.Lines(content) {
		r := &text{place: len(d.items)}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&r.members); err != nil {
			return err
		}
		d.items = append(d.items, r)
	}
	return nil
}

func (d *Data) readCSV(content []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || len(rows) == 0 {
		return fmt.Errorf("no rows: %w", err)
	}
	d.form = texts(rows[0])
	for _, row := range rows[1:] {
		r := &text{place: len(d.items), members: make(map[string]any)}
		for i, column := range rows[0] {
			r.members[column] = row[i]
		}
		d.items = append(d.items, r)
	}
	return nil
}

// A text is one record, by its members.
type text struct {
	place   int // names a record without id
	members map[string]any
}

func (t *text) member(name string) string {
	s, _ := t.members[name].(string)
	return s
}

func (t *text) names() *wire.Document {
	d := &wire.Document{Id: t.member("id"), User: t.member("user"), Label: t.member("label")}
	if d.Id == "" {
		d.Id = fmt.Sprint("record ", t.place)
	}
	return d
}

func (t *text) size() uint64 { return uint64(len(t.content())) }

func (t *text) content() string {
	bare := maps.Clone(t.members)
	delete(bare, "id")
	delete(bare, "user")
	b, _ := json.Marshal(bare) // it came from JSON, or has strings only
	return string(b)
}

func (t *text) clone() item { return &text{t.place, maps.Clone(t.members)} }

// rename gives no id to a record that has none, since tokenize then names it by its content.
func (t *text) rename(id, user string) {
	if _, has := t.members["id"]; has {
		t.members["id"] = id
	}
	delete(t.members, "user")
	if user != "" {
		t.members["user"] = user
	}
	t.place = -1
}

func (t *text) relabel(label string) { t.members["label"] = label }

func (t *text) empty() item {
	if _, has := t.members["text"]; !has {
		return nil
	}
	empty := t.clone().(*text)
	empty.members["text"] = ""
	return empty
}

// texts are the columns of CSV, and nil for JSON Lines.
type texts []string

func (c texts) encode(items []item) ([]byte, error) {
	var b bytes.Buffer
	if c == nil {
		lines := json.NewEncoder(&b)
		for _, one := range items {
			if err := lines.Encode(one.(*text).members); err != nil {
				return nil, err
			}
		}
		return b.Bytes(), nil
	}
	rows := csv.NewWriter(&b)
	if err := rows.Write(c); err != nil {
		return nil, err
	}
	for _, one := range items {
		row := make([]string, len(c))
		for i, column := range c {
			row[i] = one.(*text).member(column)
		}
		if err := rows.Write(row); err != nil {
			return nil, err
		}
	}
	rows.Flush()
	return b.Bytes(), rows.Error()
}

func (c texts) extremes(items []item) (all []named) {
	first := items[0].(*text)
	if _, has := first.members["text"]; !has {
		return []named{{name: "a twin of the last", items: []item{items[len(items)-1].clone()}}}
	}
	var every []string
	for _, one := range items {
		every = append(every, strings.Fields(one.(*text).member("text"))...)
	}
	all = append(all, named{name: "one with all texts", items: []item{first.with(strings.Join(every, " "))}})
	if len(every) > 0 {
		once := first.with(strings.Repeat(every[len(every)-1]+" ", loud))
		all = append(all, named{name: "a loud one", items: []item{once}})
	}
	return all
}

// with returns the record with another text.
func (t *text) with(content string) item {
	other := t.clone().(*text)
	other.members["text"] = content
	return other
}
