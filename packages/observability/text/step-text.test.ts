import { migrateDown, migrateUp } from "@sightline/foundation/database/migrations";
import { define, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { toRows } from "#ingest/event-rows.ts";
import { writeBatch } from "#ingest/writing/write-batch.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { callTool } from "#testing/call-tool.ts";
import { AT, createTextFixture, saying, SYSTEM, type TextFixture } from "#testing/text-fixture.ts";
import { writeEvents } from "#testing/write-events.ts";
import { indexTexts } from "./index-texts.ts";

let texts: TextFixture;
let projectId: string;
let producer: Producer;

beforeAll(async () => {
  texts = await createTextFixture();
});
afterAll(() => texts.close());
beforeEach(async () => {
  projectId = await texts.createProject();
  producer = createProducer(projectId);
});

test("a trace is found by a word of a step's message, which is kept once for all traces that have it", async () => {
  const [one, other] = ["Where is my parcel?", "Cancel it, please, at once."].map((content) =>
    saying(producer, { input: { messages: [SYSTEM, { role: "user", content }] }, output: `Shipped: ${content.length}` }),
  );
  await writeEvents(texts.database, [...(one?.events ?? []), ...(other?.events ?? [])]);
  await texts.index(projectId);
  expect(await texts.found(projectId, "northwind")).toHaveLength(2);
  expect(await texts.found(projectId, "NORTHWIND parcel")).toEqual([one?.id]);
  expect(await texts.found(projectId, "-parcel")).toEqual([other?.id]);
  expect(await texts.found(projectId, "parcels")).toEqual([]);
  const { rows } = await texts.database.pool.query(
    "select words from observability.step_texts where project_id = $1 and words like '%northwind%'",
    [projectId],
  );
  expect(rows).toHaveLength(1);
});

test("every text of a step is found: what went in and came back, however long, reasoning, errors, and a tool's arguments by their path", async () => {
  const long = `${"filler ".repeat(60_000)}needle behind`;
  const one = saying(producer, { output: [{ role: "assistant", content: long }], reasoning: "Perhaps a marmot knows" });
  const other = saying(producer, {
    kind: "tool",
    error: `ValueError: ${"x ".repeat(5_000)}the gizmo broke`,
    input: { order: { id: "A-1009" }, tags: ["red", "light blue"], amount: 1 },
    parameters: { customer: '{"name":"Ann\\nLee"}', retries: 3 },
    output: `${"w".repeat(300)}ord`,
  });
  await writeEvents(texts.database, [...one.events, ...other.events]);
  await texts.index(projectId);
  for (const q of ["needle", "marmot", 'text:"needle behind"', "text:NEEDLE", 'text:"marmot knows",nothing']) {
    expect(await texts.found(projectId, q), q).toEqual([one.id]);
  }
  for (const q of [
    "gizmo",
    "args.order.id:A-1009",
    "args.order.id:B-1,A-1009",
    'args.tags:"light blue"',
    "lee",
    "args.retries:3",
    `text:${"w".repeat(300)}ord`,
  ]) {
    expect(await texts.found(projectId, q), q).toEqual([other.id]);
  }
  for (const q of [
    'text:"behind needle"',
    "args.order.id:a-1009",
    "args.id:A-1009",
    "args.order.id:A",
    `text:${"w".repeat(300)}`,
    'text:"red light"',
  ]) {
    expect(await texts.found(projectId, q), q).toEqual([]);
  }
});

test("the list tells in which step the words are, and marks them", async () => {
  const { id, step, events } = saying(producer, { kind: "tool", output: { message: `${"before ".repeat(40)}the tracking link was sent` } });
  await writeEvents(texts.database, events);
  await texts.index(projectId);
  const { items, search } = await texts.list(projectId, 'text:"tracking link" agent');
  expect(items).toMatchObject([{ id, found: { step_id: step, name: "call", kind: "tool" } }]);
  expect(items[0]?.found?.text).toMatch(/^before before the tracking link was sent$/);
  expect(search).toEqual({ words: ["tracking", "link", "agent"], behind_seconds: 0, is_older_pending: false });
  expect((await texts.list(projectId, "status:success")).search).toBeNull();
});

test("the list says how far the search is behind, and that older texts wait", async () => {
  await writeEvents(texts.database, saying(producer, { output: "later" }).events);
  await texts.database.pool.query("update observability.text_marks set marked_at = now() - interval '5 minutes' where project_id = $1", [
    projectId,
  ]);
  expect((await texts.list(projectId, "later")).search).toMatchObject({ behind_seconds: 300, is_older_pending: false });
  await texts.database.pool.query("update observability.text_marks set turn = 2 where project_id = $1", [projectId]);
  expect((await texts.list(projectId, "later")).search).toMatchObject({ behind_seconds: 0, is_older_pending: true });
  await texts.index(projectId);
  expect(await texts.list(projectId, "later")).toMatchObject({
    items: [{ name: "agent" }],
    search: { behind_seconds: 0, is_older_pending: false },
  });
});

test("what very many texts have is found by time and otherwise, page by page, and so is what few of the newest have", async () => {
  const traces = Array.from({ length: 60 }, (_, trace) => {
    const { id, events } = saying(producer, { output: `common ${trace < 20 ? "early" : "late"}${trace < 5 ? " seldom" : ""} ${trace}` });
    const began = new Date(Date.UTC(2026, 10, 21, 10, trace)).toISOString();
    return { id, events: [producer.event("trace.start", { trace_id: id, name: "agent", started_at: began }), ...events.slice(1)] };
  });
  await writeEvents(
    texts.database,
    traces.flatMap(({ events }) => events),
  );
  await texts.index(projectId);
  const ids = traces.map(({ id }) => id).toReversed();
  const check = async () => {
    expect(await texts.found(projectId, "common")).toEqual(ids.slice(0, 50));
    const { next_cursor: cursor } = await texts.list(projectId, "common");
    expect((await texts.list(projectId, "common", cursor)).items.map(({ id }) => id)).toEqual(ids.slice(50));
    for (const q of ["early", "common -late", 'text:"common early"']) {
      expect(await texts.found(projectId, q), q).toEqual(ids.slice(40));
    }
    for (const q of ["seldom", 'text:"early seldom"', "common seldom"]) {
      expect(await texts.found(projectId, q), q).toEqual(ids.slice(55));
    }
  };
  await check();
  // As if so many more had it.
  await texts.database.pool.query(
    "insert into observability.step_texts (project_id, id, words) select $1, number, ' common early seldom ' from generate_series(1, 25001) as number",
    [projectId],
  );
  await check();
});

test("a content that is referred to is found whenever it comes, and no longer once it is masked", async () => {
  const hash = "ab".repeat(32);
  const refers = saying(producer, { input: { messages: [{ $blob: hash }] } });
  const blob = (content: unknown) => producer.event("blob", { sha256: hash, content });
  await writeEvents(texts.database, refers.events);
  await texts.index(projectId);
  expect(await texts.found(projectId, "periwinkle")).toEqual([]);
  await writeEvents(texts.database, [blob({ role: "user", content: "A periwinkle dress" })]);
  await texts.index(projectId);
  expect(await texts.found(projectId, "periwinkle")).toEqual([refers.id]);
  await writeBatch(texts.database.query, { ...toRows([]), deadLetters: [], maskedContents: [{ project_id: projectId, sha256: hash }] });
  await texts.index(projectId);
  expect(await texts.found(projectId, "periwinkle")).toEqual([]);
  expect(await texts.found(projectId, "masked")).toEqual([refers.id]);
  expect(await texts.whereIs("periwinkle")).toEqual([]);
});

test("what a run that went on says is found as of its trace", async () => {
  const [first, second] = [uuidv7(), uuidv7()];
  const start = (id: string) => producer.event("trace.start", { trace_id: id, name: "agent", started_at: AT, thread_id: "thread" });
  const resume = { trace_id: second, resumed_at: "2026-11-21T10:00:05.000Z", resumed_from: "here" };
  await writeEvents(texts.database, [
    start(first),
    producer.event("trace.end", { trace_id: first, ended_at: AT, status: "interrupted", paused_at: "here" }),
    start(second),
    producer.event("trace.resume", resume),
    ...saying(producer, { output: "the falcon landed" }, { id: second }).events.slice(1, 3),
  ]);
  await texts.index(projectId);
  expect(await texts.found(projectId, "falcon")).toEqual([first]);
});

test("nothing of another project is found, nor counts as known there", async () => {
  const other = await texts.createProject();
  await writeEvents(texts.database, [
    ...saying(createProducer(other), { output: SYSTEM }).events,
    ...saying(producer, { output: SYSTEM }).events,
  ]);
  await texts.index(projectId);
  expect([(await texts.found(projectId, "northwind")).length, await texts.found(other, "northwind")]).toEqual([1, []]);
  await texts.index(other);
  expect(await texts.found(other, "northwind")).toHaveLength(1);
});

test("two that read at once, and what is sent or read twice, leave each text and reference once", needsRealPostgres, async () => {
  const events = Array.from(
    { length: 30 },
    (_, number) => saying(producer, { input: { messages: [SYSTEM] }, output: `answer ${number}` }).events,
  ).flat();
  await writeEvents(texts.database, events);
  await writeEvents(texts.database, events);
  await Promise.all([texts.index(projectId), texts.index(projectId), texts.index(projectId)]);
  await texts.index(projectId);
  expect(await texts.found(projectId, "northwind")).toHaveLength(30);
  const { rows } = await texts.database.pool.query(
    `select count(*)::int as referred, count(distinct (trace_id, text))::int as distinct, count(distinct text)::int as texts
     from observability.text_references cross join unnest(texts) as text where project_id = $1`,
    [projectId],
  );
  expect(rows).toEqual([{ referred: 60, distinct: 60, texts: 31 }]);
  expect(await texts.countTexts(projectId)).toBe(31);
});

test("what fails in the middle is begun anew", async () => {
  await writeEvents(texts.database, saying(producer, { output: "a wombat" }).events);
  await define(texts.database, "alter table observability.text_references add constraint refused check (false) not valid");
  await expect(indexTexts(texts.database.query, projectId)).rejects.toThrow("refused");
  expect([await texts.found(projectId, "wombat"), await texts.countTexts(projectId)]).toEqual([[], 0]);
  await define(texts.database, "alter table observability.text_references drop constraint refused");
  await texts.index(projectId);
  expect([(await texts.found(projectId, "wombat")).length, await texts.countTexts(projectId)]).toEqual([1, 1]);
});

test("a mark with more than one transaction reads is read in parts", async () => {
  const id = uuidv7();
  const steps = Array.from({ length: 700 }, (_, number) =>
    saying(producer, { output: `part${number} of the whole` }, { id }).events.slice(1, 3),
  );
  await writeEvents(texts.database, [...saying(producer, {}, { id }).events.slice(0, 1), ...steps.flat()]);
  expect(await indexTexts(texts.database.query, projectId)).toBe(501);
  expect([await texts.found(projectId, "part10"), await texts.found(projectId, "part699")]).toEqual([[id], []]);
  await texts.index(projectId);
  expect(await texts.found(projectId, "part699")).toEqual([id]);
});

test("what was stored before there was a search is found, too", async () => {
  const { id, events } = saying(producer, { output: "an old saying", error: "OldError: ancient" });
  await writeEvents(texts.database, events);
  while ((await migrateDown(texts.database.pool, observabilityMigrations)) !== "0002_step_text") {
    // Later revisions.
  }
  await migrateUp(texts.database.pool, observabilityMigrations);
  await texts.index(projectId);
  for (const q of ["saying", "ancient"]) {
    expect(await texts.found(projectId, q), q).toEqual([id]);
  }
});

test("an assistant finds a run by what a step of it was given, and is told the step", async () => {
  const { id, step, events } = saying(producer, { kind: "tool", input: { order_id: "A-1009", note: "the tracking link" } });
  await writeEvents(texts.database, events);
  const listed = (query: string) => callTool(texts.database, "list_traces", { query, project: projectId });
  expect(await listed("args.order_id:A-1009")).toBe("No trace is like that.");
  await texts.index(projectId);
  for (const query of ["args.order_id:A-1009", 'text:"tracking link"', "tracking agent"]) {
    const answer = await listed(query);
    expect(answer, query).toContain(id);
    expect(answer, query).toMatch(new RegExp(`\n  found in step ${step.slice(-8)} tool call: .*(?:A-1009|the tracking link)`));
  }
});
