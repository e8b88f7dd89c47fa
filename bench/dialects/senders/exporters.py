"""OpenTelemetry's own exporters, pointed at the product; what a script has begun is sent when it ends, also by an error."""

import atexit
import os

from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

MODELS = os.environ["MODELS_URL"]
URL, KEY = os.environ["SIGHTLINE_URL"], os.environ["SIGHTLINE_KEY"]

_headers = {"x-api-key": KEY}
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{URL}/v1/traces", headers=_headers)))
trace.set_tracer_provider(provider)
_logs = LoggerProvider()
_logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{URL}/v1/logs", headers=_headers)))
set_logger_provider(_logs)


def _close() -> None:
    provider.shutdown()
    _logs.shutdown()


atexit.register(_close)


def find_order(order: int) -> str:
    """Finds an order."""
    return f"order {order} was shipped"
