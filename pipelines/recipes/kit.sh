#!/usr/bin/env bash
# Makes the auditor's kit: what checks the privatizer where nothing else of privpipe is.
#
#   kit.sh DIR
#
# DIR must be new. DIR/START.md says what an hour, a day and a week buy. The kit has the privatizer for pipes, which links no network, the
# accountant, the audit, the claim, the sources that CHECKING.md lists, streams, grants and ledgers to try, and the second reader. The same
# sources and the same version of Go give the same bytes.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"

take "" "$@"
[[ ${#arguments[@]} == 1 && ${arguments[0]} ]] || fail "wants DIR, see --help"
kit=$(readlink -m -- "${arguments[0]}")
[[ ! -e $kit ]] || fail "$kit is there already"
mkdir -p -- "$(dirname -- "$kit")" 2>/dev/null && made=$(mktemp -d -- "$kit.XXXXXX") || fail "cannot make the folder $kit" 82
temporary+=("$made")
cd -- "$root"

# The files that CHECKING.md lists, and the pages that these link to.
mapfile -t files < <(pipelines/recipes/kit/listed.sh)
files+=(LICENSE privatize/{PRIVACY,CHECKING,LEAKS}.md pipelines/SPEC.md account/ACCOUNTING.md pipelines/wire/wire.proto pipelines/testkit/reader.py
  pipelines/recipes/{audit.sh,stages.sh,contributions.py} pipelines/testkit/vectors/* privatize/internal/*/claim.md)
for file in "${files[@]}"; do
  [[ -e $file ]] || fail "no $file: the kit is made in a checkout, or of a whole installation" 82
  mkdir -p -- "$made/$(dirname -- "$file")"
  cp -- "$file" "$made/$file"
done
# A module of their own each, so that ./... of a checkout around them leaves these sources out.
for folder in privatize pipelines account sample tokenize; do
  echo "module privpipe/kit/$folder" >"$made/$folder/go.mod"
done
cp -R -- pipelines/recipes/kit/examples "$made/examples"
sed "s|](../../../|](|g" pipelines/recipes/kit/START.md >"$made/START.md"
mkdir -- "$made/bin"
if [[ -e go.mod && -z ${PRIVPIPE_KIT_BIN:-} ]]; then
  CGO_ENABLED=0 go build -tags pipes -trimpath -buildvcs=false \
    -ldflags "-s -w -X privpipe/pipelines/filter.release=$(pipelines/install/version.sh)" -o "$made/bin/" ./privatize ./account ./evaluate
else
  # A wheel without Kafka has it among its other stages.
  for pipes in "${PRIVPIPE_KIT_BIN:-$PRIVPIPE_BIN/pipes}" "$root/../../libexec/privpipe"; do
    [[ ! -e $pipes/privatize ]] || break
  done
  cp -- "$pipes/privatize" "$PRIVPIPE_BIN"/{account,evaluate} "$made/bin"
fi

# A link to what is not in the kit becomes its text.
find "$made" -name '*.md' | while read -r page; do
  at=$(dirname -- "$page")
  { grep -oE '\]\([^)#]+' "$page" || true; } | sed 's/^](//' | sort -u | while read -r link; do
    [[ $link == *://* || -e $at/$link ]] || sed -i "s|\[\([^][]*\)\](${link//./\\.}\(#[^)]*\)\{0,1\})|\1|g" "$page"
  done
done
chmod -R u=rwX,go=rX "$made"
(cd -- "$made" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS)
mv -- "$made" "$kit"
echo "$kit/START.md" >&2
