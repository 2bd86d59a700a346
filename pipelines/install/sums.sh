#!/bin/sh
# Writes SHA256SUMS of all files of privpipe in a folder, and prints their names. dist.sh and wheel.sh use it.
set -eu
cd -- "$1"
LC_ALL=C sha256sum -- privpipe[-_]* >SHA256SUMS.unfinished
mv -- SHA256SUMS.unfinished SHA256SUMS
ls
