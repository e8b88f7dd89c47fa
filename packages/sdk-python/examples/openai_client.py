"""OpenAI's client, whole answers and streams. OPENAI_API_KEY, and OPENAI_BASE_URL for compatible servers, are the client's."""

from openai import OpenAI

from sightline import close_redis_publisher, initialize_redis_publisher, trace, wrap_llm_adapter, wrap_openai

initialize_redis_publisher().wait()
wrap_llm_adapter()
client = wrap_openai(OpenAI())

with trace("ask-openai", session_id="s-1"):
    answer = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Hello"}])
    print(answer.choices[0].message.content)
    # A stream tells its tokens only when it is asked to.
    stream = client.chat.completions.create(
        model="gpt-5",
        messages=[{"role": "user", "content": "Hello again"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    print("".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices))

close_redis_publisher().wait()
