#!/usr/bin/env bash
# Trains a private classifier of rows by clipped gradients: DPVI, the rival of VIPS for logistic regression.
#
# Jälkö, Dikmen, Honkela: Differentially Private Variational Inference for Non-conjugate Models (UAI 2017).
#
#   papers/dpvi.sh --schema SCHEMA [--epsilon 1] [FLAG…] TRAIN OUT
#
# TRAIN, SCHEMA and OUT are as in blr.sh. A round has two numbers for each feature, not one for each pair: much noise hurts it less.
#
#   --schema FILE     public schema of the columns
#   --epsilon 1       ε of the whole ledger at this δ, including what other runs have spent. Above 10 it protects little
#   --delta 1e-6      δ; at most 0.1/(number of rows)
#   --sigma X         noise over the clip, in place of --epsilon; "none" for a model that protects nobody
#   --rate 0.004      probability of the coin that puts a row into a round; 1: all rows are in each round
#   --rounds 100      number of rounds
#   --clip 1          L2 norm that the gradient of a row is clipped to
#   --step 0.2        length of the first step of each weight (Adagrad)
#   --positive 1      class that is predicted; 1 is the positive class of a schema, and a schema of classes has its names
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --unit document   privacy unit: one row, or one user with all rows (user)
#   --force           release no size of the rows, by which the recipe stops (83) where fewer than 1,000 are not worth --epsilon
#   --ledger FILE     ledger that other jobs may charge, too, from account ledger new; by default OUT/private/run.ledger
#   --dataset NAME    name of the data set in the ledger
#   --held FILE       held-out rows: prints the area under the ROC curve with its interval; no ε covers it. That of rows of
#                     tokenize rows --public (.pp) is on the page, too, with the ROC curve and the calibration
#   --title TEXT      title of the page, which all may read; by default the name of TRAIN
#   --seed 1          seed of the weights that each round draws; privacy does not depend on it
#
# Over Kafka, each stage in its own process (../kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../stages.sh"
source "$recipes/rows.sh"

rate=0.004 rounds=100 clip=1 step=0.2
take "clip step seed $budget_flags $row_flags" "$@"
real clip step
seeded
whole_budget
rows_and_folder
charged=$(identity "$ledger")
row_documents "${budget[*]} ${scheme[*]} --unit ${unit:-document} --clip $clip --step $step --seed $seed ledger $charged"
ledger=${ledger:-$inside/run.ledger}

row_grant --model dpvi --matrix gradients=2xV --clip "$clip"
estep=(dpvi --positive "$positive")
mstep=(dpvi --rate "$step" --seed "$seed")
classifier "$ledger"
