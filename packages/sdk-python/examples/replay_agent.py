"""`python replay_agent.py` records an agent's trace and prints its id; `python replay_agent.py <id>` runs it again without a
network, from what was recorded."""

import sys

from openai import OpenAI

import sightline

sightline.initialize_redis_publisher().wait()
sightline.wrap_llm_adapter()
client = sightline.wrap_openai(OpenAI())


@sightline.trace_tool()
def find_stock(what: str) -> dict[str, int]:
    return {what: 3}


def answer(question: str) -> str | None:
    content = f"{question} In stock: {find_stock('mugs')}"
    said = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": content}])
    return said.choices[0].message.content


if len(sys.argv) > 1:
    print(sightline.replay(sys.argv[1], answer))
else:
    asked = "How many mugs are there?"
    with sightline.trace("shop", input=asked) as run:
        print(run.trace_id)
        run.output = answer(asked)

sightline.close_redis_publisher().wait()
