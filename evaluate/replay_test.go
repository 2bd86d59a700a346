package main

import (
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// replayFiles are a ledger with one release of two cells, under a clip of 16 steps, and a pipeline that stands for one
// of a seeded build. On neighbours of the documents of its first run it also does what its argument says.
func replayFiles(t *testing.T) map[string][]byte {
	var b testkit.Book
	b.Begin(t)
	b.Of(t, &event.Grant{
		Version: event.GrantVersion, ID: "g", Created: testkit.Noon, Mechanism: event.Gaussian,
		Adjacency: event.AddRemove, Unit: event.Document, Clip: 1, NoiseMultiplier: 1 << 25, Releases: 1,
		Subject: event.Subject{Matrices: []event.Matrix{{Name: "m", Rows: 1, Columns: 2}}},
		Scheme:  event.Scheme{Method: event.All, Rate: 1, Rounds: 1},
	}, 1, "r")
	return map[string][]byte{
		"one.ledger": b.Bytes,
		"pipeline.sh": []byte(`#!/bin/sh
set -e
cp "$OLDPWD/one.ledger" run.ledger
echo '{"output":[1,2]}' >"$PRIVPIPE_REPLAY/own/r%201%200"
echo done
[ -e "$OLDPWD/first-$1" ] || cp documents.* "$OLDPWD/first-$1"
cmp -s documents.* "$OLDPWD/first-$1" || case $1 in
tells) wc -c <"$(echo documents.*)" >&2 ;;
moves) echo '{"output":[17,3]}' >"$PRIVPIPE_REPLAY/own/r%201%200" ;;
esac
`),
	}
}
