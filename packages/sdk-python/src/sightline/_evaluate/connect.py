from __future__ import annotations

import os

from sightline._client.state import state
from sightline._evaluate.api import Answer, Api
from sightline._evaluate.errors import RefusedError
from sightline._evaluate.plan import Scoring
from sightline._evaluate.result import EvaluationResult


def connect(plan: Scoring) -> Api:
    """Traces go to the publisher's project, so that is the experiment's."""
    project_id = "" if state.publisher is None else state.publisher.settings.project_id
    return Api(plan.api_url, plan.api_key, plan.project_id or project_id)


def read_result(api: Api, plan: Scoring, experiment: Answer) -> EvaluationResult:
    comparison, note, path = None, None, f"/experiments/{experiment['id']}"
    try:
        comparison = api.get(f"{path}/comparison", baseline=plan.baseline, margin=plan.margin)
    except RefusedError as refusal:
        note = f"The platform compared nothing: {refusal}"
    known = "" if state.publisher is None else state.publisher.settings.console_url
    console = (plan.console_url or known or os.environ.get("OBS_CONSOLE_URL", "")).rstrip("/")
    url = f"{console}/projects/{api.project_id}{path}" if console else api.address(path)
    return EvaluationResult(experiment, url, list(api.pages(f"{path}/runs")), comparison, note)
