package source

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/lazy"
)

// headBytes is how many bytes at a file's beginning tell its format.
const headBytes = 4 << 10

// A kind is a format that a file's first bytes show, although the file is read in another format.
type kind struct {
	name string
	is   func(head []byte) bool
	of   []Format // it is refused in these formats; nil: in all but mail
	hint string
}

func (k *kind) refuse() *exit.Error {
	return exit.Errorf(exit.Malformed, "%s", k.name).WithHint("%s", k.hint)
}

const bagHint = "FORMATS.md shows how to make a UCI bag of words of it, which tokenize uci reads"

var kinds = []*kind{
	{name: "UTF-16 without a byte order mark", is: begins(`(?s)([^\x00]\x00){2}|(\x00[^\x00]){2}`),
		hint: "--encoding utf-16le, or utf-16be, reads it"},
	{name: "a matrix in the format Matrix Market, not a text", is: begins(`%%MatrixMarket`), hint: bagHint},
	{name: "a UCI bag of words, not a text: read it with tokenize uci", is: isBag,
		hint: "tokenize uci reads it"},
	{name: "bags of words in the format of LDA-C, not a text", is: isLDAC, hint: bagHint},
	{name: "rows in the format of SVMlight, not a text", is: isSVMlight, hint: bagHint},
	{name: "JSON, not a table", is: begins(`(\[\s*)?\{\s*"`), of: []Format{CSV, TSV},
		hint: "this begins as JSON does: --format jsonl reads it"},
	{name: "HTML, not JSON Lines or a table", is: begins(`(?i)<(!doctype\s+html|html[\s>]|head[\s>]|body[\s>])`),
		of: []Format{JSONLines, CSV, TSV}, hint: "--format text reads each file as one document"},
	{name: "XML, not JSON Lines or a table", is: begins(`<\?xml\s`), of: []Format{JSONLines, CSV, TSV},
		hint: "--format text reads each file as one document; for one document an element, convert it to JSON Lines"},
	{name: "mail, not JSON Lines", is: isMail, of: []Format{JSONLines}, hint: "--format mail reads mail and mbox"},
}

// otherFormat returns the format that a file's first bytes show. It returns nil if they show none, or show a format
// that the file can be read in.
func otherFormat(head []byte, as Format) *kind {
	head = bytes.TrimLeft(head[:min(len(head), headBytes)], "\uFEFF"+space)
	for _, k := range kinds {
		if (k.of == nil && as != Mail || slices.Contains(k.of, as)) && k.is(head) {
			return k
		}
	}
	return nil
}

func begins(expression string) func([]byte) bool {
	compiled := lazy.Regexp(`\A(?:` + expression + `)`)
	return func(head []byte) bool { return compiled().Match(head) }
}

// bagHead matches the three sizes and the first pair in a UCI bag of words. All these lines are numbers, without a
// word.
var bagHead = lazy.Regexp(`\A\s*\d+\s*\n\s*\d+\s*\n\s*\d+\s*\n\s*\d+ \d+ \d+(\.0*)?\s*\n`)

func isBag(head []byte) bool { return bagHead().Match(head) }

// isLDAC says whether each of the first lines is a number and then as many pairs.
func isLDAC(head []byte) bool {
	return allLines(head, func(line string) bool {
		count, pairs, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(count)
		return err == nil && n == strings.Count(pairs, ":") && pairsOnly().MatchString(pairs)
	})
}

var (
	pairsOnly = lazy.Regexp(`\A\d+:\d+( \d+:\d+)*\z`)
	labelled  = lazy.Regexp(`\A[-+]?\d+(\.\d+)?( qid:\d+)?( \d+:[-+.\deE]+)+ *(#.*)?\z`)
)

// isSVMlight says whether each of the first lines is a number and pairs. A pair is a feature and its value.
func isSVMlight(head []byte) bool { return allLines(head, labelled().MatchString) }

// allLines says whether a file's first three lines have a form, or all lines if the file has fewer. A single line must
// have three pairs, since it may be a text such as "1 10:30".
func allLines(head []byte, is func(string) bool) bool {
	lines := strings.SplitN(strings.ReplaceAll(strings.TrimSpace(string(head)), "\r", ""), "\n", 4)
	for _, line := range lines[:min(3, len(lines))] {
		if !is(strings.TrimSpace(line)) {
			return false
		}
	}
	return len(lines) > 1 || strings.Count(lines[0], ":") >= 3
}

var mailHeader = begins(`(From|Return-Path|Received|Delivered-To|Message-I[Dd]|MIME-Version|Subject|Date|To|` +
	`X-[-\w]+): `)

func isMail(head []byte) bool { return isBox(head) || mailHeader(head) }

// NotText returns the error for content that is no text, nil if it may be text.
func NotText(content []byte) error {
	if other := otherFormat(content, TextFile); other != nil {
		return other.refuse()
	}
	return nil
}
