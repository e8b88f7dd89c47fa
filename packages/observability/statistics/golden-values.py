"""Prints what SciPy and statsmodels have for the numbers of golden-values.json: pip install scipy statsmodels, then run this file."""

import json

from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

NUMBERS = [
    ([9.2, 11.5, 10.1, 8.7, 12.3], [11.9, 12.2, 10.8, 13.1, 12.5, 11.4, 12.9]),
    ([float(n * n % 97) for n in range(40)], [float(n * n * n % 89) for n in range(31)]),
    ([0.001 * n for n in range(100)], [5.0 + n % 3 for n in range(30)]),
]
SHARES = [(48, 80, 56, 70), (3, 10, 9, 10), (0, 20, 10, 20), (5, 100, 9, 100), (20, 20, 20, 20)]


def interval(found):
    return [float(found[0]), float(found[1])]


print(
    json.dumps(
        {
            "student": [[p, f, stats.t.ppf(p, f)] for p in (0.1, 0.6, 0.975, 0.9999) for f in (1, 2, 2.5, 29, 99.3, 1000)],
            "normal": [[p, stats.norm.ppf(p)] for p in (0.5, 0.6, 0.9, 0.975, 0.995, 0.99999)],
            "wilson": [[k, n, *interval(proportion_confint(k, n, 0.05, "wilson"))] for k, n in ((0, 10), (1, 10), (10, 10), (81, 263), (999, 1000))],
            "newcombe": [
                [k1, n1, k2, n2, *interval(confint_proportions_2indep(k2, n2, k1, n1, method="newcomb", compare="diff"))]
                for k1, n1, k2, n2 in SHARES
            ],
            "mean": [[a, *interval(stats.ttest_1samp(a, 0).confidence_interval(0.95))] for a, _ in NUMBERS],
            "welch": [[a, b, *interval(stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95))] for a, b in NUMBERS],
        },
        indent=1,
    )
)
