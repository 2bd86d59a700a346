package features

import (
	"errors"
	"fmt"
	"math"

	"privpipe/pipelines/wire"
)

// unknown is how many public data sets write a missing value. It is never a category.
const unknown = "?"

// checkMembers refuses members that belong to columns of another type.
func (c *Column) checkMembers() error {
	for _, m := range []struct {
		name string
		is   bool
		of   []Type
	}{
		{"least", c.Least != nil, []Type{Number, Numbers, Label}},
		{"most", c.Most != nil, []Type{Number, Numbers, Label}},
		{"length", c.Length != 0, []Type{Numbers}},
		{"values", c.Values != nil, []Type{Category}},
		{"positive", c.Positive != nil, []Type{Label}},
		{"negative", c.Negative != nil, []Type{Label}},
		{"classes", c.Classes != nil, []Type{Label}},
		{"missing", c.Missing != "", []Type{Number, Numbers, Category, Label}},
	} {
		belongs := false
		for _, t := range m.of {
			belongs = belongs || t == c.Type
		}
		if m.is && !belongs && c.Type.known() {
			return fmt.Errorf("a column of type %s has no %s", c.Type, m.name)
		}
	}
	if c.Missing != "" && c.Missing != "ignore" {
		return fmt.Errorf(`missing must be "ignore", is %q`, c.Missing)
	}
	return nil
}

func (t Type) known() bool {
	switch t {
	case Number, Numbers, Category, Label, ID, User, Ignore:
		return true
	}
	return false
}

// check checks the rules of the column's type.
func (c *Column) check() error {
	switch c.Type {
	case Number:
		return c.checkNumber("a number")
	case Numbers:
		if c.Length < 1 {
			return errors.New("numbers need length, how many an array has: 1 or more")
		}
		return c.checkNumber("an array of numbers")
	case Category:
		return c.checkCategory()
	case Label:
		return c.checkLabel()
	case ID, User, Ignore:
		return nil
	case "":
		return errors.New("no type: must be number, numbers, category, label, id, user or ignore")
	}
	return fmt.Errorf("unknown type %q: must be number, numbers, category, label, id, user or ignore", c.Type)
}

func (c *Column) checkNumber(what string) error {
	if c.Least == nil || c.Most == nil {
		return errors.New(what + " needs least and most, its public range")
	}
	if width := *c.Most - *c.Least; !(width > 0) || math.IsInf(width, 0) {
		return fmt.Errorf("least must be below most, and most − least finite; they are %v and %v", *c.Least, *c.Most)
	}
	return nil
}

func (c *Column) checkCategory() error {
	if len(c.Values) == 0 {
		return errors.New("a category needs values, its public list")
	}
	c.at = make(map[string]int, len(c.Values))
	for i, v := range c.Values {
		if err := checkText("a value", v); err != nil {
			return err
		}
		if v == unknown {
			return fmt.Errorf("%q stands for a missing value, and is no category", unknown)
		}
		if _, again := c.at[v]; again {
			return fmt.Errorf("value %q occurs twice", v)
		}
		c.at[v] = i
	}
	return nil
}

func (c *Column) checkLabel() error {
	if c.response() {
		if c.Positive != nil || c.Negative != nil || c.Classes != nil {
			return errors.New("a label is a class or a number: least and most do not go with positive, negative and " +
				"classes")
		}
		return c.checkNumber("a label that is a number")
	}
	c.labels = make(map[string]string)
	switch binary := c.Positive != nil && c.Negative != nil; {
	case binary == (c.Classes != nil), (c.Positive == nil) != (c.Negative == nil):
		return errors.New("a label needs either positive and negative, or classes, or least and most")
	case binary:
		if err := c.class("1", c.Positive); err != nil {
			return err
		}
		return c.class("0", c.Negative)
	case len(c.Classes) < 2:
		return errors.New("classes must be at least two")
	}
	for _, spelled := range c.Classes {
		if len(spelled) == 0 {
			return errors.New("a class needs a spelling")
		}
		if err := c.class(spelled[0], spelled); err != nil {
			return err
		}
	}
	return nil
}

// response says whether a label is a number.
func (c *Column) response() bool { return c.Least != nil || c.Most != nil }

// class adds all spellings of one class.
func (c *Column) class(name string, spelled spellings) error {
	if len(spelled) == 0 {
		return errors.New("a class needs a spelling")
	}
	for _, s := range spelled {
		if err := checkText("a class", s); err != nil {
			return err
		}
		if len(s) > wire.MaxName {
			return fmt.Errorf("a class must have at most %d bytes", wire.MaxName)
		}
		if _, again := c.labels[s]; again {
			return fmt.Errorf("class %q occurs twice", s)
		}
		c.labels[s] = name
	}
	return nil
}

// features returns the names of the column's features.
func (c *Column) features() (names []string) {
	switch c.Type {
	case Number:
		names = []string{featureName(c.Name)}
	case Numbers:
		for i := range c.Length {
			names = append(names, featureName(fmt.Sprint(c.Name, "_", i)))
		}
	case Category:
		for _, v := range c.Values {
			names = append(names, featureName(c.Name+"="+v))
		}
	}
	return names
}
