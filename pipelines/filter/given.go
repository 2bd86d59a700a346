package filter

import (
	"reflect"

	"github.com/alecthomas/kong"
)

// asGiven has mappers for strings and for lists of strings. A file name is bytes. kong's own mappers pass a value
// through JSON and through characters, which replace bytes that are not UTF-8. Then a file would not be found, or two
// outputs would become one.
var asGiven = []kong.Option{
	kong.KindMapper(reflect.String, kong.MapperFunc(stringAsGiven)),
	kong.TypeMapper(reflect.TypeFor[[]string](), kong.MapperFunc(listAsGiven)),
}

// byKong has kong's own mappers, for values in a configuration file that are not strings.
var byKong = kong.NewRegistry().RegisterDefaults()

func stringAsGiven(ctx *kong.DecodeContext, target reflect.Value) error {
	t, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	if s, ok := t.Value.(string); ok {
		target.SetString(s)
		return nil
	}
	ctx.Scan.PushToken(t)
	return byKong.ForType(reflect.TypeFor[string]()).Decode(ctx, target)
}

// listAsGiven appends a flag's separated values, or all arguments.
func listAsGiven(ctx *kong.DecodeContext, target reflect.Value) error {
	var values []kong.Token
	t := ctx.Scan.Peek()
	list, ok := t.Value.(string)
	switch {
	case ctx.Value.Flag == nil:
		values = ctx.Scan.PopWhile(func(t kong.Token) bool { return t.IsValue() })
	case ok && !t.IsEOL():
		ctx.Scan.Pop()
		for _, s := range split(list, ctx.Value.Tag.Sep) {
			values = append(values, kong.Token{Value: s, Type: t.Type})
		}
	default:
		return byKong.ForType(target.Type()).Decode(ctx, target)
	}
	in := kong.ScanFromTokens(values...)
	for !in.Peek().IsEOL() {
		value := reflect.New(target.Type().Elem()).Elem()
		if err := stringAsGiven(ctx.WithScanner(in), value); err != nil {
			return err
		}
		target.Set(reflect.Append(target, value))
	}
	return nil
}

// split does the same as kong.SplitEscaped, for bytes that need not be UTF-8. A backslash makes a separator a part of
// its value. If there is no separator (-1), the list is one value.
func split(list string, sep rune) (values []string) {
	if sep < 0 {
		return []string{list}
	}
	var value []byte
	for i := 0; i < len(list); i++ {
		switch {
		case list[i] == '\\' && i+1 < len(list):
			if i++; list[i] != byte(sep) {
				value = append(value, '\\')
			}
			value = append(value, list[i])
		case list[i] == byte(sep):
			values, value = append(values, string(value)), nil
		default:
			value = append(value, list[i])
		}
	}
	if len(value) > 0 {
		values = append(values, string(value))
	}
	return values
}
