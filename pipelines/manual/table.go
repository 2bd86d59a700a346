package manual

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Table returns a stage's table for completion.bash: assignments to two arrays. privpipe_words has the commands and
// flags that may follow a command. privpipe_values has the values that may follow a command's flag.
func Table(app *kong.Application) []byte {
	b := new(bytes.Buffer)
	var add func(*kong.Node)
	add = func(node *kong.Node) {
		var words []string
		for _, child := range node.Children {
			if !child.Hidden {
				words = append(words, child.Name)
				add(child)
			}
		}
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				words = append(words, "--"+f.Name)
				if f.Short != 0 {
					words = append(words, "-"+string(f.Short))
				}
				if values := slices.DeleteFunc(f.EnumSlice(), func(v string) bool { return v == "" }); len(values) > 0 {
					fmt.Fprintf(b, "privpipe_values[%q]=%q\n", node.FullPath()+" --"+f.Name, strings.Join(values, " "))
				} else if !f.IsBool() {
					fmt.Fprintf(b, "privpipe_values[%q]=%q\n", node.FullPath()+" --"+f.Name, "")
				}
			}
		}
		fmt.Fprintf(b, "privpipe_words[%q]=%q\n", node.FullPath(), strings.Join(words, " "))
	}
	add(app.Node)
	return b.Bytes()
}
