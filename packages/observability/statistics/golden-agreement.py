"""Prints what scikit-learn, krippendorff and pingouin have for the numbers of golden-agreement.json: pip install them, then run this file."""

import json

import krippendorff
import numpy
import pandas
import pingouin
from sklearn.metrics import cohen_kappa_score

PAIRS = [
    [[1, 1]] * 20 + [[1, 0]] * 5 + [[0, 1]] * 10 + [[0, 0]] * 15,
    [[n * n % 5, n * n % 5 if n % 3 else n % 5] for n in range(60)],
    [[n % 4, (n + (n % 7 == 0)) % 4] for n in range(45)],
    [[3, 3]] * 9 + [[0, 1]],
]
ITEMS = [
    # Of Krippendorff's book: four people, twelve items, missing labels.
    [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5]]
    + [[None, None, 1, 1], [None, None, 3, None]],
    [[n * n % 6, (n * n + n % 2) % 6, None if n % 4 else n % 6] for n in range(40)],
    [[10 + n % 9 / 4, 10 + (n % 9 + n % 5 / 2) / 4] for n in range(30)],
]
NUMBERS = [
    # Of Shrout and Fleiss: six items, four judges.
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    [[n % 9 / 4, (n % 9 + n % 5 / 2) / 4] for n in range(30)],
    [[1000 + n * n % 11, 1001 + n * n % 13] for n in range(50)],
]


def kappa(pairs):
    one, other = zip(*pairs)
    # All labels between the ends, since scikit-learn weighs by their places.
    labels = list(range(min(map(min, pairs)), max(map(max, pairs)) + 1))
    weights = {"nominal": None, "linear": "linear", "quadratic": "quadratic"}
    return {"pairs": pairs, **{name: float(cohen_kappa_score(one, other, labels=labels, weights=weight)) for name, weight in weights.items()}}


def alpha(items):
    table = numpy.array([[numpy.nan if label is None else label for label in labels] for labels in items], dtype=float).T
    scales = ("nominal", "ordinal", "interval")
    return {"items": items, **{scale: float(krippendorff.alpha(table, level_of_measurement=scale)) for scale in scales}}


def correlation(items):
    rows = [(item, rater, number) for item, numbers in enumerate(items) for rater, number in enumerate(numbers)]
    found = pingouin.intraclass_corr(pandas.DataFrame(rows, columns=["item", "rater", "number"]), "item", "rater", "number")
    return [items, float(found[found["Type"].isin(["ICC2", "ICC(A,1)"])]["ICC"].iloc[0])]


print(json.dumps({"kappa": [kappa(p) for p in PAIRS], "alpha": [alpha(i) for i in ITEMS], "icc": [correlation(i) for i in NUMBERS]}))
