"""logistic_rows.py ROWS.npy LABELS.npy MODEL.npz: what estep blr computes for each row, by numpy, in CPU seconds.

One core is wanted: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1. The contributions of a row x with class y and c = sqrt(x'Mx) are (y - 1/2)x and,
as a factor of a product, sqrt(tanh(c/2)/(2c)) x. "summed" also sums the rows and the products, which is privatize's work.
"""

import json
import sys
import time

import numpy as np

x = np.load(sys.argv[1])
y = np.load(sys.argv[2])[:, 0]
moments = np.load(sys.argv[3])["moments"]


def step():
    c = np.sqrt(np.einsum("ij,ij->i", x @ moments, x))
    xi = np.tanh(c / 2) / (2 * c)
    return ((y - 0.5)[:, None] * x).astype(np.float32), (np.sqrt(xi)[:, None] * x).astype(np.float32)


def summed():
    linear, factor = step()
    return linear.sum(axis=0), factor.T @ factor


def least(work):
    seconds = []
    for _ in range(5):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


first, second = summed()
print(json.dumps({"cpu": least(step), "summed": least(summed), "first": float(first.sum()), "second": float(second.trace())}))
