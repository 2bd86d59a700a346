package command

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// public is the flag of the commands that make a public list from texts.
type public struct {
	Public bool `help:"Required: says that the texts are public, and so may be the list."`
}

// check refuses texts without --public, and topics with names that say they are private. what says what the command
// makes, for the message.
func (p public) check(what string, inputs []string) error {
	if !p.Public {
		return exit.Errorf(exit.Usage, "--public is missing: %s from PUBLIC text only", what).
			WithHint("the list depends on every document, and no budget covers it; of private text, tokenize terms " +
				"and privatize select make a vocabulary")
	}
	return endpoint.CheckPublic(inputs...)
}
