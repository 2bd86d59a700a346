#!/usr/bin/env bash
# Trains VIPS for Bayesian logistic regression as published, and reports its actual ε.
#
# Park, Foulds, Chaudhuri, Welling: Variational Bayes In Private Settings (JAIR 2020), Algorithm 5.
#
#   papers/vips-blr.sh --schema SCHEMA [--sigma 1] [FLAG…] TRAIN OUT
#
# TRAIN, SCHEMA and OUT are as in blr.sh. Use blr.sh for a better model at the same ε: the paper's method forgets its first rounds slowly,
# and sets negative eigenvalues to almost nothing.
#
#   --schema FILE     public schema of the columns
#   --sigma 1         noise over the paper's sensitivity, 1 in the units of the authors' program; below 1024; "none" for a model that
#                     protects nobody
#   --literal         as the authors' program: the variance is passed where the standard deviation belongs, so the noise is σ²/S in place
#                     of σ. That protects nobody where σ is much below S
#   --batch 156       S, number of rows in a round, drawn without replacement
#   --rounds 100      number of rounds
#   --row-norm R      longer rows are scaled to this norm, which is public; by default the root of the number of columns, which no row
#                     passes
#   --tau0 1024       ρ_t = (τ0+t)^−κ; the first round replaces
#   --kappa 0.7
#   --delta 1e-3      δ of the claim and of the report
#   --positive 1      class that is predicted; 1 is the positive class of a schema, and a schema of classes has its names
#   --delimiter ';'   character between the columns of CSV; by default a comma, and a tab in TSV
#   --force           train even with fewer than 1,000 rows
#   --held FILE       held-out rows: prints the area under the ROC curve with its interval; no ε covers it. That of rows of
#                     tokenize rows --public (.pp) is on the page, too, with the ROC curve and the calibration
#   --title TEXT      title of the page, which all may read; by default the name of TRAIN
#
# Over Kafka, each stage in its own process (../kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
#
# The report is sound. The paper takes 1 as the sensitivity of both statistics together when one row replaces another. It is √5/2
# (estep/blr/claim.md), and a little more on the grid of the noise. The paper's setting is σ 1, 156 of 39,073 rows, 100 rounds and
# δ 1e-3. For it the paper's accountant claims ε = 0.8157; with the sound sensitivity it gives 1.042, and privacy loss distributions
# give 0.170: account compare --noise-multiplier 1 --fixed 156/39073 -T 100 --delta 1e-3 --sensitivity 1.1181
set -euo pipefail
papers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source "$papers/../stages.sh"
source "$papers/published.sh"
source "$recipes/rows.sh"

sigma=1 literal='' batch=156 rounds=100 row_norm='' tau0=1024 kappa=0.7 delta=1e-3
take "sigma literal! batch rounds row-norm tau0 kappa delta $row_flags" "$@"
positive batch rounds
[[ -z $row_norm ]] || real row-norm
[[ $sigma != none || -z $literal ]] || fail "--literal is for noise, and --sigma is none"
multiplier=$sigma
if [[ $sigma != none ]]; then
  real sigma
  holds "$sigma < 1024" || fail "--sigma must be below 1024, is $sigma" # the bound below is of a grid of 2^20 steps
  [[ -z $literal ]] || multiplier=$(awk "BEGIN {printf \"%.9g\", $sigma * $sigma / $batch}")
  # Wrong flags fail here, before the rows are read.
  account plan -q --dry-run --noise-multiplier="$multiplier" --delta="$delta" --poisson=0.5 --rounds=1
fi
rows_and_folder
row_documents "--sigma $sigma --literal ${literal:-no} --batch $batch --rounds $rounds --row-norm ${row_norm:-columns} --tau0 $tau0 \
--kappa $kappa --delta $delta"
count_documents
begin "$inside/run.ledger"
row_norm=${row_norm:-$(default_norm)}

sample=(--fixed "$batch" --rounds "$rounds")
if [[ $sigma == none ]]; then
  sample+=(--run "$run")
  privatize=(none --run "$run" --ledger "$inside/run.ledger")
else
  # estep/blr/claim.md, 3: √5/2, FLOAT32, and what the grid adds for so many features.
  sensitivity=$(awk '{v = NR} END {printf "%.6f", 1.118036 + sqrt(2 * v + 4 * v * v) / 2^20}' "$shown/features.txt")
  keep "$shown/grant.json" account plan-paper --noise-multiplier "$multiplier" --delta "$delta" --fixed "$batch/$population" --rounds "$rounds" \
    --clip 1 --clipping proved --sensitivity "$sensitivity" --claim paper --statistic s1=1 --statistic s2=0.5 --ledger "$inside/run.ledger" \
    "${vocabulary[@]}" --model blr --matrix s1=1xV --matrix s2=VxV,symmetric -o "$shown/grant.json"
  privatize=(--grant "$shown/grant.json" --ledger "$inside/run.ledger")
fi
estep=(blr --row-norm "$row_norm" --positive "$positive")
# The paper's eigenvalue, for the mean of a row's statistic, and mstep's for the sum.
mstep=(blr --tau0 "$tau0" --kappa "$kappa" --negative "$(awk "BEGIN {print 1e-4 * $population}")")
classifier "$inside/run.ledger" --row-norm "$row_norm"
