"""A server that answers as OpenAI's and Anthropic's do, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT: dict[str, Any] = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-x-2026",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hello", "reasoning_content": "Greet back."},
        }
    ],
    "usage": {
        "prompt_tokens": 20,
        "completion_tokens": 4,
        "total_tokens": 24,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 2},
    },
}
RESPONSE: dict[str, Any] = {
    "id": "r1",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "model": "gpt-x-2026",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {"id": "rs1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Think."}]},
        {"id": "f1", "type": "function_call", "name": "search", "call_id": "x", "arguments": "{}", "status": "completed"},
        {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
        },
    ],
    "usage": {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens_details": {"reasoning_tokens": 1},
    },
}
MESSAGE: dict[str, Any] = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x-2026",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "content": [
        {"type": "thinking", "thinking": "Let me see.", "signature": "s"},
        {"type": "text", "text": "Looking"},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "cats"}},
    ],
    "usage": {"input_tokens": 10, "output_tokens": 7, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 5},
}


def _chat_chunk(**more: Any) -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x-2026", "choices": [], **more}


def _choice(finish_reason: str | None = None, **delta: Any) -> list[dict[str, Any]]:
    return [{"index": 0, "delta": delta, "finish_reason": finish_reason}]


CHAT_STREAM: list[dict[str, Any]] = [
    _chat_chunk(choices=_choice(role="assistant", content="")),
    _chat_chunk(choices=_choice(content="Hel")),
    _chat_chunk(choices=_choice(content="lo")),
    _chat_chunk(choices=_choice(tool_calls=[{"index": 0, "id": "t1", "type": "function", "function": {"name": "search"}}])),
    _chat_chunk(choices=_choice(tool_calls=[{"index": 0, "function": {"arguments": '{"q":1}'}}])),
    _chat_chunk(choices=_choice("tool_calls")),
    _chat_chunk(usage=CHAT["usage"]),
]
_PLACE = {"item_id": "m1", "output_index": 0}
_ITEM = {"id": "m1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
_PART = {"type": "output_text", "text": "", "annotations": []}
RESPONSE_STREAM: list[dict[str, Any]] = [
    {"type": "response.created", "sequence_number": 0, "response": {**RESPONSE, "status": "in_progress", "output": []}},
    {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": _ITEM},
    {"type": "response.content_part.added", "sequence_number": 2, **_PLACE, "content_index": 0, "part": _PART},
    {"type": "response.output_text.delta", "sequence_number": 3, **_PLACE, "content_index": 0, "delta": "Hi", "logprobs": []},
    {"type": "response.completed", "sequence_number": 4, "response": RESPONSE},
]
_BEGUN = {**MESSAGE, "content": [], "stop_reason": None, "usage": {**MESSAGE["usage"], "output_tokens": 1}}
MESSAGE_STREAM: list[dict[str, Any]] = [
    {"type": "message_start", "message": _BEGUN},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me see."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Looking"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t1", "name": "search", "input": {}}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"q": "cats"}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]  # fmt: skip
EMBEDDING = {
    "object": "list",
    "model": "embed-x",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.1]}],
    "usage": {"prompt_tokens": 3, "total_tokens": 3},
}

_ANSWERS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "/chat/completions": (CHAT, CHAT_STREAM),
    "/responses": (RESPONSE, RESPONSE_STREAM),
    "/embeddings": (EMBEDDING, []),
    "/v1/messages": (MESSAGE, MESSAGE_STREAM),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer, chunks = _ANSWERS[self.path.partition("?")[0]]
        if request["model"] == "failing":
            self._send(400, "application/json", json.dumps({"error": {"message": "no such model", "type": "x"}}))
        elif request.get("stream"):
            lines = [f"event: {chunk.get('type', 'message')}\ndata: {json.dumps(chunk)}\n\n" for chunk in chunks]
            end = "data: [DONE]\n\n" if chunks is CHAT_STREAM else ""
            self._send(200, "text/event-stream", "".join(lines) + end)
        else:
            self._send(200, "application/json", json.dumps(answer))

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


@contextmanager
def model_server() -> Iterator[str]:
    """Its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
