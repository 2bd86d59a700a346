#!/usr/bin/env bash
# Trains a private classifier of rows: Bayesian logistic regression.
#
#   blr.sh --schema SCHEMA [--epsilon 1] [FLAG…] TRAIN OUT
#
# TRAIN is private: a .csv, .tsv, .jsonl or .parquet, a folder of such files, or rows of tokenize (.pp). SCHEMA is public: it says what
# the columns mean, and which is the label (tokenize/FORMATS.md; schemas/adult.json is one). OUT is a folder. OUT/public
# gets what may be shown: the model, its grant, the report of the spent budget, and all of it as a page, report.html. OUT/private gets
# the rest (OUT.md). If the recipe is stopped, run the same command again: it resumes and spends nothing twice.
#
#   --schema FILE     public schema of the columns
#   --epsilon 1       ε of the whole ledger at this δ, including what other runs have spent. Above 10 it protects little
#   --delta 1e-6      δ; at most 0.1/(number of rows)
#   --sigma X         noise over the sensitivity of both statistics together, in place of --epsilon; "none" for a model that protects nobody
#   --rate 1          probability of the coin that puts a row into a round; 1: all rows are in each round
#   --rounds 10       number of rounds
#   --row-norm R      longer rows are scaled to this norm, which is public; by default the root of the number of columns, which no row
#                     passes
#   --positive 1      class that is predicted; 1 is the positive class of a schema, and a schema of classes has its names
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --unit document   privacy unit: one row, or one user with all rows (user)
#   --force           release no size of the rows, by which the recipe stops (83) where fewer than 1,000 are not worth --epsilon
#   --ledger FILE     ledger that other jobs may charge, too, from account ledger new; by default OUT/private/run.ledger
#   --dataset NAME    name of the data set in the ledger
#   --held FILE       held-out rows: prints the area under the ROC curve with its interval; no ε covers it. That of rows of
#                     tokenize rows --public (.pp) is on the page, too, with the ROC curve and the calibration
#   --title TEXT      title of the page, which all may read; by default the name of TRAIN
#
# Over Kafka, each stage in its own process (kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
#
# Two things are released each round, in one sum: how the classes differ, and the second moments of the features. They take one cell for
# each pair of features, so take papers/dpvi.sh for thousands of features, or for much noise. On Adult (32,561 rows, 106 features) at
# δ = 1e-4 the area is .873 at ε = 0.5 and .905 without noise.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"
source "$recipes/rows.sh"

rate=1 rounds=10 row_norm=''
take "row-norm $budget_flags $row_flags" "$@"
[[ -z $row_norm ]] || real row-norm
whole_budget
rows_and_folder
charged=$(identity "$ledger")
row_documents "${budget[*]} ${scheme[*]} --unit ${unit:-document} --row-norm ${row_norm:-columns} ledger $charged"
ledger=${ledger:-$inside/run.ledger} row_norm=${row_norm:-$(default_norm)}

# The norms of the two statistics are at most ½ and ¼ (estep/blr/claim.md), so both together are never clipped.
row_grant --model blr --matrix s1=1xV --matrix s2=VxV,symmetric --statistic s1=0.5 --statistic s2=0.25 --clip 1.41421357
estep=(blr --row-norm "$row_norm" --positive "$positive")
mstep=(blr)
[[ $sigma != none || ${scheme[0]} != --all ]] || mstep+=(--kappa 0) # each round is exact
classifier "$ledger" --row-norm "$row_norm"
