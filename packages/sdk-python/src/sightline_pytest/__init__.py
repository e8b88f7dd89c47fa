"""Items of a dataset as tests of pytest, which loads this by itself. Apart from `sightline`, so that others load nothing.

@pytest.mark.sightline("refunds", evaluators=[exact], repetitions=3, baseline="main")
def test_refunds(input, agent):
    return agent.invoke(input)
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

# By test function, and what else it is parametrized with.
_RESULTS = pytest.StashKey[dict[str, Any]]()
_HELP = (
    "sightline(dataset, evaluators, ...): each item is a test, whose function gives what the agent gives; as sightline.evaluate"
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _HELP)
    config.stash[_RESULTS] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("sightline")
    if mark is None:
        return
    from sightline._evaluate.errors import EvaluationError
    from sightline._evaluate.item_tests import list_item_tests

    tests: list[Any]
    try:
        if hasattr(metafunc.config, "workerinput"):
            raise EvaluationError("Items of a dataset run at the same time by themselves: run them without -n.")
        tests = list(list_item_tests(_plan(metafunc.function, mark)))
    except EvaluationError as error:
        # A test that fails stops no other, as an error while they are collected would.
        tests = [error]
    metafunc.parametrize("input", tests, ids=[getattr(each, "title", "items") for each in tests])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    mark = pyfuncitem.get_closest_marker("sightline")
    if mark is None:
        return None
    from sightline._evaluate.item_tests import find_fault

    test: Any = pyfuncitem.funcargs["input"]
    results, key = pyfuncitem.config.stash[_RESULTS], _key(pyfuncitem)
    if key not in results:
        try:
            results[key] = test if isinstance(test, Exception) else _evaluate(pyfuncitem, mark)
        except Exception as error:
            results[key] = error
    result = results[key]
    if isinstance(result, Exception):
        pytest.fail(f"{type(result).__name__}: {result}", pytrace=False)
    runs = {(run["item_id"], run["repetition"]): run for run in result.runs}
    fault = find_fault(runs.get((test.item_id, test.repetition)), test.is_required, result.experiment["evaluators"])
    if fault is not None and test.is_required:
        pytest.fail(f"a required item failed: {fault}", pytrace=False)
    if fault is not None:
        pytest.xfail(f"left to the gate: {fault}")
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for key, result in config.stash[_RESULTS].items():
        if not isinstance(result, Exception):
            terminalreporter.section(key)
            terminalreporter.line(str(result))


def _evaluate(item: pytest.Function, mark: pytest.Mark) -> Any:
    """All that were chosen run as one experiment, with the fixtures of the first."""
    from sightline._evaluate.evaluation import Evaluation

    function, names = item.obj, inspect.signature(item.obj).parameters.keys() - {"input"}
    fixtures = {name: item.funcargs[name] for name in names & item.funcargs.keys()}
    siblings = [each for each in item.session.items if isinstance(each, pytest.Function) and _key(each) == _key(item)]
    tests: list[Any] = [each.callspec.params["input"] for each in siblings]
    chosen = {(test.item_id, test.repetition) for test in tests}

    def task(given: Any) -> Any:
        return function(input=given, **fixtures)

    task.__name__ = getattr(item, "originalname", None) or item.name
    evaluation = Evaluation(_plan(task, mark), lambda turn: (turn.item["id"], turn.repetition) in chosen)
    return asyncio.run(evaluation.run())


def _plan(task: Any, mark: pytest.Mark) -> Any:
    from sightline._evaluate.plan import Plan

    return Plan(task, *mark.args, **mark.kwargs)


def _key(item: pytest.Function) -> str:
    callspec = getattr(item, "callspec", None)
    test = None if callspec is None else callspec.params.get("input")
    return item.nodeid.replace(getattr(test, "title", "items"), "*")
