# What a developer does here. `just` without a recipe lists it.

python := env("PYTHON", justfile_directory() / ".venv/bin/python")

_list:
    @just --list --unsorted

# Build the stages into bin/
build:
    CGO_ENABLED=0 go build -o bin/ ./...

# Install stages, recipes, manual pages and completions below a folder; nothing of the checkout is needed afterwards
install prefix="/usr/local":
    pipelines/install/install.sh {{ quote(prefix) }}

# Remove them again
uninstall prefix="/usr/local":
    rm -rf -- {{ quote(prefix) }}/bin/privpipe {{ quote(prefix) }}/libexec/privpipe {{ quote(prefix) }}/share/privpipe \
        {{ quote(prefix) }}/share/man/man1/privpipe*.1.gz {{ quote(prefix) }}/share/bash-completion/completions/privpipe \
        {{ quote(prefix) }}/share/zsh/site-functions/_privpipe

# A tar of an installation and a Debian package for amd64 and arm64, in dist/: the same bytes from the same commit
dist:
    pipelines/install/dist.sh

# All tests: of each stage, of the wire with the Python reader, and of all together on real text
test *flags:
    PYTHON={{ python }} go test -timeout 40m {{ flags }} ./...

# What CI runs, in the order of CI
check:
    .ci/run

# Vet, staticcheck and gofmt
lint:
    test -z "$(gofmt -l .)"
    go vet ./...
    go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

# The race detector, except for the end-to-end tests, which run the stages as they are built
race:
    GORACE=atexit_sleep_ms=0 go test -race -short $(go list ./... | grep -v /endtoend)

# Each fuzzer for so many inputs (each finds new ones for longer: just fuzz 5m)
fuzz count="20000x":
    .ci/fuzz {{ count }}

# Kill the privatizer at the boundaries of its system calls, so many times (minutes)
soak kills="5000":
    PRIVPIPE_KILLS={{ kills }} go test -run 'TestCrash$' -v -count=1 -timeout 20m ./pipelines/endtoend

# The lines that a Gaussian sum over pipes passes through in privatize, with proofs and tests, for an auditor; a FILE.html gets the source
path html="":
    PRIVPIPE_PATH_HTML={{ if html == "" { "" } else { quote(absolute_path(html)) } }} go test -count=1 -v -run 'TestGaussianPath$' ./pipelines/endtoend

# Plant each fault of pipelines/testkit/mutants, or those of a name, and see that the tests which it names find it (minutes)
mutants name="":
    PRIVPIPE_MUTANTS=1 PRIVPIPE_MUTANT={{ name }} go test -run 'TestMutants$' -v -count=1 -timeout 20m ./pipelines/testkit/mutants

# Train over Kafka while stages and the broker are killed, so many times from a seed on (10 s each)
soak-kafka runs="200" seed="1":
    PRIVPIPE_FAULTS={{ runs }} PRIVPIPE_SEED={{ seed }} go test -run 'TestSoak$' -v -count=1 -timeout 3h ./pipelines/endtoend/topics

# Speed beside gensim, scikit-learn, tomotopy, MALLET and the limits, with a table of pipelines/endtoend/goals.txt; needs the shared data (PRIVPIPE_SHARED; an hour)
bench: peers
    #!/usr/bin/env bash
    set -euo pipefail
    export PYTHON={{ quote(python) }}
    {
        go test -run '^$' -bench . -benchtime 1x -timeout 60m ./pipelines/endtoend
        go test -run '^$' -bench . -benchtime 3x -timeout 30m ./pipelines/endtoend/topics ./pipelines/endpoint/kafka
        go test -run '^$' -bench . -timeout 30m ./privatize/... ./sample/... ./mstep/internal/... ./account/...
    } | go run ./pipelines/testkit/ratios --goals pipelines/endtoend/goals.txt

# Fails if we are slower beside a peer or limit than nine tenths of pipelines/endtoend/ratios.txt; just bench-check --record writes it anew
bench-check *flags: peers
    PYTHON={{ python }} go test -run '^$' -bench 'Limit|Training' -benchtime 1x -timeout 30m ./pipelines/endtoend | \
        go run ./pipelines/testkit/ratios {{ flags }} pipelines/endtoend/ratios.txt

# Figures F6 and F7 of the papers at full size, on UCI's Adult and 20 Newsgroups, in figures/; needs the shared data (PRIVPIPE_SHARED; an hour)
figures shared=env("PRIVPIPE_SHARED", ""):
    mkdir -p figures
    for name in data test; do zstd -dqf {{ quote(shared) }}/data/adult/adult.$name.zst -o figures/adult.$name; done
    cat figures/adult.data figures/adult.test >figures/adult.csv
    pipelines/recipes/papers/figures/bags.sh --positive 'comp.*' --negative 'rec.*' --words 500 {{ quote(shared) }}/data/20newsgroups/20newsgroups.jsonl.zst figures/bags
    pipelines/recipes/papers/figures/F6.sh --schema pipelines/recipes/schemas/adult.json figures/adult.csv figures/adult
    pipelines/recipes/papers/figures/F6.sh --schema figures/bags/schema.json --row-norm 8 --spread 0.009 --runs 3 figures/bags/rows.jsonl figures/wide
    pipelines/recipes/papers/figures/F7.sh --schema pipelines/recipes/schemas/adult.json figures/adult.data figures/adult.test figures/noise

# All systems and figures of the papers, small, in papers/ (minutes), or at their sizes on the data of a folder (many hours)
papers data="":
    pipelines/recipes/papers/all.sh {{ if data == "" { "--quick" } else { quote(data) } }} papers

# A Kafka broker in .kafka/, for tests and to try things out: eval "$(just kafka-up)"; wants Java 17 and Maven
kafka-up:
    @address=$(pipelines/recipes/kafka/broker.sh start .kafka) && \
        echo "export PRIVPIPE_KAFKA=$address PRIVPIPE_KAFKA_JARS=${PRIVPIPE_KAFKA_JARS:-$PWD/.kafka/jars}"

# Stop it; its data stay in .kafka/
kafka-down:
    pipelines/recipes/kafka/broker.sh stop .kafka

# A Python with what the second reader and the second accountant need
python:
    [ -x {{ python }} ] || python3 -m venv .venv
    {{ python }} -c 'import grpc_tools, xxhash, zstandard, dp_accounting' 2>/dev/null || {{ python }} -m pip install -q grpcio-tools xxhash zstandard dp-accounting==0.6.0

# The same, with the tools that just bench compares with, and those that open our exports
peers: python
    {{ python }} -c 'import gensim, sklearn, opendp, pyarrow, pyLDAvis, little_mallet_wrapper' 2>/dev/null || \
        {{ python }} -m pip install -q gensim scikit-learn opendp pyarrow pyLDAvis little-mallet-wrapper matplotlib seaborn
    {{ python }} -c 'import tomotopy' 2>/dev/null || {{ python }} -m pip install -q tomotopy==0.14.0
    [ -d .mallet ] || mvn -q -B -f pipelines/endtoend/mallet/pom.xml dependency:copy-dependencies -DoutputDirectory="$PWD/.mallet" || \
        echo 'no MALLET: Maven could not fetch it' >&2

# What the browser test of evaluate report needs, beside Chromium (apt install chromium) and Node: axe-core and a driver, in .node/
browser:
    npm install --no-audit --no-fund --ignore-scripts --prefix .node playwright-core@1.65.1 axe-core@4.14.1

# Write generated code and the test vectors of the wire again
generate: python
    PYTHON={{ python }} pipelines/wire/generate.sh
    go test ./pipelines/testkit -update
