package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Columns names the members of a line of JSON Lines, or the columns of a CSV file, that say something about a document, by
// role. An empty name stands for that of the role itself.
type Columns [len(roles)]string

// What a column may be.
const (
	roleText = iota
	roleID
	roleUser
	roleLabel
)

var roles = [...]string{roleText: "text", roleID: "id", roleUser: "user", roleLabel: "label"}

// UnmarshalText implements encoding.TextUnmarshaler: text=body,id=post_id.
func (c *Columns) UnmarshalText(text []byte) error {
	*c = Columns{}
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

// name is that of the column of a role.
func (c *Columns) name(role int) string { return cmp.Or(c[role], roles[role]) }
