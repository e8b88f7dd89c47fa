"""Prints what SciPy and statsmodels have for the numbers of golden-values.json: pip install scipy statsmodels, then run this file."""

import json

import numpy
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

NUMBERS = [
    ([9.2, 11.5, 10.1, 8.7, 12.3], [11.9, 12.2, 10.8, 13.1, 12.5, 11.4, 12.9]),
    ([float(n * n % 97) for n in range(40)], [float(n * n * n % 89) for n in range(31)]),
    ([0.001 * n for n in range(100)], [5.0 + n % 3 for n in range(30)]),
]
SHARES = [(48, 80, 56, 70), (3, 10, 9, 10), (0, 20, 10, 20), (5, 100, 9, 100), (20, 20, 20, 20)]

# Gained, lost, and of how many items.
CHANGES = [(0, 0, 100), (0, 10, 100), (12, 2, 50), (3, 9, 20), (7, 7, 30), (10, 0, 10), (61, 40, 300), (1, 5, 1000), (250, 330, 2000)]
CLUSTERED = [
    ([0.5, -0.25, 0.0, 1.0, 0.5, 0.25, -1.0, 0.75, 0.5, 0.25], [0, 0, 1, 2, 2, 2, 3, 4, 5, 6]),
    ([(n * n % 13 - 5) / 8 for n in range(1000)], [int(n**0.5) for n in range(1000)]),
    ([(n * n % 7 - 3) / 6 + 0.2 * (n // 4 % 3) for n in range(160)], [n // 4 for n in range(160)]),
]
DIFFERENCES = [[(n * n % 11 - 4) / 10 for n in range(30)], [float(n % 3 == 0) - float(n % 5 == 0) for n in range(200)]]
FLIPPED = [
    [0.31, -0.12, 0.45, 0.08, 0.22, -0.05, 0.6],
    [0.1, 0.35, -0.2, 0.05, -0.4, 0.3, 0.25, 0.15, -0.1, 0.5, 0.45, -0.02],
    [0.2, 0.31, -0.15, 0.04, -0.36, 0.27, 0.24, 0.11, -0.13, 0.41, 0.37, -0.03, 0.19, -0.22, 0.08],
]
# Parts of three people's answers for items, by cluster.
PREFERRED = [
    ([n * n % 4 / 3 for n in range(60)], [(3 - n * n % 4) * (n % 3) // 3 / 3 for n in range(60)], [n * 2 // 3 for n in range(60)]),
    ([n % 2 / 1 for n in range(45)], [float(n % 4 == 0) for n in range(45)], list(range(45))),
]
P_VALUES = [[0.04, 0.001, 0.03, 0.2, 0.012], [0.5], [0.02, 0.02, 0.9, 0.021], [0.9, 0.01, 0.95, 0.99]]


def tango(gained, lost, of, z):
    """The limits where the score test's statistic is z, of the likeliest part of lost items: statsmodels has no such interval."""

    def likeliest(difference):
        # The derivative of the log likelihood by the part of lost items; its root is between the ends of what is possible.
        kept = of - gained - lost
        low, high = max(0.0, -difference), (1 - difference) / 2

        def slope(part):
            parts = (part + difference, part, 1 - 2 * part - difference)
            gaining, losing, keeping = (max(part, 1e-300) for part in parts)
            return gained / gaining + lost / losing - 2 * kept / keeping

        inside = (high - low) * 1e-15
        ends = slope(low + inside), slope(high - inside)
        if ends[0] <= 0:
            return low
        return high if ends[1] >= 0 else brentq(slope, low + inside, high - inside, xtol=1e-16)

    def score(difference):
        variance = of * (2 * likeliest(difference) + difference * (1 - difference))
        return (gained - lost - of * difference) / variance**0.5

    observed = (gained - lost) / of
    low = -1.0 if gained - lost == -of else brentq(lambda d: score(d) - z, -1 + 1e-9, observed - 1e-9, xtol=1e-15)
    high = 1.0 if gained - lost == of else brentq(lambda d: score(d) + z, observed + 1e-9, 1 - 1e-9, xtol=1e-15)
    return [low, high]


def mid_p(gained, lost):
    fewer, changed = min(gained, lost), gained + lost
    return min(1.0, 2 * stats.binom.cdf(fewer, changed, 0.5) - stats.binom.pmf(fewer, changed, 0.5))


def clustered(differences, groups):
    fit = sm.OLS(differences, numpy.ones(len(differences))).fit(cov_type="cluster", cov_kwds={"groups": numpy.array(groups)}, use_t=True)
    ends = interval(fit.conf_int(0.05)[0])
    return {"differences": differences, "groups": groups, "error": float(fit.bse[0]), "ends": ends, "p": float(fit.pvalues[0])}


def student(differences):
    found = stats.ttest_1samp(differences, 0)
    return {"differences": differences, "ends": interval(found.confidence_interval(0.95)), "p": float(found.pvalue)}


def sign_flip(differences):
    """The p-value of all choices of signs, and between which two means, found by halving, it is above 0.05."""

    def p_value(mean, alternative="two-sided"):
        moved = numpy.array(differences) - mean
        found = stats.permutation_test((moved,), numpy.mean, permutation_type="samples", n_resamples=numpy.inf, alternative=alternative, vectorized=True)
        return float(found.pvalue)

    def end(inside, outside, alternative):
        for _ in range(40):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if p_value(middle, alternative) > 0.025 else (inside, middle)
        return outside

    mean = float(numpy.mean(differences))
    ends = [end(mean, min(differences), "greater"), end(mean, max(differences), "less")]
    return {"differences": differences, "p": p_value(0), "ends": ends}


def win_rate(won, lost, groups):
    """Of parts of answers, ties as halves: the clustered mean, its interval, and the test of one half."""
    shares = [(1 + gained - missed) / 2 for gained, missed in zip(won, lost)]
    fit = sm.OLS(shares, numpy.ones(len(shares))).fit(cov_type="cluster", cov_kwds={"groups": numpy.array(groups)}, use_t=True)
    found = {"value": float(fit.params[0]), "ends": interval(fit.conf_int(0.05)[0]), "p": float(fit.t_test("const = 0.5").pvalue)}
    return {"won": won, "lost": lost, "groups": groups, **found}


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
            "tango": [[*c, tail, *tango(*c, stats.norm.isf(tail))] for c in CHANGES for tail in (0.025, 0.05)],
            "midP": [[b, c, mid_p(b, c)] for b, c, _ in CHANGES],
            "exactP": [[b, c, stats.binomtest(b, b + c).pvalue if b + c else 1.0] for b, c, _ in CHANGES],
            "clustered": [clustered(d, g) for d, g in CLUSTERED],
            "student30": [student(d) for d in DIFFERENCES],
            "signFlip": [sign_flip(d) for d in FLIPPED],
            "holm": [[p, list(multipletests(p, method="holm")[1])] for p in P_VALUES],
            "benjaminiHochberg": [[p, list(multipletests(p, method="fdr_bh")[1])] for p in P_VALUES],
            "mean": [[a, *interval(stats.ttest_1samp(a, 0).confidence_interval(0.95))] for a, _ in NUMBERS],
            "winRate": [win_rate(*p) for p in PREFERRED],
            "welch": [[a, b, *interval(stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95))] for a, b in NUMBERS],
        },
        indent=1,
    )
)
