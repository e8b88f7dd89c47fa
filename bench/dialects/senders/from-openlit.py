import exporters
import openlit
from openai import OpenAI

openlit.init(application_name="support", otlp_endpoint=exporters.URL, otlp_headers=f"x-api-key={exporters.KEY}", disable_metrics=True)
client = OpenAI(api_key="any", base_url=f"{exporters.MODELS}/v1")
with exporters.provider.get_tracer("own").start_as_current_span("own root"):
    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "Where is 42?"}])
