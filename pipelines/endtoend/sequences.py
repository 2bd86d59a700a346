"""Composes the charges of ledgers by Google's dp_accounting. A line of JSON for each, [δ, [[noise, rate, batch], …]], is answered by ε.

The noise is over what a unit adds. A rate below 1 is that of a secret coin. Charges of one batch have the same coins, so their noise is
that of one Gaussian (Dong, Roth, Su 2022, cor. 3.3). Neighbours differ by one unit more or less."""

import collections
import json
import sys

from dp_accounting import dp_event, privacy_accountant
from dp_accounting.pld import pld_privacy_accountant

for line in sys.stdin:
    delta, charges = json.loads(line)
    batches = collections.defaultdict(float)
    for noise, rate, batch in charges:
        batches[rate, batch if rate < 1 else ""] += noise**-2
    counts = collections.Counter((rate, round(square**-0.5, 9)) for (rate, _), square in batches.items())
    accountant = pld_privacy_accountant.PLDAccountant(
        privacy_accountant.NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=5e-4
    )
    for (rate, noise), count in counts.items():
        event = dp_event.GaussianDpEvent(noise)
        accountant.compose(dp_event.PoissonSampledDpEvent(rate, event) if rate < 1 else event, count)
    print(json.dumps(accountant.get_epsilon(delta)), flush=True)
