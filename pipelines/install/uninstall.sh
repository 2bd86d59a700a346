#!/usr/bin/env bash
# Removes what install.sh installed below PREFIX, by default /usr/local.
set -euo pipefail
prefix=${1-/usr/local}
[[ $# -le 1 && $prefix && $prefix != -* ]] || { echo "uninstall.sh: error: wants at most PREFIX" >&2 && exit 80; }
rm -rf -- "$prefix"/bin/privpipe "$prefix"/libexec/privpipe "$prefix"/share/privpipe "$prefix"/share/man/man1/privpipe*.1.gz \
  "$prefix"/share/bash-completion/completions/privpipe "$prefix"/share/zsh/site-functions/_privpipe
