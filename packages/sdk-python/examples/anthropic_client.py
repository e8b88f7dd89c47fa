"""Anthropic's client, here the asynchronous one. ANTHROPIC_API_KEY is the client's."""

import asyncio

from anthropic import AsyncAnthropic

from sightline import close_redis_publisher, initialize_redis_publisher, trace, wrap_anthropic, wrap_llm_adapter


async def main() -> None:
    await initialize_redis_publisher()
    wrap_llm_adapter()
    client = wrap_anthropic(AsyncAnthropic())
    async with trace("ask-claude"):
        answer = await client.messages.create(
            model="claude-opus-5", max_tokens=200, messages=[{"role": "user", "content": "Hello"}]
        )
        print(answer.content[-1].type)
    await close_redis_publisher()


asyncio.run(main())
