import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { datasetSchema, itemPageSchema } from "#contract.ts";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createAnnotationRig, type AnnotationRig } from "#testing/annotation-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: AnnotationRig;
let projectId: string;
let base: string;
const ADMIN = "tenant-1:admin";
const [ANN, BOB, CLO] = ["tenant-1:member:ann", "tenant-1:member:bob", "tenant-1:member:clo"];
const GOOD = { labels: [{ name: "polite", value: true }] };
const BAD = { labels: [{ name: "polite", value: false, comment: "rude" }] };

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createAnnotationRig(database);
});
beforeEach(async () => {
  ({ projectId, base } = await rig.makeProject());
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

const endTraces = (count: number) => rig.endTraces(projectId, count);
const makeQueue = (traces: readonly string[], fields?: object) => rig.makeQueue(base, traces, fields);
const scoresOf = (trace: string) => rig.scoresOf(base, trace);
const post = (path: string, body: object, person = ADMIN) => rig.api.post(path, body, person);
const remove = (url: string) => rig.api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${ADMIN}` } });

test("a trace is labelled by as many as the queue says, blind until it is done, and then its labels are scores", async () => {
  const [trace = ""] = await endTraces(1);
  const queue = await makeQueue([trace], { annotators: 2 });
  expect(await queue.claim(ANN)).toBe(trace);
  expect(await queue.claim(BOB)).toBe(trace);
  expect(await queue.claim(CLO)).toBeUndefined();
  expect(await queue.say(CLO, trace, GOOD)).toMatchObject({ status: 409, body: { error: "trace_not_yours" } });
  expect(await queue.say(ANN, trace, BAD)).toMatchObject({ status: 200, body: { is_done: false } });
  expect((await queue.list(ANN)).items[0]?.annotations).toMatchObject([{ annotator: "ann", labels: [{ value: 0, comment: "rude" }] }]);
  for (const other of [BOB, CLO, ADMIN]) {
    expect((await queue.list(other)).items[0]?.annotations).toEqual([]);
  }
  expect(await scoresOf(trace)).toEqual([]);
  expect(await queue.read(ANN)).toMatchObject({ traces: 1, done: 0, disputed: 0, for_you: 0 });
  expect(await queue.read(BOB)).toMatchObject({ for_you: 1 });
  expect(await queue.say(BOB, trace, GOOD)).toMatchObject({ status: 200, body: { is_done: true } });
  const label = { name: "polite", source: "person", queue: queue.id, settles: false };
  expect(new Set(await scoresOf(trace))).toEqual(
    new Set([
      { ...label, value: 1, author: "bob" },
      { ...label, value: 0, author: "ann" },
    ]),
  );
  expect(await queue.say(ANN, trace, GOOD)).toMatchObject({ status: 409, body: { error: "trace_not_yours" } });
  expect((await queue.list(CLO, "?only=disputed")).items[0]?.annotations).toHaveLength(2);
});

test("whoever resolves labels that differ is counted, and the others stay", async () => {
  const [trace = ""] = await endTraces(1);
  const queue = await makeQueue([trace], { annotators: 2 });
  await queue.claim(ANN);
  await queue.say(ANN, trace, GOOD);
  expect(await queue.say(CLO, trace, { ...BAD, resolves: true })).toMatchObject({ status: 409, body: { error: "trace_not_done" } });
  await queue.claim(BOB);
  await queue.say(BOB, trace, BAD);
  expect(await queue.read()).toMatchObject({ done: 1, disputed: 1 });
  // A resolver may be one of those who labelled, and may think again.
  await queue.say(ANN, trace, { ...BAD, resolves: true });
  expect((await queue.say(CLO, trace, { ...GOOD, resolves: true })).status).toBe(200);
  expect((await queue.list(ANN, "?only=disputed")).items).toEqual([]);
  expect(await queue.read()).toMatchObject({ done: 1, disputed: 0 });
  expect((await scoresOf(trace)).map(({ author, settles, value }) => [author, settles, value].join(" ")).toSorted()).toEqual([
    "ann false 1",
    "bob false 0",
    "clo true 1",
  ]);
});

test("who skips a trace says why, and is not asked again; it is done when all have answered", async () => {
  const [trace = ""] = await endTraces(1);
  const queue = await makeQueue([trace], { annotators: 2 });
  await queue.claim(ANN);
  expect(await queue.say(ANN, trace, { skip: " " })).toMatchObject({ status: 400 });
  await queue.say(ANN, trace, { skip: "not my language" });
  expect(await queue.claim(ANN)).toBeUndefined();
  expect(await queue.claim(BOB)).toBe(trace);
  expect((await queue.list()).items[0]).toMatchObject({ is_done: false, annotations: [] });
  await queue.say(BOB, trace, GOOD);
  const [done] = (await queue.list()).items;
  expect(done?.annotations.map(({ annotator, state, reason }) => [annotator, state, reason])).toEqual([
    ["ann", "skipped", "not my language"],
    ["bob", "labelled", null],
  ]);
  expect((await scoresOf(trace)).map(({ author }) => author)).toEqual(["bob"]);
});

test("a lease that ended gives the trace to somebody else; whoever still has it may label late", async () => {
  const [first = "", second = ""] = await endTraces(2);
  const queue = await makeQueue([first, second]);
  const lapse = () => database.pool.query("update observability.annotations set leased_until = now() - interval '1 second'");
  expect([await queue.claim(ANN), await queue.claim(ANN), await queue.claim(BOB), await queue.claim(CLO)]).toEqual([
    first,
    first,
    second,
    undefined,
  ]);
  await lapse();
  expect(await queue.claim(CLO)).toBe(first);
  expect(await queue.say(ANN, first, GOOD)).toMatchObject({ status: 409, body: { error: "trace_not_yours" } });
  expect(await queue.say(BOB, second, GOOD)).toMatchObject({ status: 200 });
  expect(await scoresOf(second)).toMatchObject([{ author: "bob", value: 1 }]);
});

test("labels are those of the queue, each as its config has it", async () => {
  const [trace = ""] = await endTraces(1);
  const queue = await makeQueue([trace], { scores: ["stars", "notes"] });
  await queue.claim(ANN);
  const refused = async (labels: readonly object[]) => (await queue.say(ANN, trace, { labels })).body["error"];
  expect(await refused([])).toBe("labels_missing");
  expect(await refused([{ name: "stars", value: 6 }])).toBe("invalid_score");
  expect(
    await refused([
      { name: "stars", value: 3 },
      { name: "polite", value: true },
    ]),
  ).toBe("labels_missing");
  expect(
    await refused([
      { name: "stars", value: 3 },
      { name: "stars", value: 4 },
    ]),
  ).toBe("labels_missing");
  expect(
    await refused([
      { name: "stars", value: 3 },
      { name: "notes", text_value: "curt" },
    ]),
  ).toBeUndefined();
  expect((await scoresOf(trace)).map(({ name, value }) => `${name} ${value}`).toSorted()).toEqual(["notes null", "stars 3"]);
  expect(await post(`${base}/annotation-queues`, { name: "q", scores: ["unknown"] }, ADMIN)).toMatchObject({
    status: 409,
    body: { error: "score_config_missing" },
  });
});

test("queues are filled by a query's sample, too, once each, and no fuller than they may be", async () => {
  const traces = await endTraces(5);
  const queue = await makeQueue(traces.slice(0, 2));
  const add = (body: object) => post(`${queue.path}/traces`, body, ADMIN);
  expect((await add({ from: { q: "name:agent", sample: { size: 100 } } })).body).toEqual({ added: 3 });
  expect((await add({ traces: [{ trace_id: traces[0] }, { trace_id: uuidv7() }] })).body).toMatchObject({ added: 0 });
  expect(await add({})).toMatchObject({ status: 400 });
  await database.pool.query(
    `insert into observability.annotations (project_id, queue_id, trace_id, slot, place)
     select $1, $2, gen_random_uuid(), 1, 10 from generate_series(1, 995)`,
    [projectId, queue.id],
  );
  const [late = ""] = await endTraces(1);
  expect(await add({ traces: [{ trace_id: late }] })).toMatchObject({ status: 409, body: { error: "annotation_queue_full" } });
});

test("agreement is told of traces that are done, and never of texts", async () => {
  const traces = await endTraces(6);
  const queue = await makeQueue(traces, { annotators: 2, scores: ["polite", "stars", "notes"] });
  for (const [at] of traces.entries()) {
    for (const [person, value] of [
      [ANN, at % 2 === 0],
      [BOB, at % 2 === 0 || at === 1],
    ] as const) {
      const trace = (await queue.claim(person)) ?? "";
      await queue.say(person, trace, {
        labels: [
          { name: "polite", value },
          { name: "stars", value: 1 + (at % 3) },
          { name: "notes", text_value: person },
        ],
      });
    }
  }
  const { agreement } = await queue.list();
  expect(await queue.read()).toMatchObject({ done: 6, disputed: 1 });
  expect(agreement.map(({ name, traces: of }) => [name, of])).toEqual([
    ["polite", 6],
    ["stars", 6],
  ]);
  expect(agreement[1]).toMatchObject({ alpha: { value: 1 }, kappa: { value: 1 } });
  expect(agreement[0]?.kappa?.value).toBeCloseTo(2 / 3, 9);
});

describe("a correction", () => {
  const readItems = async (dataset: string) =>
    itemPageSchema.parse((await rig.api.get(`${base}/datasets/${dataset}/items`, ADMIN)).body).items;
  const correct = (dataset: string, trace: string, expected: unknown) =>
    post(`${base}/datasets/${dataset}/items/from-traces`, { traces: [{ trace_id: trace }], expected, corrects: true }, ANN);
  const makeDataset = async () => datasetSchema.parse((await post(`${base}/datasets`, { name: "orders" })).body).id;

  test("of an experiment's run is a new version of its item, and what the item was else stays", async () => {
    const dataset = await makeDataset();
    const item = { input: "in", expected: "old", metadata: { kept: true }, split: "test" };
    await post(`${base}/datasets/${dataset}/items`, { items: [item] });
    const [before] = await readItems(dataset);
    const [trace = ""] = await endTraces(1);
    const { id } = (await post(`${base}/experiments`, { dataset_id: dataset, name: "try" })).body;
    const run = { item_id: before?.id, repetition: 0, state: "succeeded", output: "new", trace_id: trace };
    await post(`${base}/experiments/${String(id)}/runs`, { runs: [run] });
    const queue = await makeQueue([]);
    expect((await post(`${queue.path}/traces`, { experiment_id: id })).body).toEqual({ added: 1 });
    expect((await correct(dataset, trace, { total: 1.1 })).body).toMatchObject({
      version: 2,
      items: [{ id: before?.id, state: "changed" }],
    });
    expect(await readItems(dataset)).toEqual([{ ...before, version: 2, expected: { total: 1.1 } }]);
  });

  test("of another trace makes an item of it, one however often it is corrected", async () => {
    const dataset = await makeDataset();
    const [trace = ""] = await endTraces(1);
    await correct(dataset, trace, "better");
    expect((await correct(dataset, trace, "best")).body).toMatchObject({ version: 2 });
    expect(await readItems(dataset)).toMatchObject([{ input: { question: trace }, expected: "best", subject: "customer" }]);
  });
});

test("with a trace its slots, labels and scores go; with a queue only what waits", async () => {
  const [gone = "", kept = ""] = await endTraces(2);
  const queue = await makeQueue([gone, kept]);
  for (const trace of [await queue.claim(ANN), await queue.claim(BOB)]) {
    await queue.say(trace === gone ? ANN : BOB, trace ?? "", BAD);
  }
  await deleteTraces(database.query, { projectId, reader: { kind: "operator" }, ids: [gone], isOfUser: true });
  expect((await queue.list()).items.map(({ trace_id: id }) => id)).toEqual([kept]);
  expect(await queue.say(ANN, gone, GOOD)).toMatchObject({ status: 404, body: { error: "trace_not_queued" } });
  expect((await remove(queue.path)).statusCode).toBe(204);
  expect(await scoresOf(kept)).toMatchObject([{ author: "bob", queue: queue.id }]);
});
