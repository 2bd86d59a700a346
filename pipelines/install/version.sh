#!/bin/sh
# Prints the version of the checkout: its tag, or the next version with the day and the hash of its commit.
set -eu
cd -- "$(dirname -- "$(readlink -f -- "$0")")"
next=0.1.0
tag=$(git describe --tags --exact-match --match 'v*' 2>/dev/null || true)
version=${tag#v}
[ -n "$version" ] || version=$next~$(TZ=UTC git log -1 --date=format-local:%Y%m%d --format=%cd.%h --abbrev=8)
[ -z "$(git status --porcelain)" ] || version=$version.modified
echo "$version"
