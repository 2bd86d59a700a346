#!/usr/bin/env bash
# Makes the wheels for pip: privpipe, whose stages read pipes and files, and privpipe-kafka, stages that read topics of Kafka, too.
#
#   wheel.sh [OUT]
#
# OUT is dist/ of the checkout by default. There is a wheel for each of Linux and macOS, amd64 and arm64. `pip install privpipe[kafka]` takes
# both packages. The same commit and the same version of Go give the same bytes. Needs Go and Python with venv; fetches the program wheel.
# PRIVPIPE_PLATFORMS names some of the platforms, as GOOS/GOARCH with spaces between.
set -euo pipefail
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
[[ ${1:-} != -h && ${1:-} != --help ]] || { usage; exit; }
[[ $# -le 1 && ${1-/} != "" && ${1-/} != -* ]] || { echo "wheel.sh: error: wants at most OUT, see --help" >&2 && exit 80; }
platforms=${PRIVPIPE_PLATFORMS-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
# The static programs need neither glibc nor musl, and what Go 1.26 asks of a system: Linux 3.2, macOS 12.
declare -A tags=([linux/amd64]=manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64
  [linux/arm64]=manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64
  [darwin/amd64]=macosx_12_0_x86_64 [darwin/arm64]=macosx_12_0_arm64)
for platform in ${platforms:-nothing}; do
  [[ ${tags[$platform]:-} ]] || { echo "wheel.sh: error: no platform $platform, one of ${!tags[*]}" >&2 && exit 80; }
done
export LC_ALL=C TZ=UTC
umask 022

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
root=$(readlink -f -- "$here/../..")
out=$(realpath -m -- "${1-$root/dist}")
{ mkdir -p -- "$out" 2>/dev/null && [[ -w $out ]]; } || { echo "wheel.sh: error: cannot write in the folder $out" >&2 && exit 82; }
made=$(mktemp -d)
trap 'rm -rf -- "$made"' EXIT
python3 -m venv "$made/venv"
"$made/venv/bin/pip" install -q --disable-pip-version-check wheel==0.45.1

# 0.1.0~20261128.0123abcd is 0.1.0.dev20261128+0123abcd to pip (PEP 440).
VERSION=$("$here/version.sh" | sed 's/~\([0-9]*\)\./.dev\1+/')
SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct)
export SOURCE_DATE_EPOCH VERSION

# pack FOLDER NAME METADATA PLATFORM makes a wheel of a folder.
pack() {
  local about=$1/$2-$VERSION.dist-info
  mkdir -p -- "$about/licenses"
  cp -- "$root/LICENSE" "$about/licenses"
  { sed "s/\${VERSION}/$VERSION/" "$3" && cat -- "$root/pipelines/python/README.md"; } >"$about/METADATA"
  printf '%s\n' 'Wheel-Version: 1.0' 'Generator: privpipe' 'Root-Is-Purelib: false' "Tag: py3-none-${tags[$4]}" >"$about/WHEEL"
  [[ $2 != privpipe ]] || printf '%s\n' '[console_scripts]' 'privpipe = privpipe.programs:main' >"$about/entry_points.txt"
  "$made/venv/bin/wheel" pack -d "$out" "$1" >/dev/null
}

for platform in $platforms; do
  export GOOS=${platform%/*} GOARCH=${platform#*/}
  folder=$made/$GOOS-$GOARCH
  mkdir -p -- "$folder/privpipe"
  cp -- "$root"/pipelines/python/privpipe/*.py "$root/pipelines/python/privpipe/py.typed" "$folder/privpipe"
  "$here/install.sh" "$folder/privpipe/installation"
  rm -r -- "$folder"/privpipe/installation/share/{man,bash-completion,zsh} "$folder/privpipe/installation/share/privpipe/pipelines/python"
  stages=$folder/privpipe/installation/libexec/privpipe
  kafka=$made/$GOOS-$GOARCH-kafka
  mkdir -p -- "$kafka/privpipe_kafka"
  cp -R -- "$stages" "$kafka/privpipe_kafka/stages"
  rm -r -- "$kafka/privpipe_kafka/stages/pipes" "$stages"/{networked,topics} # what reaches Kafka
  mv -- "$stages/pipes/privatize" "$stages" && rmdir -- "$stages/pipes"
  pack "$folder" privpipe "$root/pipelines/python/METADATA" "$platform"

  echo '"""The stages of privpipe with Kafka. The package privpipe runs them."""' >"$kafka/privpipe_kafka/__init__.py"
  sed -e 's/^Name: .*/&-kafka/' -e '/^Provides-Extra\|; extra ==\|: pandas$/d' -e "s/^Requires-Dist: numpy/Requires-Dist: privpipe==$VERSION/" \
    "$root/pipelines/python/METADATA" >"$made/METADATA"
  pack "$kafka" privpipe_kafka "$made/METADATA" "$platform"
done
"$here/sums.sh" "$out"
