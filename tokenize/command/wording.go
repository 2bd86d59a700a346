package command

import (
	"context"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/vocabulary"
	"privpipe/tokenize/internal/plain"
	"privpipe/tokenize/internal/words"
)

// wording are the flags of the commands that cut texts into words.
type wording struct {
	Phrases string      `placeholder:"FILE" help:"Count each phrase of FILE, a PUBLIC list with a phrase a line, as one word: new_york. tokenize phrases makes such a list."`
	Keep    plain.Kinds `placeholder:"KIND,…" help:"Keep what is otherwise left out of texts: html, urls, emails, quotes, signatures, base64, or several with commas between."`
	Rule    int         `default:"2" enum:"1,2" placeholder:"NUMBER" help:"Cut texts by the rule of words of this number: ${enum} (default ${default}). 1 goes on with a run, or with the state of a window, that was begun by an older version."`
}

// rule reads the list of phrases, if there is one, and returns the rule of words.
func (w *wording) rule(ctx context.Context) (rule words.Rule, err error) {
	if w.Keep != 0 && w.Rule < 2 {
		return rule, exit.Errorf(exit.Usage, "--keep needs --rule 2: rule %d leaves nothing out", w.Rule)
	}
	rule = words.Rule{Number: w.Rule, Keep: w.Keep}
	if w.Phrases == "" {
		return rule, nil
	}
	list, err := vocabulary.Open(ctx, w.Phrases)
	if err != nil {
		return rule, err
	}
	if rule.Phrases, err = rule.NewPhrases(list); err != nil {
		return rule, exit.Errorf(exit.Malformed, "%s: %w", w.Phrases, err)
	}
	return rule, nil
}
