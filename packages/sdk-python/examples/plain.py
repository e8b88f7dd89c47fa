"""Plain Python: traces, observations, tools and scores, by decorators or `with`."""

from sightline import close_redis_publisher, initialize_redis_publisher, observe, score, trace, trace_tool

# The address and the project come from OBS_REDIS_URL and OBS_PROJECT_ID.
print(initialize_redis_publisher(verify_consumer=True).wait())


@observe(kind="retriever")
def find_documents(question: str) -> list[str]:
    return [f"a page about {question}"]


@trace_tool()
def query_orders(customer: int) -> list[dict[str, int]]:
    return [{"order": 42, "customer": customer}]


with trace("answer-question", thread_id="t-1", user_id="u-9", input="parcels") as run:
    documents = find_documents("parcels")
    orders = query_orders(customer=9)
    run.output = f"{len(documents)} page, {len(orders)} order"
    score("helpfulness", 1, comment="thumbs up")

close_redis_publisher().wait()
