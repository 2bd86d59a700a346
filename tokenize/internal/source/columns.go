package source

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Columns maps each role to the name of its member in JSON Lines or its column in CSV. If the name is empty, it is the role's.
type Columns [len(roles)]string

// The roles of a column.
const (
	roleText = iota
	roleID
	roleUser
	roleLabel
)

var roles = [...]string{roleText: "text", roleID: "id", roleUser: "user", roleLabel: "label"}

// UnmarshalText implements encoding.TextUnmarshaler: text=body,id=post_id, or only body, which is that of the text.
func (c *Columns) UnmarshalText(text []byte) error {
	*c = Columns{}
	if len(text) > 0 && !bytes.ContainsAny(text, "=,") {
		c[roleText] = string(text)
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		name, column, _ := strings.Cut(part, "=")
		role := slices.Index(roles[:], name)
		if role < 0 || column == "" {
			return fmt.Errorf("%q is not ROLE=NAME, where ROLE is text, id, user or label", part)
		}
		if c[role] != "" {
			return fmt.Errorf("%s is named twice", name)
		}
		c[role] = column
	}
	return nil
}

// String implements fmt.Stringer: the form that UnmarshalText reads.
func (c Columns) String() string {
	var parts []string
	for role, column := range c {
		if column != "" {
			parts = append(parts, roles[role]+"="+column)
		}
	}
	return strings.Join(parts, ",")
}

// name is the name of the column with a role.
func (c *Columns) name(role int) string { return cmp.Or(c[role], roles[role]) }
