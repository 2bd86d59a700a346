#!/usr/bin/env bash
# Makes the topics of a run, or checks that they are as they must be.
#
#   topics.sh [FLAG…] BROKERS RUN     see --help
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../stages.sh"
exec topics "$@"
