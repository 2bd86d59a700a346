"""FILE K ALPHA ETA BURN-IN SWEEPS: prints the tokens that tomotopy draws in a CPU-second of its one worker, after the burn-in."""

import sys
import time

import tomotopy

file, k, alpha, eta, burn_in, sweeps = sys.argv[1], *map(float, sys.argv[2:])
documents = {}
with open(file) as lines:
    for line in list(lines)[3:]:
        document, word, count = line.split()
        documents.setdefault(document, []).extend([word] * int(count))
model = tomotopy.LDAModel(k=int(k), alpha=alpha, eta=eta, seed=1)
model.optim_interval = 0
for words in documents.values():
    model.add_doc(words)
model.train(int(burn_in), workers=1)
began = time.process_time()
model.train(int(sweeps), workers=1)
print(model.num_words * int(sweeps) / (time.process_time() - began))
