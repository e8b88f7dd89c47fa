from __future__ import annotations


class EvaluationError(Exception):
    """An evaluation that can't begin, go on or be told; the message says what to do."""


class RefusedError(EvaluationError):
    """The platform refused a request."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
