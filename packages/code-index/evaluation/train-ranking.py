"""Trains the models that rank search results, and says by cross-validation over repositories what they are worth.

    pip install lightgbm==4.6.0 numpy
    npm run eval -- --captured FOLDER --features features.tsv repository.git …
    python3 train-ranking.py features.tsv --write

The model that is shipped learns from all repositories, since more of them make it better. So it can't be judged by them: two more learn
from half of them each, and `npm run eval` ranks every repository by the one that has not seen it (held-out-model.ts). Deterministic
for the same table and library. Method: LambdaMART (Burges, 2010) on top of the legs' fused score and the kind of the file, with monotone constraints, so that
nothing that speaks for a place can lower it.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import lightgbm
import numpy

HERE = Path(__file__).parent
SHIPPED = HERE / "../retrieval/ranking/ranking-model.json"
HALVES = [HERE / "models/half-1.json", HERE / "models/half-2.json"]
ABOUT = ["repository", "language", "family", "within", "query", "by_file", "targets", "target", "file", "base", "commits"]
# Neither better nor worse when greater; all others are better.
NEITHER = {"lines", "definitions", "is_first", "file_places", "place_in_file", "is_header", "terms", "is_name", "is_prose", "is_report", "depth", "changes"}
LIKENESS = ["likeness", "likeness_above", "file_likeness"]
HISTORY = ["changes"]
BLIND_WEIGHT = 0.3
# What the decisions on a feature count in the model that is written, for what it was trained to be: chosen on questions for files, of
# repositories that no model has learned from (docs/benchmarks/2026-11-28.md).
TEMPERED = {
    **dict.fromkeys(["file_best", "file_sum", "file_fused", "file_words", "file_places", "place_in_file"], 0.6),
    **dict.fromkeys(["path_words", "file_name_words", "folder_words", "file_name_said", "file_name_rare"], 1.25),
}
PARAMETERS = {
    "objective": "lambdarank",
    "learning_rate": 0.05,
    "num_leaves": 12,
    "min_data_in_leaf": 200,
    "lambda_l2": 5,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambdarank_truncation_level": 15,
    "use_missing": False,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
# Every kind of question counts the same, however many there are; names of which nearly all are answered count less.
FAMILY_WEIGHTS = {"symbol": 0.5, "split name": 0.5, "name": 0.7}
GAINS = 1 / numpy.log2(numpy.arange(2, 12))


class Table:
    """Candidates by row; `queries` are (first row, row behind the last)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            names = file.readline().rstrip("\n").split("\t")
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.features = names[len(ABOUT):]
        about = {name: numpy.array([row[index] for row in rows]) for index, name in enumerate(ABOUT)}
        self.values = numpy.array([row[len(ABOUT):] for row in rows], dtype=numpy.float32)
        self.repository, self.language, self.family = about["repository"], about["language"], about["family"]
        self.target, self.file = about["target"].astype(int), about["file"].astype(int)
        self.targets, self.by_file, self.within = (about[name].astype(int) for name in ("targets", "by_file", "within"))
        query = about["query"]
        starts = numpy.flatnonzero(numpy.r_[True, query[1:] != query[:-1]])
        self.queries = list(zip(starts, numpy.r_[starts[1:], len(query)]))
        self.base, self.commits = about["base"].astype(float), about["commits"].astype(float)

    def halves(self):
        """By language and name, in turn (as in print-tables.ts)."""
        sorted_names = sorted(set(zip(self.language, self.repository)), key=lambda pair: f"{pair[0]} {pair[1].lower()}")
        return [{name for _, name in sorted_names[half::2]} for half in (0, 1)]


def labels(table):
    """1 for what is right; of a file that is looked for only its best place, so that the others make room for other files."""
    right = (table.target >= 0).astype(int)
    for begin, end in table.queries:
        if table.by_file[begin]:
            best = {}
            for row in range(begin, end):
                if right[row] and (table.file[row] not in best or table.base[row] > table.base[best[table.file[row]]]):
                    best[table.file[row]] = row
            right[begin:end] = 0
            right[list(best.values())] = 1
    return right


def train(table, right, queries, rounds):
    rows = numpy.concatenate([numpy.arange(begin, end) for begin, end in queries])
    counts = defaultdict(int)
    for begin, _ in queries:
        counts[table.family[begin]] += 1
    average = len(queries) / len(counts)
    weights = numpy.concatenate([
        numpy.full(end - begin, FAMILY_WEIGHTS.get(table.family[begin], 1) * average / counts[table.family[begin]]) for begin, end in queries
    ])
    groups = [end - begin for begin, end in queries]
    values, base = table.values[rows], table.base[rows]

    def without(names):
        blind = values.copy()
        blind[:, [table.features.index(name) for name in names]] = 0
        return blind

    # Every query once more as where there are no vectors, or not yet, and as where no history is known: else such searches would be
    # ordered by what they can't know.
    data = lightgbm.Dataset(
        numpy.concatenate([values, without(LIKENESS), without(HISTORY)]),
        label=numpy.tile(right[rows], 3),
        group=groups * 3,
        init_score=numpy.concatenate([base, base, base - table.commits[rows]]),
        weight=numpy.concatenate([weights, weights * BLIND_WEIGHT, weights * BLIND_WEIGHT]),
    )
    constraints = [0 if name in NEITHER else 1 for name in table.features]
    return lightgbm.train({**PARAMETERS, "monotone_constraints": constraints}, data, rounds)


