#!/usr/bin/env bash
# Trains a private model of images: a sigmoid belief network.
#
#   sbn.sh [--hidden 50] [--epsilon 1] [FLAG…] IMAGES OUT
#
# IMAGES is private: an IDX file, as MNIST has, compressed or not, a folder of PNG files, or images of tokenize (.pp). OUT is a folder.
# OUT/public gets what may be shown: the model, its grant, the report of the spent budget, and all of it as a page, report.html.
# OUT/private gets the rest (OUT.md). If the recipe is stopped, run the same command again: it resumes and spends nothing twice.
#
#   --image 28x28     size of the images, ROWSxCOLUMNS
#   --bernoulli       a pixel is on with probability intensity/255; by default it is on from intensity 128 on
#   --hidden 50       number of hidden units K
#   --epsilon 1       ε of the whole ledger at this δ, including what other runs have spent. Above 10 it protects little
#   --delta 1e-6      δ; at most 0.1/(number of images)
#   --sigma X         noise over the sensitivity of all statistics together, in place of --epsilon; "none" for a model that protects nobody
#   --rate 0.0533     probability of the coin that puts an image into a round; 1: all images are in each round
#   --rounds 18       number of rounds
#   --unit document   privacy unit: one image, or one user with all images (user), which images of tokenize (.pp) may name
#   --force           release no size of the images, by which the recipe stops (83) where fewer than 1,000 are not worth --epsilon
#   --ledger FILE     ledger that other jobs may charge, too, from account ledger new; by default OUT/private/run.ledger
#   --dataset NAME    name of the data set in the ledger
#   --seed 1          seed of the random first weights
#   --held IMAGES     held-out images: prints the share of their pixels that the model predicts right, beside the mean image; no ε covers
#                     it. Those of tokenize images --public (.pp) are on the page, too, and in picture.png
#   --title TEXT      title of the page, which all may read; by default the name of IMAGES
#
# Over Kafka, each stage in its own process (kafka/README.md):
#
#   --brokers HOSTS   HOST[:PORT] of some brokers, with commas
#   --run NAME        name of the run and its topics; by default the name of the folder OUT
#   --workers 2       number of estep processes
#   --partitions 4    number of partitions of the topics that they share
#
# A round releases J·(K+1)(K+2)/2 numbers and a few for J pixels, and privatize does about 200 images of MNIST a second on each core at
# K = 50. With noise the model is hardly better than the mean image: see papers/README.md, F8.
set -euo pipefail
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/stages.sh"
source "$recipes/rows.sh"
source "$recipes/images.sh"

rate=0.0533 rounds=18
take "$budget_flags $image_flags" "$@"
whole_budget
images_and_folder
charged=$(identity "$ledger")
image_documents "${budget[*]} ${scheme[*]} --unit ${unit:-document} ledger $charged"
ledger=${ledger:-$inside/run.ledger}

# All seven statistics together have a norm of at most √7 (estep/sbn/claim.md), so none is ever clipped.
bounds
row_grant --model sbn --statistics "$shown/bounds.txt" --clip 2.6457514
estep=(sbn)
mstep=(sbn)
belief_network "$ledger"
