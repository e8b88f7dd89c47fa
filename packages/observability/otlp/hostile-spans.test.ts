import { expect, test } from "vitest";
import { createProducer } from "#testing/agent-run.ts";
import { attributes, jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const ROOT = "a".repeat(16);

const otlp = useOtlpRig();

test("a name `$blob` in an attribute is a name and shows no content of its project", async () => {
  const sha256 = "ab".repeat(32);
  const { projectId } = otlp.rig;
  await writeEvents(otlp.database, [createProducer(projectId).event("blob", { sha256, content: "another's secret" })]);
  const given = { question: { $blob: sha256 } };
  await otlp.send(jsonRequest([jsonSpan(ROOT, 0, { attributes: attributes({ "input.value": JSON.stringify(given) }) })]));
  await otlp.store();
  expect((await otlp.traces())[0]?.input).toEqual(given);
});

test("a short request that unpacks to millions of objects stays a text", async () => {
  const value = `[${"{},".repeat(2_000_000)}{}]`;
  const answer = await otlp.send(jsonRequest([jsonSpan(ROOT, 0, { attributes: attributes({ "input.value": value, metadata: value }) })]));
  expect(answer).toMatchObject({ status: 200, body: "{}" });
  await otlp.store();
  expect((await otlp.traces())[0]?.observation_list).toHaveLength(1);
  const { rows } = await otlp.database.pool.query<{ kind: string }>(
    "select json_typeof(value) as kind from observability.payloads where value is not null",
  );
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(["string"]));
});
