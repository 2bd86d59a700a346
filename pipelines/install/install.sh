#!/usr/bin/env bash
# Installs privpipe: stages, recipes, documents, manual pages and completions.
#
#   install.sh [--destdir DIR] [PREFIX]
#
# PREFIX is /usr/local by default. For a package, DIR is put before PREFIX: the files go to DIR/PREFIX and expect to run from
# PREFIX. Needs Go. The installation does not need the checkout. It depends only on the sources, their commit and Go's version.
#
#   PREFIX/bin/privpipe                          the one name on PATH
#   PREFIX/libexec/privpipe                      the stages
#   PREFIX/share/privpipe                        recipes, documents and the Python loader, in the folders of the checkout
#   PREFIX/share/man/man1, bash-completion, zsh  manual pages and completions
set -euo pipefail
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }
fail() {
  echo "install.sh: error: $1" >&2
  exit "${2:-80}"
}
umask 022
export LC_ALL=C

destdir=
case ${1:-} in
  -h | --help) usage; exit ;;
  --destdir) [[ $# -ge 2 && $2 ]] || fail "--destdir wants a folder, see --help" && destdir=$2 && shift 2 ;;
esac
[[ $# -le 1 && ${1-/} != "" && ${1-/} != -* ]] || fail "wants at most PREFIX, see --help" # an empty one is of a variable that was not set
type -P go >/dev/null || fail "Go is not on PATH" 82
prefix=$(realpath -m -- "${1-/usr/local}")
to=$(realpath -m -- "$destdir/$prefix")

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."
made=$(mktemp -d)
trap 'rm -rf -- "$made"' EXIT
mkdir "$made/stages" "$made/described" "$made/manual"

stages=(tokenize sample estep privatize mstep account evaluate show)
# Recipes over Kafka make their topics. Programs for those who change privpipe are in no package.
programs=(./{tokenize,sample,estep,privatize,mstep,account,evaluate} ./pipelines/{show,networked,recipes/kafka/topics})

# Neither the paths of this machine nor its C library go into the programs.
export CGO_ENABLED=0
released="-s -w -X privpipe/pipelines/filter.release=$(pipelines/install/version.sh)"
go build -trimpath -buildvcs=false -ldflags "$released" -o "$made/stages/" \
  "${programs[@]}"
# For the auditor's kit: without network code.
mkdir "$made/stages/pipes"
go build -trimpath -buildvcs=false -ldflags "$released" -tags pipes -o "$made/stages/pipes/" ./privatize

# Built with the tag manual for this machine, the same programs write their own manuals.
GOOS= GOARCH= go build -trimpath -buildvcs=false -ldflags "-s -w" -tags manual -o "$made/described/" "${programs[@]}"
for stage in "${stages[@]}"; do
  PRIVPIPE_MANUAL=$made/manual "$made/described/$stage"
done

install -d "$to"/bin "$to"/libexec/privpipe "$to"/share/{privpipe,man/man1,bash-completion/completions,zsh/site-functions}
install -m 755 "$made"/stages/pipes/* -D -t "$to/libexec/privpipe/pipes"
rm -r -- "$made/stages/pipes"
install -m 755 "$made"/stages/* "$to/libexec/privpipe"
install -m 755 pipelines/install/privpipe "$to/bin"

# Recipes, documents and the Python package, and of the sources those of the auditor's kit.
rm -rf -- "$to/share/privpipe"
for file in LICENSE pipelines/wire/wire.proto $(pipelines/recipes/kit/listed.sh) $(git ls-files '*.md' 'pipelines/recipes/*' \
  'pipelines/python/privpipe/*' pipelines/testkit/{reader.py,vectors} ':!*.go' ':!pipelines/recipes/quickstart.sh'); do
  mode=644
  [[ ! -x $file ]] || mode=755
  install -D -m "$mode" "$file" "$to/share/privpipe/$file"
done
# A module of their own each, so that ./... of a checkout around them leaves these sources out.
for folder in privatize pipelines account sample tokenize; do
  echo "module privpipe/installed/$folder" >"$to/share/privpipe/$folder/go.mod"
done

{
  echo '.TH privpipe 1 "" privpipe privpipe'
  echo '.SH NAME'
  echo 'privpipe \- train topic models on sensitive text and let nothing but differentially private numbers out'
  echo '.SH SYNOPSIS'
  echo '.nf'
  "$to/bin/privpipe" --help | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"
  echo '.fi'
  echo '.SH SEE ALSO'
  for stage in "${stages[@]}"; do
    echo ".BR privpipe-$stage (1)"
  done
} | sed "s|$to|$prefix|" >"$made/manual/privpipe.1"
for page in "$made"/manual/*.1; do
  gzip -9n <"$page" >"$to/share/man/man1/$(basename "$page").gz"
done

completion=$to/share/bash-completion/completions/privpipe
{
  cat pipelines/install/completion.bash
  cat "$made"/manual/*.bash | sed 's/^\(privpipe_[a-z]*\["\)/\1privpipe /'
  cd "$to/share/privpipe/pipelines/recipes"
  all="path"
  for recipe in *.sh */*.sh papers/figures/*.sh; do
    [[ -x $recipe && $recipe != wall/side.sh ]] || continue # others are read by recipes
    all+=" ${recipe%.sh}"
    echo "privpipe_words[\"privpipe ${recipe%.sh}\"]=\"--help $(sed -n 's/^#   \(--[a-z0-9-]*\) .*/\1/p' "$recipe" | xargs)\""
  done
  echo "privpipe_words[privpipe]=\"${stages[*]} $all --help --version\""
} >"$completion"
{
  echo '#compdef privpipe'
  echo 'autoload -U +X bashcompinit && bashcompinit'
  cat "$completion"
} >"$to/share/zsh/site-functions/_privpipe"