def judge(table, scores, queries, further):
    """Means by family: NDCG@10, of reports how often a right file is first and among the first five."""
    found = defaultdict(list)
    for begin, end in queries:
        own, files = scores[begin:end], table.file[begin:end]
        order = numpy.argsort(-own, kind="stable")
        seen, worth = set(), numpy.exp(own)
        for row in order:
            worth[row] *= further if files[row] in seen else 1
            seen.add(files[row])
        order = numpy.argsort(-worth, kind="stable")
        targets = table.target[begin:end]
        if table.by_file[begin]:
            _, first = numpy.unique(files[order], return_index=True)
            order = order[numpy.sort(first)]
        seen, gain = set(), 0.0
        for rank, row in enumerate(order[:10]):
            if targets[row] >= 0 and targets[row] not in seen:
                seen.add(targets[row])
                gain += GAINS[rank]
        name = table.family[begin] + (" (path)" if table.within[begin] else "")
        found[name].append(min(1, gain / GAINS[: min(10, table.targets[begin])].sum()))
        if table.family[begin] == "report":
            found["report, first"].append(float(targets[order[0]] >= 0))
            found["report, of five"].append(float((targets[order[:5]] >= 0).any()))
    return {name: float(numpy.mean(values)) for name, values in found.items()}


def show(title, means):
    print(f"{title:26s}" + "  ".join(f"{name} {value:.3f}" for name, value in sorted(means.items())), flush=True)


def write(table, right, repositories, rounds, file):
    """Trains a model on these repositories and writes it as ranking-model.ts reads it."""
    model = train(table, right, [query for query in table.queries if table.repository[query[0]] in repositories], rounds)
    written = {"learned_from": sorted(repositories), "features": table.features, "trees": trees_of(model, table.features)}
    file.write_text(json.dumps(written, separators=(",", ":")) + "\n", encoding="utf-8")
    gains = sorted(zip(model.feature_importance("gain"), table.features), reverse=True)
    total = sum(gain for gain, _ in gains) or 1
    print(f"{file.name}, {len(repositories)} repositories; gains: " + ", ".join(f"{name} {gain / total:.3f}" for gain, name in gains))


def trees_of(model, names):

    def value(node):
        return node["leaf_value"] if "leaf_value" in node else node["internal_value"]

    def flatten(tree):
        nodes, leaves = [], []

        def place(node, worth):
            if "leaf_value" in node:
                leaves.append(round(worth, 5))
                return -len(leaves)
            index = len(nodes)
            nodes.append(None)
            weight = TEMPERED.get(names[node["split_feature"]], 1)
            children = [node["left_child"], node["right_child"]]
            left, right = (place(child, worth + weight * (value(child) - value(node))) for child in children)
            nodes[index] = (node["split_feature"], round(node["threshold"], 5), left, right, round(worth, 5))
            return index

        place(tree, value(tree))
        features, thresholds, left, right, means = (list(column) for column in zip(*nodes))
        return {"features": features, "thresholds": thresholds, "left": left, "right": right, "means": means, "leaves": leaves}

    dumped = model.dump_model()["tree_info"]
    return [flatten(tree["tree_structure"]) for tree in dumped if "left_child" in tree["tree_structure"]]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("table")
    options.add_argument("--rounds", type=int, default=200, help="trees (200)")
    options.add_argument("--folds", type=int, default=5, help="folds of the cross-validation (5); 0 for none")
    options.add_argument("--further", type=float, default=0.5, help="what every further place of a file is worth (0.5, as in rank.ts)")
    options.add_argument("--write", action="store_true", help="write the three models")
    given = options.parse_args()
    table = Table(given.table)
    right = labels(table)
    show("fused, by kind", judge(table, table.base, table.queries, given.further))
    scores = numpy.zeros(len(table.values))
    names = sorted(set(table.repository))
    for fold in range(given.folds):
        held = set(names[fold :: given.folds])
        model = train(table, right, [query for query in table.queries if table.repository[query[0]] not in held], given.rounds)
        for begin, end in table.queries:
            if table.repository[begin] in held:
                scores[begin:end] = model.predict(table.values[begin:end]) + table.base[begin:end]
    if given.folds > 0:
        show(f"{given.folds} folds of repositories", judge(table, scores, table.queries, given.further))
    if given.write:
        halves = table.halves()
        for repositories, file in zip([set().union(*halves), *halves], [SHIPPED, *HALVES]):
            write(table, right, repositories, given.rounds, file)


main()
