from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_VERDICTS = {"too_few": "too few to tell", "same": "the same"}
# Of what runs took.
_UNITS = {"cost": " ($)", "duration": " (s)"}
_NOT_TOLD = frozenset({"too_few", "unclear"})


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """What an experiment found; printed, it is a table."""

    experiment: dict[str, Any]
    """As the API tells it."""
    url: str
    runs: list[dict[str, Any]]
    """Every run with its output and its scores, those of the checks included."""
    comparison: dict[str, Any] | None
    """As the API tells it."""
    note: str | None = None
    """Why there is no comparison."""

    @property
    def experiment_id(self) -> str:
        return str(self.experiment["id"])

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Each score with its mean and, beside a baseline, the difference."""
        return [] if self.comparison is None else list(self.comparison["scores"])

    def __str__(self) -> str:
        experiment, runs = self.experiment, self.experiment["runs"]
        shape = f"version {experiment['dataset_version']} · {experiment['items']} items × {experiment['repetitions']}"
        counts = ", ".join(f"{runs[name]} {name}" for name in ("succeeded", "failed", "missing") if runs[name])
        head = f"{experiment['dataset']}, {shape} · {counts or 'no runs'} · {experiment['state']}"
        notes = [self.note] if self.note else [] if self.comparison is None else self.comparison.get("notes", [])
        return "\n".join([head, *self._table(), *notes, self.url])

    def _table(self) -> list[str]:
        baseline = self.comparison["baseline"] if self.comparison else []
        against = f"Δ {baseline[0]['branch'] or baseline[0]['name']}" if baseline else "Δ"
        rows = [["score", "mean", "95 %", against, "95 %", "verdict"]]
        for score in self.scores:
            found, difference = score["candidate"], score["difference"]
            missing = f" ({found['missing']} missing)" if found["missing"] else ""
            row = [
                score["name"] + _UNITS.get(score["name"], "") * (score["source"] == "run"),
                f"{_number(found['mean'])}{missing}",
                _interval(found),
            ]
            if difference is None:
                row += ["–", "", "no item that both have"]
            else:
                row += [_number(difference["value"], "+"), _interval(difference), _verdict(difference)]
            rows.append(row)
        rows = rows if baseline else [row[:3] for row in rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [*lines, *([] if baseline else ["There is no baseline."])] if self.scores else []


def _verdict(difference: dict[str, Any]) -> str:
    verdict, needed = difference["verdict"], difference["items_needed"]
    more = f" ({difference['items']} items; about {needed} would tell)" if verdict in _NOT_TOLD and needed else ""
    return f"{_VERDICTS.get(verdict, verdict)}{more}"


def _interval(found: dict[str, Any]) -> str:
    return "" if found["low"] is None else f"{_number(found['low'])} to {_number(found['high'])}"


def _number(value: float | None, sign: str = "-") -> str:
    if value is None:
        return "–"
    # What a run costs is small.
    digits = ".3g" if 0 < abs(value) < 0.001 else ".3f" if abs(value) < 1000 else ",.0f"
    return f"{value:{sign}{digits}}"
