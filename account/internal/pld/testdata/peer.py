"""Runs dp_accounting on the settings of bench_test.go and prints CPU seconds and results as one JSON object."""

import json
import statistics
import time

from dp_accounting import dp_event, mechanism_calibration, privacy_accountant
from dp_accounting.pld import pld_privacy_accountant

ADD_REMOVE = privacy_accountant.NeighboringRelation.ADD_OR_REMOVE_ONE


def accountant():
    return pld_privacy_accountant.PLDAccountant(ADD_REMOVE)


def sampled(noise, rate, rounds):
    return dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(noise)), rounds)


def epsilon(event, delta):
    return accountant().compose(event).get_epsilon(delta)


def calibrated():
    return mechanism_calibration.calibrate_dp_mechanism(
        accountant, lambda noise: sampled(noise, 0.01, 1000), 1.0, 1e-5,
        mechanism_calibration.ExplicitBracketInterval(0.3, 10), tol=1e-6)


MIXED = dp_event.ComposedDpEvent([
    sampled(1.0, 0.01, 500),
    sampled(1.3, 0.02, 200),
    sampled(2.0, 0.05, 50),
    dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(20), 5),
])

RUNS = {
    "epsilon": (lambda: epsilon(sampled(1.0, 0.01, 1000), 1e-5), 3),
    "laplace": (lambda: epsilon(dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(10), 100), 1e-5), 3),
    "mixed": (lambda: epsilon(MIXED, 1e-5), 3),
    "calibration": (calibrated, 1),
}

answer = {}
for name, (run, times) in RUNS.items():
    seconds = []
    for _ in range(times):
        start = time.process_time()
        result = run()
        seconds.append(time.process_time() - start)
    answer[name] = {"seconds": statistics.median(seconds), "result": float(result)}
print(json.dumps(answer))
