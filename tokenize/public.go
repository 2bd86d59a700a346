package main

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// public is the flag of the commands that make a public list of texts.
type public struct {
	Public bool `help:"Required: says that the texts are public, and so may be the list."`
}

// check refuses texts that nobody said to be public, and topics whose names say that they are private. what says what is made of them.
func (p public) check(what string, inputs []string) error {
	if !p.Public {
		return exit.Errorf(exit.Usage, "--public is missing: %s from PUBLIC text only", what).
			WithHint("the list depends on every document, and no budget covers it; of private text, tokenize terms and privatize select make a vocabulary")
	}
	return endpoint.CheckPublic(inputs...)
}
