import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider, startActiveObservation } from "@langfuse/tracing";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { Library } from "./library.ts";

export function open(sink: string): Promise<Library> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new BasicTracerProvider({
    spanProcessors: [new LangfuseSpanProcessor({ publicKey: "pk-lf-bench", secretKey: "sk-lf-bench", baseUrl: sink })],
  });
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
