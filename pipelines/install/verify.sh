#!/usr/bin/env bash
# Makes files of a distribution again from this checkout, and compares their bytes.
#
#   verify.sh FILE…
#
# FILE is a file of dist.sh or wheel.sh with its own name, in which the commit is: check that commit out first, with the version of Go that
# the provenance has under "go". It prints a line for each file. Exit codes: 0 for the same bytes, 90 for others, 83 if this checkout is of
# another version than a file, 82 if a file cannot be read.
set -euo pipefail
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
fail() {
  echo "verify.sh: error: $1" >&2
  exit "${2:-80}"
}
case ${1-} in
  -h | --help) usage; exit ;;
  '' | -*) fail "wants FILE…, see --help" ;;
esac
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
made=$(mktemp -d)
trap 'rm -rf -- "$made"' EXIT
version=$("$here/version.sh")

packages='' platforms=''
for file in "$@"; do
  name=$(basename -- "$file")
  [[ -f $file && -r $file ]] || fail "cannot read $file" 82
  of=$version
  [[ $name != *.whl ]] || of=$(sed 's/~\([0-9]*\)\./.dev\1+/' <<<"$version")
  [[ $name == privpipe?("_kafka")[-_]"$of"[-._]* ]] || fail "$name is not of this checkout, which has version $of: check out the commit in its name" 83
  case $name in
    *manylinux*x86_64.whl) platforms+=" linux/amd64" ;;
    *manylinux*aarch64.whl) platforms+=" linux/arm64" ;;
    *macosx*x86_64.whl) platforms+=" darwin/amd64" ;;
    *macosx*arm64.whl) platforms+=" darwin/arm64" ;;
    *.tar.gz | *.deb | *.oci.tar | *.cdx.json | *.provenance.json) packages=yes ;;
    *) fail "$name is no file of dist.sh or wheel.sh" ;;
  esac
done
[[ -z $packages ]] || "$here/dist.sh" "$made/again" >"$made/log"
[[ -z $platforms ]] || PRIVPIPE_PLATFORMS=$(xargs -n 1 <<<"$platforms" | sort -u | xargs) "$here/wheel.sh" "$made/again" >"$made/log"

code=0
for file in "$@"; do
  if cmp -s -- "$file" "$made/again/$(basename -- "$file")"; then
    echo "the same bytes: $file"
  else
    echo "other bytes: $file"
    code=90
  fi
done
((code == 0)) || echo "verify.sh: hint: this machine has $(go env GOVERSION); another version of Go makes other bytes" >&2
exit $code
