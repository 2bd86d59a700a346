#!/usr/bin/env bash
# Trains a private topic model on the comments of Go's own source, which every machine with Go has.
#
#   quickstart.sh [OUT]
#
# Each comment counts as a private document. It builds the stages, and leaves all files in OUT, by default out/quickstart here.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

case ${1:-} in
  -h | --help) usage && exit ;;
esac
type -P go >/dev/null || fail "Go is not on PATH, whose source is the text: lda.sh takes your own" 82
out=${1:-out/quickstart}
mkdir -p -- "$out"
extract() {
  comments "$(go env GOROOT)/src" >"$out/comments.unfinished"
  mv -- "$out/comments.unfinished" "$out/comments.jsonl"
}
keep "$out/comments.jsonl" extract
PRIVPIPE_BIN=$PRIVPIPE_BIN exec "$recipes/lda.sh" --epsilon 1 --topics 10 "$out/comments.jsonl" "$out"
