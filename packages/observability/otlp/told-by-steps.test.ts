import { expect, test } from "vitest";
import { attributes, jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();

const told = attributes({ "session.id": "s-1", "user.id": "ada", "openinference.span.kind": "CHAIN" });
const root = jsonSpan("a".repeat(16), 0, { name: "an application's own" });
const child = jsonSpan("b".repeat(16), 1, { parentSpanId: "a".repeat(16) });
const grandchild = jsonSpan("c".repeat(16), 2, { parentSpanId: "b".repeat(16), attributes: told });

test.each([
  ["in one request", [[grandchild, child, root]]],
  ["in requests of their own, as they end", [[grandchild, child], [root]]],
  ["in requests that come the other way round", [[root], [grandchild, child]]],
])("a session and a user that steps alone have are the trace's, %s", async (_name, requests) => {
  for (const spans of requests) {
    await otlp.send(jsonRequest(spans));
  }
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ name: "an application's own", session_id: "s-1", user_id: "ada" }]);
  await otlp.store((events) => events.toReversed());
  expect(await otlp.traces()).toMatchObject([{ session_id: "s-1", user_id: "ada" }]);
});

test("a root's own session goes before that of its steps", async () => {
  await otlp.send(jsonRequest([grandchild, child]));
  await otlp.send(jsonRequest([{ ...root, attributes: attributes({ "session.id": "own" }) }]));
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ session_id: "own", user_id: "ada" }]);
});

const ask = [{ role: "user", content: "Where is 42?" }];
const call = (content: string) =>
  attributes({
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": JSON.stringify(ask),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", content }]),
  });

test("what was asked and answered is what the first and the last model call say, where the root doesn't (OpenAI Agents, AutoGen, ADK)", async () => {
  const first = { ...child, attributes: call("Let me see.") };
  const last = jsonSpan("d".repeat(16), 3, { parentSpanId: "a".repeat(16), attributes: call("Shipped.") });
  await otlp.send(jsonRequest([first, last, root]));
  await otlp.store();
  const [trace] = await otlp.traces();
  expect(trace).toMatchObject({ input: ask, output: [{ role: "assistant", content: "Shipped." }] });
  expect(trace?.observation_list[0]).toMatchObject({ name: "an application's own", input: null, output: null });
});

test("a root says itself what it was given and gave", async () => {
  const own = attributes({ "input.value": "42?", "output.value": "It was." });
  await otlp.send(
    jsonRequest([
      { ...child, attributes: call("Shipped.") },
      { ...root, attributes: own },
    ]),
  );
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ input: "42?", output: "It was." }]);
});

test("AutoGen's definition of an agent, which runs nothing, is no trace", async () => {
  const definition = { ...root, attributes: attributes({ "gen_ai.operation.name": "create_agent", "gen_ai.agent.name": "support" }) };
  expect(await otlp.send(jsonRequest([definition]))).toMatchObject({ status: 200, body: "{}" });
  expect((await otlp.streamed()).filter(({ type }) => type === "trace.start")).toEqual([]);
  await otlp.send(jsonRequest([definition, child]));
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ observations: 2 }]);
});
