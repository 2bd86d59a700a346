#!/usr/bin/env bash
# Installs the systemd units of the three users of the wall, and the stages. It starts nothing.
#
# It makes no users: systemd-sysusers does.
#
#   install.sh [ROOT]
#
# ROOT is put before all paths; it is empty by default. Existing settings are kept.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../stages.sh"

take "" "$@"
((${#arguments[@]} < 2)) && [[ ${arguments[0]-/} ]] || fail "wants at most ROOT, see --help"
root=${arguments[0]-}
here=$recipes/wall

install -d -m 755 "$root"/etc/{privpipe,sysusers.d,tmpfiles.d,systemd/system/privpipe-.service.d} \
  "$root"/usr/local/{libexec,lib}/privpipe
install -m 755 "$PRIVPIPE_BIN"/{tokenize,sample,estep,privatize,mstep,account,evaluate,show} "$root/usr/local/libexec/privpipe"
install -m 755 "$here/side.sh" "$root/usr/local/lib/privpipe"
[[ -e $root/etc/privpipe/run.conf ]] || install -m 644 "$here/run.conf" "$root/etc/privpipe"
install -m 644 "$here/sysusers.d/privpipe.conf" "$root/etc/sysusers.d"
install -m 644 "$here/tmpfiles.d/privpipe.conf" "$root/etc/tmpfiles.d"
install -m 644 "$here"/system/*.{service,timer} "$root/etc/systemd/system"
install -m 644 "$here"/system/privpipe-.service.d/* "$root/etc/systemd/system/privpipe-.service.d"
