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
