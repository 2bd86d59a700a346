package view

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// An object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  protoreflect.Name
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, "%q:%s", m.name, value)
	}
	return append(b, '}'), nil
}
