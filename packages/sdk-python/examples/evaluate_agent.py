"""An agent is run over a dataset where it lives; its scores are compared with those of the main branch."""

import sightline

# Addresses, project and key come from OBS_API_URL, OBS_API_KEY, OBS_PROJECT_ID and OBS_REDIS_URL.
sightline.initialize_redis_publisher().wait()


@sightline.trace_tool()
def find_order(number: int) -> dict[str, object]:
    return {"number": number, "is_paid": number != 3}


def answer(question: dict[str, int]) -> str:
    return "refunded" if find_order(question["order"])["is_paid"] else "ask again"


def exact_match(output: str, expected: str) -> bool:
    return output == expected


result = sightline.evaluate(answer, dataset="refunds", evaluators=[exact_match], repetitions=3, baseline="main")
print(result)
