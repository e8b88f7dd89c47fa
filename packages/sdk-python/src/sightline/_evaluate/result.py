from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

_VERDICTS = {"too_few": "too few to tell", "unclear": "unclear", "same": "the same", "better": "better", "worse": "worse"}
_NOT_TOLD = frozenset({"too_few", "unclear"})


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """What an experiment found; printed, it is a table."""

    experiment: dict[str, Any]
    """As the API tells it."""
    url: str
    scores: list[dict[str, Any]]
    """Each score with its mean and, beside a baseline, the difference, as the API's comparison has it."""
    runs: list[dict[str, Any]]
    """Every run with its output and its scores, those of the checks included."""
    comparison: dict[str, Any] | None
    note: str | None = None
    """Why there is no comparison."""

    @property
    def experiment_id(self) -> str:
        return str(self.experiment["id"])

    def __str__(self) -> str:
        experiment, runs = self.experiment, self.experiment["runs"]
        counts = ", ".join(
            f"{runs[name]} {name}" for name in ("succeeded", "failed", "missing") if runs[name] or name == "succeeded"
        )
        shape = f"{experiment['items']} items × {experiment['repetitions']}"
        head = f"{experiment['dataset']}, version {experiment['dataset_version']} · {shape} · {counts} · {experiment['state']}"
        baseline = self.comparison["baseline"] if self.comparison else []
        against = baseline[0]["branch"] or baseline[0]["name"] if baseline else None
        notes = [self.note] if self.note else []
        if self.comparison and self.comparison["scores"] and not baseline:
            notes.append("There was no baseline to compare with.")
        return "\n".join([head, *_table(self.scores, against), *notes, self.url])


def summarize_runs(runs: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The means of scores, over items of their mean over repetitions, where the platform compares nothing."""
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    missing: dict[tuple[str, str], int] = {}
    for run in runs:
        for score in run["scores"]:
            key = (score["name"], score["source"])
            by_item = values.setdefault(key, {})
            if score["value"] is None:
                missing[key] = missing.get(key, 0) + 1
            else:
                by_item.setdefault(run["item_id"], []).append(float(score["value"]))
    return [
        {
            "name": name,
            "source": source,
            "candidate": {
                "mean": fmean(fmean(each) for each in items.values()) if items else None,
                "low": None,
                "high": None,
                "items": len(items),
                "missing": missing.get((name, source), 0),
            },
            "baseline": None,
            "difference": None,
        }
        for (name, source), items in values.items()
    ]


def _table(scores: Sequence[dict[str, Any]], against: str | None) -> list[str]:
    if not scores:
        return ["no scores"]
    head = ["score", "mean", "95 %"] + ([f"Δ {against}", "95 %", "verdict"] if against is not None else [])
    rows = [head]
    for score in scores:
        found, difference = score["candidate"], score["difference"]
        missing = f" ({found['missing']} missing)" if found["missing"] else ""
        row = [score["name"], f"{_number(found['mean'])}{missing}", _interval(found)]
        if against is not None and difference is None:
            row += ["–", "", "no item that both have"]
        elif against is not None:
            row += [_number(difference["value"], "+"), _interval(difference), _verdict(difference)]
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _verdict(difference: dict[str, Any]) -> str:
    verdict, needed = difference["verdict"], difference["items_needed"]
    more = f" ({difference['items']} items; about {needed} would tell)" if verdict in _NOT_TOLD and needed else ""
    return f"{_VERDICTS.get(verdict, verdict)}{more}"


def _interval(found: dict[str, Any]) -> str:
    return "" if found["low"] is None else f"{_number(found['low'])} to {_number(found['high'])}"


def _number(value: float | None, sign: str = "-") -> str:
    if value is None:
        return "–"
    return f"{value:{sign}.3f}" if abs(value) < 1000 else f"{value:{sign}.4g}"
