package source

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Columns maps each role to its member's name in JSON Lines, or its column's name in CSV and Parquet. If the name is
// empty, it is the role's own. The text may have several names, with commas between.
//
// A name a.b is also a path: the member b in the member a of JSON, the field b in the struct a of Parquet.
type Columns [len(roles)]string

// A name that begins with a colon is for messages in a topic: :key is the key, :key.a.b a path in the key, and
// :header.NAME a header. Texts have no such name.
const (
	ofMessage = ":"
	keyName   = ":key"
	headers   = ":header"
)

// noColumn is the name for a role without a column. No column can have this name, since commas separate names.
const noColumn = ","

// The roles that columns have.
const (
	roleText = iota
	roleID
	roleUser
	roleLabel
	roleDate // only if a flag names its column
)

var roles = [...]string{roleText: "text", roleID: "id", roleUser: "user", roleLabel: "label", roleDate: "date"}

// UnmarshalText implements encoding.TextUnmarshaler: text=subject,body,id=post_id,user= or only names of the text.
func (c *Columns) UnmarshalText(text []byte) error {
	*c = Columns{}
	if len(text) > 0 && !bytes.ContainsAny(text, "=,"+ofMessage) {
		c[roleText] = string(text)
		return nil
	}
	last := roleText
	for i, part := range strings.Split(string(text), ",") {
		role, column, is := strings.Cut(part, "=")
		if !is {
			role, column = roles[roleText], part
		}
		at := slices.Index(roles[:roleDate], role)
		switch {
		case at < 0 || part == "" || column == "" && at == roleText || !is && last != roleText:
			return fmt.Errorf(
				"%q is not ROLE=NAME, where ROLE is text, id, user or label, nor one more name of the text", part)
		case strings.HasPrefix(column, ofMessage) && (at == roleText || !isOfMessage(column)):
			return fmt.Errorf("%q is not :key, :key.PATH or :header.NAME, which the text cannot be", column)
		case is && c[at] != "":
			return fmt.Errorf("%s is named twice", role)
		case !is && i > 0:
			if slices.Contains(c.texts(), column) {
				return fmt.Errorf("%s is named twice", column)
			}
			c[at] += "," + column
		default:
			c[at] = cmp.Or(column, noColumn)
		}
		last = at
	}
	return nil
}

// String implements fmt.Stringer: the form that UnmarshalText reads.
func (c Columns) String() string {
	var parts []string
	for role, column := range c[:roleDate] {
		if column != "" {
			parts = append(parts, roles[role]+"="+strings.TrimPrefix(column, noColumn))
		}
	}
	return strings.Join(parts, ",")
}

// isOfMessage says whether a name means the key, a path in it, or a header.
func isOfMessage(name string) bool {
	return name == keyName || strings.HasPrefix(name, keyName+".") && len(name) > len(keyName+".") ||
		strings.HasPrefix(name, headers+".") && len(name) > len(headers+".")
}

// split divides the columns: value has those in a message's value, around those in its key and headers.
func (c Columns) split() (value, around Columns) {
	value, around = c, c
	around[roleText] = ofMessage
	for role := roleID; role < len(roles); role++ {
		switch {
		case strings.HasPrefix(c[role], ofMessage) && role == roleDate:
			value[role] = ""
		case strings.HasPrefix(c[role], ofMessage):
			value[role] = noColumn
		default:
			around[role] = noColumn
		}
	}
	return value, around
}

// around are the named columns of keys and headers. named are the other names of columns that the user chose.
func (c *Columns) around() (names []string) {
	for _, name := range c {
		if strings.HasPrefix(name, ofMessage) {
			names = append(names, name)
		}
	}
	return names
}

func (c *Columns) named() (names []string) {
	for role, name := range c {
		switch {
		case name == "" || name == noColumn || strings.HasPrefix(name, ofMessage):
		case role == roleText:
			names = append(names, c.texts()...)
		default:
			names = append(names, name)
		}
	}
	return names
}

// name is the column's name for a role.
func (c *Columns) name(role int) string { return cmp.Or(c[role], roles[role]) }

// lacks says whether the user wants no column for the role.
func (c *Columns) lacks(role int) bool {
	return c[role] == noColumn || role == roleDate && c[role] == ""
}

// SetVector names the column of vectors, which takes the place of the text's column. The name must not be empty, nor
// have a comma.
func (c *Columns) SetVector(name string) { c[roleText] = name }

// SetsText says whether a column of the text is named.
func (c *Columns) SetsText() bool { return c[roleText] != "" }

// SetDate names the column of dates. "" is none, as by default.
func (c *Columns) SetDate(name string) error {
	if c[roleDate] = name; strings.HasPrefix(name, ofMessage) && !isOfMessage(name) {
		return fmt.Errorf("--date %q is not :key, :key.PATH or :header.NAME", name)
	}
	return nil
}

// flagOf is the flag that names a role's column, of texts or of vectors.
func flagOf(role int, vectors bool) string {
	switch {
	case role == roleDate:
		return "--date NAME"
	case vectors && role == roleText:
		return "--column NAME, or --vector-columns vector=NAME of clusters.sh,"
	case vectors:
		return fmt.Sprintf("--columns %s=NAME, or --vector-columns %[1]s=NAME of clusters.sh,", roles[role])
	}
	return "--columns " + roles[role] + "=NAME"
}

// wanted are the roles that documents have. Dates are the last, so a text without them is as fast as it was.
func (c *Columns) wanted() []string {
	if c.lacks(roleDate) {
		return roles[:roleDate]
	}
	return roles[:]
}

// texts are the names of the columns of the text.
func (c *Columns) texts() []string { return strings.Split(c.name(roleText), ",") }

// simple says whether each role has at most one name, and no name is a path.
func (c *Columns) simple() bool {
	return strings.IndexByte(c[roleText], ',') < 0 &&
		!slices.ContainsFunc(c[:], func(name string) bool { return strings.IndexByte(name, '.') >= 0 })
}

// below says whether a column is in the named struct.
func (c *Columns) below(name string) bool {
	for role := range roles {
		if role != roleText && strings.HasPrefix(c[role], name+".") {
			return true
		}
	}
	return slices.ContainsFunc(c.texts(), func(text string) bool { return strings.HasPrefix(text, name+".") })
}
