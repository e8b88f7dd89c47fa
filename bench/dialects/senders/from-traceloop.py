import exporters
from openai import OpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor

OpenAIInstrumentor().instrument(tracer_provider=exporters.provider)
client = OpenAI(api_key="any", base_url=f"{exporters.MODELS}/v1")
with exporters.provider.get_tracer("own").start_as_current_span("own root"):
    client.chat.completions.create(model="ft:gpt-4o-mini:acme::a1", messages=[{"role": "user", "content": "Where is 42?"}])
