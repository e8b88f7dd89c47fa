"""Celery: set up once in the parent; every worker process is a producer of its own, and sends what is left when it ends.

celery -A celery_worker worker --concurrency 2
"""

import os

from celery import Celery

from sightline import initialize_redis_publisher, observe, trace

initialize_redis_publisher()
app = Celery("example", broker=os.environ.get("BROKER_URL", "memory://"))


@observe()
def work(number: int) -> int:
    return number * number


@app.task  # type: ignore[untyped-decorator]
def square(number: int) -> int:
    with trace("square", input=number) as run:
        run.output = work(number)
    return int(run.output)
