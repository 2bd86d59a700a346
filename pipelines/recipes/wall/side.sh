#!/usr/bin/env bash
# Runs one side of the wall as the current user. Standard input and output are the streams between the sides. The units in system/
# and wall.sh call it.
#
#   side.sh private | wall | model
#
# PRIVPIPE_ROOT is put before all paths; it is empty by default.
set -euo pipefail

root=${PRIVPIPE_ROOT-}
[[ ! -v PRIVPIPE_ROOT || $root ]] || { echo "side.sh: error: PRIVPIPE_ROOT is empty" >&2 && exit 80; }
PATH=$root/usr/local/libexec/privpipe:$PATH
source "$root/etc/privpipe/run.conf"
params=$root/run/privpipe/params

case $1 in
  private)
    cd "$root/var/lib/privpipe-private"
    export TMPDIR=$PWD
    [[ -e documents.pp ]] || tokenize text -o documents.pp documents.jsonl
    sample --poisson "$rate" --rounds "$rounds" documents.pp | estep lda --params "$params"
    ;;
  wall)
    # The ledger is public. privatize makes its private files readable only by its own user.
    umask 022
    exec privatize --grant "$root/etc/privpipe/grant.json" --ledger "$root/var/lib/privpipe-wall/run.ledger"
    ;;
  model)
    umask 022
    exec mstep lda --topics "$topics" --params-out "$params" -o "$root/var/lib/privpipe-model/model.pp"
    ;;
esac
