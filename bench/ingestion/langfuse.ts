import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startActiveObservation } from "@langfuse/tracing";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Library } from "./library.ts";

export function open(sink: string): Promise<Library> {
  const provider = new NodeTracerProvider({
    spanProcessors: [new LangfuseSpanProcessor({ publicKey: "pk-lf-bench", secretKey: "sk-lf-bench", baseUrl: sink })],
  });
  provider.register();
  setLangfuseTracerProvider(provider);
  return Promise.resolve({
    trace: (work) => startActiveObservation("bench", work),
    call: (messages, answer) =>
      startActiveObservation("answer", (generation) => void generation.update({ model: "m-1", input: messages, output: answer }), {
        asType: "generation",
      }),
    close: () => provider.shutdown(),
  });
}
