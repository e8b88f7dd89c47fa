import dspy
import exporters
from openinference.instrumentation import using_attributes
from openinference.instrumentation.dspy import DSPyInstrumentor
from openinference.instrumentation.litellm import LiteLLMInstrumentor

DSPyInstrumentor().instrument(tracer_provider=exporters.provider)
LiteLLMInstrumentor().instrument(tracer_provider=exporters.provider)
dspy.configure(lm=dspy.LM("openai/gpt-4o", api_key="any", api_base=f"{exporters.MODELS}/v1", cache=False, num_retries=0, engine="litellm"))
with using_attributes(session_id="s-1", user_id="ada"):
    dspy.Predict("question -> answer")(question="Where is 42?")
