"""OpenTelemetry alone, without the SDK. Where spans go and with which key are the exporter's own variables:
OTEL_EXPORTER_OTLP_ENDPOINT (the address of observability) and OTEL_EXPORTER_OTLP_HEADERS (`x-api-key=…`)."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("example")

asked = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "t-1"}
with tracer.start_as_current_span("ask", attributes=asked):
    called = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
    with tracer.start_as_current_span("chat gpt-5", attributes=called) as model:
        model.set_attributes({"gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 1})

provider.shutdown()
