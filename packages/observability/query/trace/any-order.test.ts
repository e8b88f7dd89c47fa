import { randomOf } from "@sightline/foundation/seeded-random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { StreamEvent } from "#events/event.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";
import { attributes, jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { writeEvents } from "#testing/write-events.ts";

/** The same events tell the same of a trace, in whichever order and however often they come, and whatever was counted before. */

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  otlp = await createOtlpRig(database);
});
afterAll(async () => {
  await otlp.close();
  await database.drop();
});

const SEED = Number(process.env["TEST_SEED"] ?? 20_261_129);
const random = randomOf(SEED);
const shuffled = <Value>(values: readonly Value[]): readonly Value[] =>
  values
    .map((value) => ({ value, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ value }) => value);

/** In some order, some twice, in parts of a few. */
function drawParts<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  const parts: Value[][] = [[]];
  for (const value of shuffled([...values, ...values.filter(() => random() < 0.3)])) {
    if (random() < 0.4) {
      parts.push([]);
    }
    parts.at(-1)?.push(value);
  }
  return parts.filter((part) => part.length > 0);
}

/** What the list, a search, the trace's page, its session and its scores say. */
async function factsOf(projectId: string): Promise<readonly unknown[]> {
  const base = `/api/v1/projects/${projectId}`;
  const ask = async (path: string) => {
    const answer = await otlp.api.get(base + path);
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body;
  };
  const list = await ask("/traces");
  const [trace] = list["items"] as readonly { readonly id: string }[];
  const pages = [
    "/traces?q=where+session:s-1",
    "/traces?q=user:ada",
    "/sessions/s-1",
    "/sessions/s-1/turns",
    "/users/ada",
    "/traces/facets?field=tag",
    "/scores/names",
    `/traces/${trace?.id ?? ""}`,
    `/traces/${trace?.id ?? ""}/summary`,
    `/scores?trace_id=${trace?.id ?? ""}`,
  ];
  const headers = { authorization: "Bearer tenant-1:admin" };
  const exported = await otlp.api.server.inject({ url: `${base}/export?include=values`, headers });
  const told = [
    list,
    ...(await Promise.all(pages.map(ask))),
    exported.body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ];
  return JSON.parse(JSON.stringify(told).replaceAll(projectId, "project"), (key, value: unknown) =>
    key === "revision" || key === "seq" ? "" : value,
  );
}

async function makeProject(): Promise<string> {
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId: "tenant-1", name: "order" });
  return id;
}

describe(`drawn with TEST_SEED=${SEED}`, () => {
  test("events of an SDK", async () => {
    const given = agentRun(createProducer(uuidv7())).map((event): StreamEvent =>
      event.type === "trace.start" ? { ...event, body: { ...event.body, session_id: "s-1", user_id: "ada", tags: ["late"] } } : event,
    );
    const inProject = (project: string, events: readonly StreamEvent[]) => events.map((event) => ({ ...event, project_id: project }));
    const once = await makeProject();
    await writeEvents(database, inProject(once, given));
    const expected = await factsOf(once);
    for (let round = 0; round < 12; round += 1) {
      const project = await makeProject();
      for (const part of drawParts(given)) {
        await writeEvents(database, inProject(project, part));
        await otlp.api.get(`/api/v1/projects/${project}/traces`);
      }
      expect(await factsOf(project), `round ${round}`).toEqual(expected);
    }
  }, 60_000);

  test("spans of OpenTelemetry, of which the root says nothing", async () => {
    const call = (id: string, second: number, asked: string, answered: string) =>
      jsonSpan(id.repeat(16), second, {
        parentSpanId: "b".repeat(16),
        attributes: attributes({
          "gen_ai.operation.name": "chat",
          "gen_ai.request.model": "m-1",
          "gen_ai.input.messages": JSON.stringify([{ role: "user", content: asked }]),
          "gen_ai.output.messages": JSON.stringify([{ role: "assistant", content: answered }]),
          "session.id": "s-1",
          "user.id": "ada",
        }),
      });
    const spans = [
      jsonSpan("a".repeat(16), 0, { name: "support" }),
      jsonSpan("b".repeat(16), 1, { parentSpanId: "a".repeat(16) }),
      call("c", 2, "where is my order?", "Let me see."),
      call("d", 4, "and the invoice?", "In the box."),
      call("e", 6, "thanks", "You are welcome."),
    ];
    await otlp.send(jsonRequest(spans));
    await otlp.store();
    const expected = await factsOf(otlp.rig.projectId);
    const line = { input: "where is my order?", output: "You are welcome." };
    expect(expected.slice(0, 3)).toMatchObject([{ items: [line] }, { items: [line] }, { items: [line] }]);
    for (let round = 0; round < 12; round += 1) {
      await otlp.clear();
      for (const part of drawParts(spans)) {
        await otlp.send(jsonRequest(part));
        await otlp.store();
        await otlp.traces();
      }
      expect(await factsOf(otlp.rig.projectId), `round ${round}`).toEqual(expected);
    }
  }, 60_000);
});
