"""Prints how many draws a second, on one core, OpenDP makes. Its arguments are a mechanism, gaussian or laplace, and a
scale.

The noise is added to a vector of integers in one call, the fastest way that OpenDP has. The fastest turn counts: others
may use the machine too.
"""

import sys
import time

import opendp.prelude as dp

DRAWS = 2000  # of a turn
TURNS = 25


def main(mechanism, scale):
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if mechanism == "gaussian":
        measurement = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=float(scale))
    elif mechanism == "laplace":
        measurement = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=float(scale))
    else:
        sys.exit(f"with_opendp.py: no mechanism {mechanism!r}")
    zeros = [0] * DRAWS
    best = float("inf")
    for _ in range(TURNS):
        begin = time.perf_counter()
        measurement(zeros)
        best = min(best, time.perf_counter() - begin)
    print(round(DRAWS / best))


if __name__ == "__main__":
    main(*sys.argv[1:])
