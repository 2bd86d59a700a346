#!/usr/bin/env bash
# Makes the topics of a run, or checks that they are there as they must be: topics.sh [FLAG…] BROKERS RUN, see --help.
#
# The program is built into bin/, unless PRIVPIPE_BIN names a folder that has it.
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
bin=${PRIVPIPE_BIN:-$root/bin}
bin=$(mkdir -p -- "$bin" && cd "$bin" && pwd)
[[ -n ${PRIVPIPE_BIN:-} && -x $bin/topics ]] || (cd "$root" && go build -o "$bin/" ./pipelines/recipes/kafka/topics)
exec "$bin/topics" "$@"
