import { expect, test } from "vitest";
import { jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();

const [root, outer, inner] = ["a", "b", "c"].map((letter) => letter.repeat(16));
const attributes = [
  { key: "openinference.span.kind", value: { stringValue: "LLM" } },
  { key: "llm.model_name", value: { stringValue: "m-1" } },
  { key: "llm.token_count.prompt", value: { intValue: "30" } },
];
const RUN = jsonSpan(root ?? "", 0, { name: "run" });
const OF_FRAMEWORK = jsonSpan(outer ?? "", 1, { parentSpanId: root, attributes });
const OF_LIBRARY = jsonSpan(inner ?? "", 2, { parentSpanId: outer, attributes });

test("a call that two instrumentations tell of counts once, also where each comes in a request of its own", async () => {
  for (const span of [OF_LIBRARY, OF_FRAMEWORK, RUN]) {
    expect((await otlp.send(jsonRequest([span]))).status).toBe(200);
  }
  await otlp.store();
  const [trace] = await otlp.traces();
  expect(trace).toMatchObject({ name: "run", input_tokens: 30 });
  expect(trace?.observation_list.map(({ input_tokens: tokens }) => tokens)).toEqual([null, null, 30]);
});

test("a request that is sent again counts as it did", async () => {
  for (const spans of [[OF_LIBRARY], [OF_FRAMEWORK, RUN], [OF_LIBRARY], [OF_FRAMEWORK, RUN]]) {
    await otlp.send(jsonRequest(spans));
  }
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ input_tokens: 30, observations: 3 }]);
});
