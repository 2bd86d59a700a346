#!/usr/bin/env bash
# Makes the distribution: a tar of an installation and a Debian package, for amd64 and arm64.
#
#   dist.sh [OUT]
#
# OUT is dist/ of the checkout by default. The same commit and the same version of Go give the same bytes on every machine. Needs
# Go. The tar may be unpacked anywhere: its bin/privpipe finds the rest.
set -euo pipefail
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage && exit; }
[[ $# -le 1 && ${1-/} != "" && ${1-/} != -* ]] || { echo "dist.sh: error: wants at most OUT, see --help" >&2 && exit 80; }
[[ ${PRIVPIPE_ARCHITECTURES-amd64} ]] || { echo "dist.sh: error: PRIVPIPE_ARCHITECTURES is empty" >&2 && exit 80; }
export LC_ALL=C TZ=UTC

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
out=$(realpath -m -- "${1-$here/../../dist}")
{ mkdir -p -- "$out" 2>/dev/null && [[ -w $out ]]; } || { echo "dist.sh: error: cannot write in the folder $out" >&2 && exit 82; }
made=$(mktemp -d)
trap 'rm -rf -- "$made"' EXIT

SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
VERSION=$("$here/version.sh")
export SOURCE_DATE_EPOCH VERSION
for GOARCH in ${PRIVPIPE_ARCHITECTURES-amd64 arm64}; do
  export GOOS=linux GOARCH
  files=$made/$GOARCH
  "$here/install.sh" --destdir "$files" /usr
  find "$files" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

  name=privpipe-$VERSION-linux-$GOARCH.tar.gz
  tar -C "$files/usr" --transform "s|^\.|privpipe-$VERSION|" --sort=name --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner -cf - . | gzip -6n >"$made/$name" # 9 takes three times as long, for 0.3 % less
  mv -- "$made/$name" "$out"

  # The newest nfpm whose dependencies proxy.golang.org has.
  GOOS= GOARCH= GOBIN=$made go install github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4
  (cd -- "$files" && "$made/nfpm" package --config "$here/nfpm.yaml" --packager deb --target "$made" >/dev/null)
  mv -- "$made"/*.deb "$out"
done
ls -- "$out"
