#!/usr/bin/env bash
# Trains a private topic model on the comments in Go's own source. Every machine with Go has this text.
#
#   quickstart.sh [OUT]
#
# Each comment counts as a private document. The recipe builds the stages and leaves all files in OUT, by default
# ./out/quickstart: what may be shown in OUT/public, the rest in OUT/private (OUT.md).
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

case ${1:-} in
  -h | --help) usage; exit ;;
esac
type -P go >/dev/null || fail "Go is not on PATH: its source is the text of this recipe; lda.sh takes your own text" 82
out=${1:-out/quickstart}
lay_out
extract() {
  comments "$(go env GOROOT)/src" >"$inside/comments.unfinished"
  mv -- "$inside/comments.unfinished" "$inside/comments.jsonl"
}
keep "$inside/comments.jsonl" extract
exec {lock}>&- # the next recipe locks the folder itself
PRIVPIPE_BIN=$PRIVPIPE_BIN exec "$recipes/lda.sh" --epsilon 1 --topics 10 --title "Comments in Go's own source" "$inside/comments.jsonl" "$out"
