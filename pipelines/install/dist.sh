#!/usr/bin/env bash
# Makes the distribution for amd64 and arm64: a tar of an installation, a Debian package, and an OCI image of the stages for both.
#
#   dist.sh [OUT]
#
# OUT is dist/ of the checkout by default. The same commit and the same version of Go give the same bytes on every machine; verify.sh
# compares. Needs Go and Python. The tar may be unpacked anywhere: its bin/privpipe finds the rest. Beside these files:
#
#   privpipe-VERSION.cdx.json          the modules of Go that are in the programs or in their tests, with licences (CycloneDX)
#   privpipe-VERSION.provenance.json   what each file was made of, and how (SLSA); unsigned, since a person can make the same bytes
#   SHA256SUMS                         of all files of privpipe in OUT
#
# PRIVPIPE_ARCHITECTURES, "amd64 arm64" by default, names the architectures.
set -euo pipefail
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
[[ $# -le 1 && ${1-/} != "" && ${1-/} != -* ]] || { echo "dist.sh: error: wants at most OUT, see --help" >&2 && exit 80; }
[[ ${PRIVPIPE_ARCHITECTURES-amd64} =~ ^(amd64|arm64)(\ (amd64|arm64))?$ ]] ||
  { echo "dist.sh: error: PRIVPIPE_ARCHITECTURES must name amd64, arm64 or both, is '$PRIVPIPE_ARCHITECTURES'" >&2 && exit 80; }
export LC_ALL=C TZ=UTC

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=$(readlink -f -- "$here/../..")
out=$(realpath -m -- "${1-$root/dist}")
{ mkdir -p -- "$out" 2>/dev/null && [[ -w $out ]]; } || { echo "dist.sh: error: cannot write in the folder $out" >&2 && exit 82; }
made=$(mktemp -d)
trap 'rm -rf -- "$made"' EXIT

SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
VERSION=$("$here/version.sh")
export SOURCE_DATE_EPOCH VERSION
architectures=${PRIVPIPE_ARCHITECTURES-amd64 arm64}
files=() layers=()

# tool NAME MODULE@VERSION installs a program that packs.
tool() { [[ -x $made/$1 ]] || GOOS= GOARCH= GOBIN=$made go install "$2"; }
# ship FILE… moves files to OUT.
ship() {
  mv -- "$@" "$out"
  files+=("${@##*/}")
}
# pack FOLDER FLAG… writes a tar of a folder to standard output.
pack() { tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner "${@:2}" -cf - .; }

for GOARCH in $architectures; do
  export GOOS=linux GOARCH
  installed=$made/$GOARCH
  "$here/install.sh" --destdir "$installed" /usr
  find "$installed" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

  name=privpipe-$VERSION-linux-$GOARCH.tar.gz
  pack "$installed/usr" --transform "s|^\.|privpipe-$VERSION|" --owner=0 --group=0 | gzip -6n >"$made/$name" # 9: .3 % less, three times as slow
  ship "$made/$name"

  tool nfpm github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4 # the newest whose dependencies proxy.golang.org has
  (cd -- "$installed" && "$made/nfpm" package --config "$here/nfpm.yaml" --packager deb --target "$made" >/dev/null)
  ship "$made"/*.deb

  # Of the image: the stages, a folder to work in, and one for temporary files.
  mkdir -p -- "$made/layer-$GOARCH"/{bin,tmp,work}
  find "$installed/usr/libexec/privpipe" -maxdepth 1 -type f -exec cp -t "$made/layer-$GOARCH/bin" {} +
  cp -- "$root/LICENSE" "$made/layer-$GOARCH"
  chmod 1777 "$made/layer-$GOARCH/tmp"
  pack "$made/layer-$GOARCH" --exclude=./work --owner=0 --group=0 >"$made/$GOARCH.layer"
  tar -C "$made/layer-$GOARCH" --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --owner=65532 --group=65532 -rf "$made/$GOARCH.layer" ./work
  layers+=("$GOARCH=$made/$GOARCH.layer")
done
export GOOS= GOARCH=

go run -C "$here/image" . "$made/oci" "$SOURCE_DATE_EPOCH" "$VERSION" "${layers[@]}"
pack "$made/oci" --owner=0 --group=0 >"$made/privpipe-$VERSION.oci.tar"
ship "$made/privpipe-$VERSION.oci.tar"

# What the tool says of its own bytes and of this machine is not of privpipe.
tool cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
(cd -- "$root" && GOOS=linux GOARCH=amd64 "$made/cyclonedx-gomod" mod -json -noserial -notimestamp -licenses -type application 2>/dev/null) |
  python3 -c '
import json, sys
bom = json.load(sys.stdin)
for tool in bom["metadata"]["tools"]:
    tool.pop("hashes", None)
bom["metadata"]["component"] |= {"version": sys.argv[1], "purl": "pkg:golang/privpipe@" + sys.argv[1]}
json.dump(bom, sys.stdout, indent=2)' "$VERSION" >"$made/privpipe-$VERSION.cdx.json"
ship "$made/privpipe-$VERSION.cdx.json"

(cd -- "$out" && sha256sum -- "${files[@]}") | python3 -c '
import json, sys
version, commit, go, architectures = sys.argv[1:]
json.dump({
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": name, "digest": {"sha256": digest}} for digest, name in map(str.split, sys.stdin)],
    "predicateType": "https://slsa.dev/provenance/v1",
    "predicate": {
        "buildDefinition": {
            "buildType": "urn:privpipe:dist:1",
            "externalParameters": {"command": "pipelines/install/dist.sh", "PRIVPIPE_ARCHITECTURES": architectures, "go": go},
            "resolvedDependencies": [{"uri": "git+privpipe", "digest": {"gitCommit": commit}}],
        },
        "runDetails": {"builder": {"id": "urn:privpipe:pipelines/install/dist.sh"}, "metadata": {"invocationId": version}},
    },
}, sys.stdout, indent=2)' "$VERSION" "$(git -C "$here" rev-parse HEAD)" "$(go env GOVERSION)" "$architectures" >"$made/privpipe-$VERSION.provenance.json"
ship "$made/privpipe-$VERSION.provenance.json"
"$here/sums.sh" "$out"
