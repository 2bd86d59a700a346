"""Runs dp_accounting on settings: lines of JSON [rate, noise multiplier, rounds, delta, epsilon]; epsilon 0 asks for it, else for the
least noise. Prints a line of JSON for each, [CPU seconds, answer], after one of what the start took."""

import json
import sys
import time

from dp_accounting import dp_event, mechanism_calibration, privacy_accountant
from dp_accounting.pld import pld_privacy_accountant

ADD_REMOVE = privacy_accountant.NeighboringRelation.ADD_OR_REMOVE_ONE


def accountant():
    return pld_privacy_accountant.PLDAccountant(ADD_REMOVE)


def sampled(noise, rate, rounds):
    return dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(noise)), rounds)


print(json.dumps([time.process_time(), 0]))
for line in sys.stdin:
    rate, noise, rounds, delta, epsilon = json.loads(line)
    start = time.process_time()
    if epsilon:
        answer = mechanism_calibration.calibrate_dp_mechanism(
            accountant, lambda noise: sampled(noise, rate, rounds), epsilon, delta,
            mechanism_calibration.ExplicitBracketInterval(0.3, 100), tol=1e-6)
    else:
        answer = accountant().compose(sampled(noise, rate, rounds)).get_epsilon(delta)
    print(json.dumps([time.process_time() - start, float(answer)]), flush=True)
