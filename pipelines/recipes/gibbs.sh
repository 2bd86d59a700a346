#!/usr/bin/env bash
# Trains a private topic model by Gibbs sampling.
#
#   gibbs.sh [FLAG…] TEXT OUT
#
# It is lda.sh but for the E-step, and takes the same flags (lda.sh --help). In each round the topics of a document's words are drawn
# several times, given the released topics, and the document contributes the mean of their probabilities. The unit is the document or
# the user, and the guarantee is that of lda.sh: the draws stay behind the wall, and only sums with noise leave.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"
[[ " $* " != *" --help "* && " $* " != *" -h "* ]] || { usage; exit; }
exec "$recipes/lda.sh" --inference gibbs "$@"
