from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.callbacks.manager import BaseRunManager
from langchain_core.runnables.config import var_child_runnable_config

from sightline._capture.loose_values import quietly, read
from sightline._capture.recorder import Outcome, note_first_token, record_resume
from sightline._client.state import ActiveSpan, state
from sightline._langgraph.model_call import has_streamed_content, read_model_result, requested_model
from sightline._langgraph.run_end import close_run, error_outcome
from sightline._langgraph.run_records import RunRecord, end_run, find_run, find_running
from sightline._langgraph.run_start import RunStart, TracedGraph, note_own_graph, open_run
from sightline._langgraph.running_graph import find_starting_graph
from sightline._langgraph.tool_call import read_tool_result, tool_parameters

if TYPE_CHECKING:
    from langgraph.callbacks import GraphCallbackHandler as HandlerBase
else:
    try:
        from langgraph.callbacks import GraphCallbackHandler as HandlerBase
    except ImportError:
        HandlerBase = BaseCallbackHandler


def create_run_handler(own: TracedGraph) -> BaseCallbackHandler:
    """Turns the framework's callbacks into events."""
    if state.framework_span is None:
        state.framework_span = _framework_span
    return RunHandler(own)


def _framework_span() -> ActiveSpan | None:
    """The run whose code is running, as LangChain's own context knows it."""
    config = var_child_runnable_config.get()
    callbacks = None if config is None else config.get("callbacks")
    if callbacks is None:
        return None
    run_id = callbacks.run_id if isinstance(callbacks, BaseRunManager) else getattr(callbacks, "parent_run_id", None)
    record = find_run(run_id)
    return None if record is None else ActiveSpan(record.trace_id, record.parent_id, str(record.run_id))


class RunHandler(HandlerBase):
    """Every body is synchronous and runs in place, so an event's time and content are those of its moment."""

    run_inline = True
    name = "sightline"

    def __init__(self, own: TracedGraph) -> None:
        self._own = own

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        graph = quietly(find_starting_graph) if state.publisher is not None else None
        self._start("chain", serialized, inputs, run_id, parent_run_id, more, graph=graph)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_more: Any) -> None:
        self._end(run_id, Outcome("success", output=outputs))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_more: Any) -> None:
        self._fail(run_id, error)

    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        call = more.get("tool_call_id")
        attributes = {} if call is None else {"tool_call_id": call}
        given = tool_parameters(input_str, more.get("inputs"))
        self._start("tool", serialized, given, run_id, parent_run_id, more, attributes=attributes)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_more: Any) -> None:
        result, failed = read_tool_result(output)
        attributes = {} if read(output, "artifact") is None else {"returned": "artifact"}
        self._end(run_id, Outcome("failure" if failed else "success", output=result, attributes=attributes))

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_more: Any) -> None:
        self._fail(run_id, error)

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        self._start_model(serialized, messages, run_id, parent_run_id, more)

    def on_llm_start(
        self, serialized: Any, prompts: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        self._start_model(serialized, prompts, run_id, parent_run_id, more)

    def on_llm_new_token(self, token: Any, *, run_id: UUID, chunk: Any = None, **_more: Any) -> None:
        record = find_running(run_id)
        if record is not None and record.observation is not None and quietly(lambda: has_streamed_content(token, chunk)):
            note_first_token(record.observation)

    def on_llm_end(self, response: Any, *, run_id: UUID, **_more: Any) -> None:
        result = quietly(lambda: read_model_result(response))
        outcome = Outcome("success")
        if result is not None:
            outcome.model, outcome.usage = result.model, result.usage
            if state.capture_prompts:
                outcome.output, outcome.reasoning = result.response, result.reasoning
        self._end(run_id, outcome)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_more: Any) -> None:
        self._fail(run_id, error)

    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        self._start("retriever", serialized, {"query": query}, run_id, parent_run_id, more)

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **_more: Any) -> None:
        self._end(run_id, Outcome("success", output=documents))

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_more: Any) -> None:
        self._fail(run_id, error)

    def on_interrupt(self, event: Any) -> None:
        record = find_run(event.run_id)
        if record is not None:
            record.interrupts = list(event.interrupts)
            record.paused_at = event.checkpoint_id

    def on_resume(self, event: Any) -> None:
        record = find_run(event.run_id)
        if record is not None:
            record.is_entered = True
            if record.role == "trace":
                record_resume(record.trace_id, event.checkpoint_id)

    def _start_model(
        self, serialized: Any, prompts: Any, run_id: UUID, parent_run_id: UUID | None, more: Mapping[str, Any]
    ) -> None:
        model = requested_model(more.get("metadata") or {}, more.get("invocation_params"))
        given = prompts[0] if state.capture_prompts and prompts else None
        self._start("model", serialized, given, run_id, parent_run_id, more, model=model, messages=prompts)

    def _start(
        self,
        kind: Any,
        serialized: Any,
        given: Any,
        run_id: UUID,
        parent_run_id: UUID | None,
        more: Mapping[str, Any],
        *,
        graph: Any = None,
        model: str | None = None,
        messages: Any = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        if state.publisher is None:
            return
        start = RunStart(
            run_id=run_id,
            parent_run_id=parent_run_id,
            kind=kind,
            name=str(more.get("name") or _serialized_name(serialized)),
            tags=more.get("tags") or (),
            metadata=more.get("metadata") or {},
            input=given,
            messages=messages,
            graph=graph,
            model=model,
            attributes=attributes or {},
        )
        quietly(lambda: self._open(start))

    def _open(self, start: RunStart) -> None:
        """A handler of an outer graph may have recorded the run already; then it is only noted whose graph it is."""
        record = find_running(start.run_id) or open_run(start, self._own)
        if (
            record is not None
            and record.role == "graph"
            and record.graph_hash is None
            and record.structure is self._own.structure
        ):
            note_own_graph(record, self._own)

    def _end(self, run_id: UUID, outcome: Outcome, command: Any = None) -> None:
        record: RunRecord | None = end_run(run_id)
        if record is not None:
            ended = record
            quietly(lambda: close_run(ended, outcome, command))

    def _fail(self, run_id: UUID, error: BaseException) -> None:
        outcome, command = error_outcome(error)
        self._end(run_id, outcome, command)


def _serialized_name(serialized: Any) -> str:
    name = read(serialized, "name")
    if isinstance(name, str):
        return name
    path = read(serialized, "id")
    return str(path[-1]) if isinstance(path, list) and path else "run"
