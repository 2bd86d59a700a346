package manual

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/exit"
)

// Program is the command that an installed stage belongs to: `privpipe tokenize`.
const Program = "privpipe"

// Page returns a stage's manual page, in the macros of man(7).
func Page(app *kong.Application) []byte {
	p := new(page)
	summary, description, _ := strings.Cut(app.Help, "\n")
	p.macro("TH", Program+"-"+app.Name, "1", "", Program, Program)
	p.macro("SH", "NAME")
	p.text(Program + "-" + app.Name + ` \- ` + escaped(summary))
	p.macro("SH", "SYNOPSIS")
	leaves := app.Leaves(true)
	if len(leaves) == 0 { // a program without commands
		leaves = []*kong.Node{app.Node}
	}
	for _, command := range leaves {
		p.text(".B " + escaped(Program+" "+command.FullPath()))
		p.text("[FLAG…] " + escaped(arguments(command)))
		p.text(".br")
	}
	p.macro("SH", "DESCRIPTION")
	p.paragraphs(description)
	for _, command := range leaves {
		if command != app.Node {
			p.macro("SH", strings.ToUpper(command.Path()))
			p.paragraphs(command.Help + "\n\n" + command.Detail)
		}
		for _, argument := range command.Positional {
			p.item(argument.Summary(), argument.Help)
		}
		p.flags(command.Flags)
		for node := command.Parent; node != nil && node != app.Node; node = node.Parent {
			p.flags(node.Flags)
		}
	}
	p.macro("SH", "FLAGS OF ALL COMMANDS")
	p.flags(app.Flags)
	p.macro("SH", "EXIT STATUS")
	for _, m := range exit.Meaning {
		p.item(fmt.Sprint(m.Code), m.Text)
	}
	p.macro("SH", "ENVIRONMENT")
	p.paragraphs(fmt.Sprintf("Each flag can also be set by an environment variable: --dry-run by PRIVPIPE_%s_DRY_RUN.",
		strings.ToUpper(app.Name)))
	p.macro("SH", "SEE ALSO")
	p.text(`.BR privpipe (1)`)
	return p.Bytes()
}

// arguments returns a command's positional arguments.
func arguments(command *kong.Node) string {
	var all []string
	for _, a := range command.Positional {
		all = append(all, a.Summary())
	}
	return strings.Join(all, " ")
}

// page is a page that is being written.
type page struct{ bytes.Buffer }

func (p *page) text(line string) { fmt.Fprintln(p, line) }

// macro writes a request. Its arguments may hold spaces.
func (p *page) macro(name string, arguments ...string) {
	p.WriteString("." + name)
	for _, a := range arguments {
		fmt.Fprintf(p, ` "%s"`, strings.ReplaceAll(escaped(a), `"`, `\(dq`))
	}
	p.WriteByte('\n')
}

// paragraphs writes text. Lines that are indented are examples and stay as they are.
func (p *page) paragraphs(text string) {
	example := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		switch {
		case indented && !example:
			p.text(".PP\n.in +4n\n.nf")
		case example && !indented:
			p.text(".fi\n.in")
		}
		example = indented
		if line == "" {
			p.text(".PP")
		} else {
			p.text(escaped(strings.TrimPrefix(line, "  ")))
		}
	}
	if example {
		p.text(".fi\n.in")
	}
}

// item writes a term and its meaning.
func (p *page) item(term, meaning string) {
	p.text(".TP\n.B " + escaped(term) + "\n" + escaped(meaning))
}

// flags writes flags, a heading before each group.
func (p *page) flags(flags []*kong.Flag) {
	group := ""
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		if f.Group != nil && f.Group.Title != group {
			group = f.Group.Title
			p.macro("SS", group)
		}
		term := "--" + f.Name
		if f.Short != 0 {
			term = fmt.Sprintf("-%c, %s", f.Short, term)
		}
		if !f.IsBool() {
			term += "=" + f.FormatPlaceHolder()
		}
		p.item(term, f.Help)
	}
}

// escaped escapes text for roff. A hyphen stays an ASCII hyphen, so that flags can be copied.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
