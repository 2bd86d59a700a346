# What a developer does here, by the scripts that do it: they need no `just`. `just` without a recipe lists them.

_list:
    @just --list --unsorted

# Build the stages into bin/
build:
    .ci/build

# Test what changed since main, and what depends on it
quick:
    .ci/quick

# The tests of the gate, with flags of go test
test *flags:
    .ci/test {{ flags }}

# The gate, which CI runs
check:
    .ci/run

# The deep suite, or parts of it; --list says what each shows
deep *parts:
    .ci/deep {{ parts }}

# Vet, staticcheck and gofmt
lint:
    .ci/lint

# The race detector; `just race all`: on all tests of accountants, too
race *flags:
    .ci/race {{ flags }}

# Each fuzzer for so many inputs (5m: for so long)
fuzz count="20000x":
    .ci/fuzz {{ count }}

# Plant the faults of pipelines/testkit/mutants, or those of a name, and see that tests find them
mutants name="":
    .ci/mutants {{ name }}

# The lines that a Gaussian sum over pipes passes through in privatize, for an auditor; a FILE.html gets the source
path html="":
    .ci/path {{ html }}

# Speed beside other tools and limits (an hour); just bench check compares with the record
bench *flags:
    .ci/bench {{ flags }}

# Figures F6 and F7 of the papers at full size
figures:
    .ci/figures

# What tests use beside Go: eval "$(just peers)"
peers:
    @.ci/peers

# A Kafka broker in .kafka/: eval "$(just kafka up)"; just kafka down
kafka what:
    @.ci/kafka {{ what }}

# Write generated code and the test vectors of the wire again
generate:
    .ci/generate

# Make the picture of README.md again, of the page that the quickstart left
picture:
    .ci/picture

# Install stages, recipes, manual pages and completions below a folder
install prefix="/usr/local":
    pipelines/install/install.sh {{ quote(prefix) }}

# Remove them again
uninstall prefix="/usr/local":
    pipelines/install/uninstall.sh {{ quote(prefix) }}

# A tar of an installation and a Debian package for amd64 and arm64, in dist/
dist:
    pipelines/install/dist.sh
