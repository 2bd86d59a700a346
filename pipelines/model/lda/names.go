package lda

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire/stream"
)

// namePrefix begins the names of scalars in a model file, one for each topic with a name. The scalar is the number of
// the topic, from 0.
const namePrefix = "topic "

// Name is the field for a topic that has a name.
func Name(name string) model.Scalar { return model.Scalar{Name: namePrefix + name} }

// CheckName returns an error unless a name can stand in a line of text.
func CheckName(name string) error {
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return errors.New("the name of a topic must have letters and no control characters")
	}
	return nil
}

// NamesOf returns the names of all topics in a model file, empty where a topic has none; nil if no topic has one.
func NamesOf(set *stream.Set, size model.Size) ([]string, error) {
	var names []string
	for _, s := range set.Parameters.GetScalars() {
		name, ok := strings.CutPrefix(s.Name, namePrefix)
		if !ok {
			continue
		}
		if err := CheckName(name); err != nil {
			return nil, err
		}
		if s.Value != math.Trunc(s.Value) || !(s.Value >= 0 && s.Value < float64(size.Components)) {
			return nil, fmt.Errorf("%q must be a topic from 0 to %d, is %v", s.Name, size.Components-1, s.Value)
		}
		if names == nil {
			names = make([]string, size.Components)
		}
		if k := int(s.Value); names[k] == "" {
			names[k] = name
			continue
		}
		return nil, fmt.Errorf("topic %v has two names", s.Value)
	}
	return names, nil
}
