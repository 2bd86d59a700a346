"""Opens an export in pyLDAvis and compares it with what pyLDAvis.prepare makes of the same topics.

  ldavis.py WEIGHTS.npz EXPORT.json [OUT]

writes topics and what pyLDAvis makes of them to OUT, which is how pyldavis.json was made.
"""

import json
import sys

import numpy as np
import pandas as pd
import pyLDAvis

arrays = np.load(sys.argv[1])
lam, words = arrays["lambda"], arrays["words"]
shares = lam.sum(1) / lam.sum()
with open(sys.argv[2]) as file:
    ours = json.load(file)

# One document a topic, as long as the topic's share of a million tokens.
theirs = pyLDAvis.prepare(
    lam / lam.sum(1, keepdims=True), np.eye(len(lam)), shares * 1e6, list(words), lam.sum(0) / lam.sum() * 1e6, n_jobs=1
)
want = json.loads(theirs.to_json())
if len(sys.argv) > 3:
    with open(sys.argv[3], "w") as file:
        json.dump({"words": list(words), "lambda": lam.ravel().tolist(), "want": want}, file, ensure_ascii=False)
        file.write("\n")
assert ours.keys() == want.keys(), ours.keys()
for name in ("R", "lambda.step", "plot.opts", "topic.order"):
    assert ours[name] == want[name], name

ours_at, want_at = pd.DataFrame(ours["mdsDat"]), pd.DataFrame(want["mdsDat"])
for axis in "xy":  # an axis has either sign
    sign = np.sign(ours_at[axis] @ want_at[axis]) or 1
    np.testing.assert_allclose(ours_at[axis], sign * want_at[axis], atol=1e-6)
np.testing.assert_array_equal(ours_at[["topics", "cluster"]], want_at[["topics", "cluster"]])
np.testing.assert_allclose(ours_at["Freq"], want_at["Freq"])

numbers = ["Freq", "Total", "logprob", "loglift"]
ours_bars, want_bars = pd.DataFrame(ours["tinfo"]), pd.DataFrame(want["tinfo"])
assert set(ours_bars.Category) == set(want_bars.Category)
for category, bars in ours_bars.groupby("Category"):
    others = want_bars[want_bars.Category == category]
    assert list(bars.Term) == list(others.Term), category
    np.testing.assert_allclose(bars[numbers], others[numbers], rtol=1e-9, atol=1.01e-4 if category != "Default" else 0)

ours_circles = pd.DataFrame(ours["token.table"]).sort_values(["Term", "Topic"])
want_circles = pd.DataFrame(want["token.table"]).sort_values(["Term", "Topic"])
assert list(ours_circles.Term) == list(want_circles.Term)
assert list(ours_circles.Topic) == list(want_circles.Topic)
np.testing.assert_allclose(ours_circles.Freq, want_circles.Freq)

# It opens, as JSON of pyLDAvis does: a page with the charts, and the words of a topic.
opened = pyLDAvis.PreparedData(
    ours_at, ours_bars, ours_circles, ours["R"], ours["lambda.step"], ours["plot.opts"], ours["topic.order"]
)
page = pyLDAvis.prepared_data_to_html(opened)
assert "LDAvis" in page and json.dumps(ours_bars.Term[0]) in page
assert list(opened.sorted_terms(1, 0.6).Term) == list(theirs.sorted_terms(1, 0.6).Term)
print(f"{len(ours_bars)} bars, {len(ours_circles)} circles")
