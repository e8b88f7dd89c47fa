import atexit
import os

from openai import OpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

exporter = OTLPSpanExporter(os.environ["SIGHTLINE_GRPC"], headers={"x-api-key": os.environ["SIGHTLINE_KEY"]}, insecure=True)
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(exporter))
atexit.register(provider.shutdown)
OpenAIInstrumentor().instrument(tracer_provider=provider)
client = OpenAI(api_key="any", base_url=f"{os.environ['MODELS_URL']}/v1")
with using_attributes(session_id="s-1", user_id="ada"), provider.get_tracer("own").start_as_current_span("own root"):
    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "Where is 42?"}])
