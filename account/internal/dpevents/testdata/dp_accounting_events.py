#!/usr/bin/env python3
"""Reads and writes the DpEvents of EVENTS.md with Google's dp_accounting, and asks its accountants.

Needs the package dp-accounting.

    account export night.ledger > events.json
    python3 dp_accounting_events.py --delta 1e-6 events.json

prints a line of JSON for each file: ε by RdpAccountant, its order, and the Rényi divergences; ε by PLDAccountant; and the
events written back. null is no bound, or an event that the accountant does not know. In a program:

    relation, event = read(json.load(open("events.json")))
    accountant = dp_accounting.pld.PLDAccountant(relation)
    for one in one_by_one(event):
        accountant.compose(one)
"""

import argparse
import json
import math

from dp_accounting import dp_event
from dp_accounting import pld
from dp_accounting import privacy_accountant
from dp_accounting import rdp

RELATIONS = {
    "add-remove": privacy_accountant.NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace-one": privacy_accountant.NeighboringRelation.REPLACE_ONE,
    "replace-null": privacy_accountant.NeighboringRelation.REPLACE_SPECIAL,
}


def read(document):
    """Returns the neighbouring relation and the DpEvent of a document: {"adjacency": …, "event": {"class_name": …, …}}."""
    if set(document) != {"adjacency", "event"}:
        raise ValueError("a document has the members adjacency and event")
    return RELATIONS[document["adjacency"]], event_of(document["event"])


def event_of(node):
    """Returns the DpEvent of a JSON object: its class and its fields."""
    fields = dict(node)
    cls = getattr(dp_event, fields.pop("class_name"))
    if fields.pop("module_name", dp_event.__name__) != dp_event.__name__:
        raise ValueError("an event of another module")
    if "event" in fields:
        fields["event"] = event_of(fields["event"])
    if "events" in fields:
        fields["events"] = [event_of(one) for one in fields["events"]]
    return cls(**fields)


def write(relation, event):
    """Returns the document of a DpEvent, by DpEvent.to_named_tuple."""
    names = {known: name for name, known in RELATIONS.items()}
    return {"adjacency": names[relation], "event": node_of(event.to_named_tuple())}


def node_of(value):
    """Returns the JSON object of a named tuple of a DpEvent, and any other value as it is."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        return [node_of(one) for one in value]
    if not hasattr(value, "_asdict"):
        return value
    fields = value._asdict()
    if fields.pop("module_name") != dp_event.__name__:
        raise ValueError("an event of another module")
    return {name: node_of(one) for name, one in fields.items()}


def for_rdp(relation, event):
    """Returns the event that RdpAccountant is to be told.

    A noise multiplier is over the norm C of what one unit adds. Where a unit is replaced, sums are up to 2·C apart.
    PLDAccountant knows, but RdpAccountant of 0.6.0 takes the multiplier for that over the distance, and would say too little.
    """
    if relation != privacy_accountant.NeighboringRelation.REPLACE_ONE:
        return event
    if isinstance(event, (dp_event.GaussianDpEvent, dp_event.LaplaceDpEvent)):
        return type(event)(event.noise_multiplier / 2)
    fields = {name: getattr(event, name) for name in event.to_named_tuple()._fields[2:]}
    if "event" in fields:
        fields["event"] = for_rdp(relation, fields["event"])
    if "events" in fields:
        fields["events"] = [for_rdp(relation, one) for one in fields["events"]]
    return type(event)(**fields)


def one_by_one(event, count=1):
    """Yields events that PLDAccountant is to be told one after another.

    PLDAccountant of 0.6.0 counts randomized response once in a SelfComposedDpEvent, whatever the count.
    """
    if isinstance(event, dp_event.ComposedDpEvent):
        for one in event.events:
            yield from one_by_one(one, count)
    elif isinstance(event, dp_event.SelfComposedDpEvent):
        yield from one_by_one(event.event, count * event.count)
    elif isinstance(event, dp_event.RandomizedResponseDpEvent):
        yield from [event] * count
    else:
        yield dp_event.SelfComposedDpEvent(event, count)


def by_rdp(relation, event, orders):
    """Returns RdpAccountant with all of the event, or None."""
    accountant = rdp.RdpAccountant(orders, relation)
    try:
        return accountant.compose(for_rdp(relation, event))
    except privacy_accountant.UnsupportedEventError:
        return None


def by_pld(relation, event):
    """Returns PLDAccountant with all of the event, or None."""
    accountant = pld.PLDAccountant(relation)
    try:
        for one in one_by_one(event):
            accountant.compose(one)
    except privacy_accountant.UnsupportedEventError:
        return None
    return accountant


def finite(x):
    """Returns x as JSON has it."""
    return float(x) if math.isfinite(x) else None


def main():
    """Prints the answers about each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delta", type=float, required=True)
    parser.add_argument("--orders", type=lambda text: [float(x) for x in text.split(",")], default=None,
                        help="Rényi orders, as 1.5,2,8; by default dp_accounting's")
    parser.add_argument("files", nargs="+", help="documents, as account export writes them")
    args = parser.parse_args()
    for name in args.files:
        with open(name, encoding="utf-8") as file:
            relation, event = read(json.load(file))
        answer = {"renyi": None, "order": None, "curve": None, "pld": None, "document": write(relation, event)}
        if accountant := by_rdp(relation, event, args.orders):
            answer["renyi"], answer["order"] = map(finite, accountant.get_epsilon_and_optimal_order(args.delta))
            answer["curve"] = [finite(x) for x in accountant.rdp]
        if accountant := by_pld(relation, event):
            answer["pld"] = finite(accountant.get_epsilon(args.delta))
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
