#!/bin/sh
# Prints the sources and proofs that CHECKING.md lists, one a line. kit.sh and install.sh use it.
sed -nE 's/^\| `([A-Za-z_/0-9]+\.(go|md))` .*/\1/p' "$(dirname -- "$0")/../../../privatize/CHECKING.md" | LC_ALL=C sort -u
