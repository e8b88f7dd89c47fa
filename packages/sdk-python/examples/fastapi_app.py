"""FastAPI: a publisher for the time the application lives, a trace for each question, and its metrics for Prometheus.

uvicorn fastapi_app:app --workers 2    # each worker is a producer of its own
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Response

from sightline import close_redis_publisher, initialize_redis_publisher, metrics_text, observe, trace


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    await initialize_redis_publisher()
    yield
    await close_redis_publisher()


app = FastAPI(lifespan=lifespan)


@observe()
async def answer(question: str) -> str:
    return f"nobody knows about {question}"


@app.get("/ask")
async def ask(question: str, user: str = "anonymous") -> dict[str, str]:
    with trace("ask", user_id=user, input=question) as run:
        run.output = {"answer": await answer(question)}
    return run.output  # type: ignore[no-any-return]


@app.get("/metrics")
def metrics() -> Response:
    return Response(metrics_text(), media_type="text/plain; version=0.0.4")
