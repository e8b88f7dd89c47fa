import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { failingRun, type FailingRun } from "#testing/failing-run.ts";
import { writeEvents } from "#testing/write-events.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const TIMEOUT = "TimeoutError: no answer for order 42 within 30 s";
const MISSING = "ValueError: order 42 was not found";

let database: TestDatabase<ObservabilitySchema>;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  await clearTables(database);
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(() => database.drop());

/** Has traces run so many minutes after noon, and their issues found. @returns the traces' ids. */
async function ran(...runs: readonly (Omit<FailingRun, "at"> & { readonly minute?: number })[]): Promise<readonly string[]> {
  const producer = createProducer(projectId);
  const given = runs.map(({ minute = 0, ...run }) => ({ traceId: uuidv7(), at: new Date(NOON + minute * 60_000), ...run }));
  await writeEvents(
    database,
    given.flatMap((run) => failingRun(producer, run)),
  );
  await countAndFind(database, projectId);
  return given.map(({ traceId }) => traceId);
}

type Found = {
  readonly title: string;
  readonly state: string;
  readonly traces: number;
  readonly facts: { readonly path: readonly string[] };
};

async function issues(): Promise<readonly Found[]> {
  const { rows } = await database.pool.query<Found>(
    "select title, state, traces, facts from observability.issues where project_id = $1 order by title",
    [projectId],
  );
  return rows;
}

/** To be counted again. */
async function mark(ids: readonly string[]): Promise<void> {
  await database.pool.query("insert into observability.trace_marks (project_id, trace_id) select $1::uuid, unnest($2::uuid[])", [
    projectId,
    ids,
  ]);
}

async function close(at: number, commit: string | null = null): Promise<void> {
  await database.pool.query(
    "update observability.issues set state = 'closed', closed_at = $2, closed_at_commit = $3 where project_id = $1",
    [projectId, new Date(at), commit],
  );
}

test("two causes on one line are two, and one cause whose line moves is one", async () => {
  await ran(
    ...[12, 13, 17, 30].map((line) => ({ line, commit: `c${line}`, error: TIMEOUT })),
    { line: 12, error: MISSING },
    { line: 12, error: "ValueError: order 42 was sent already" },
  );
  expect(await issues()).toMatchObject([
    { title: "find_order: TimeoutError: no answer for order <n> within <n> s", traces: 4, facts: { path: ["agent", "lookup"] } },
    { title: "find_order: ValueError: order <n> was not found", traces: 1 },
    { title: "find_order: ValueError: order <n> was sent already", traces: 1 },
  ]);
});

test("what failed elsewhere in the same words is another", async () => {
  await ran(
    { error: TIMEOUT },
    { error: TIMEOUT, node: "refund" },
    { error: TIMEOUT, tool: "find_customer" },
    { error: TIMEOUT, function: "load" },
  );
  expect((await issues()).map(({ traces }) => traces)).toEqual([1, 1, 1, 1]);
});

test("a failure that was caught is no issue, and none of a trace that died of another", async () => {
  await ran({ error: TIMEOUT, traceError: null }, { error: TIMEOUT, traceError: "GraphRecursionError: Recursion limit of 25 reached" });
  expect(await issues()).toMatchObject([{ title: "agent: GraphRecursionError: Recursion limit of <n> reached", traces: 1 }]);
});

test("a message that is cut within a character is an issue like any other", async () => {
  await ran({ error: `ValueError: ${"x".repeat(299)}😀 is no order`, node: `${"n".repeat(199)}😀` });
  expect(await issues()).toMatchObject([{ traces: 1 }]);
});

test("a trace that is counted twice counts once, and one that succeeds in the end does not count", async () => {
  const [first = "", second = ""] = await ran({ error: TIMEOUT }, { error: TIMEOUT });
  await mark([first, second]);
  await countAndFind(database, projectId);
  expect(await issues()).toMatchObject([{ traces: 2 }]);
  for (const [id, left] of [
    [first, [{ traces: 1 }]],
    [second, []],
  ] as const) {
    await database.pool.query("update observability.traces set end_status = 'success', error = null where project_id = $1 and id = $2", [
      projectId,
      id,
    ]);
    await mark([id]);
    await countAndFind(database, projectId);
    expect(await issues()).toMatchObject(left);
  }
});

test("a closed one is open again when a later version shows it, and not by what ran before", async () => {
  await ran({ commit: "old", error: TIMEOUT });
  await close(NOON + 10 * 60_000);
  await ran({ commit: "old", error: TIMEOUT, minute: 20 }, { commit: "new", error: TIMEOUT, minute: 5 });
  expect(await issues()).toMatchObject([{ state: "closed", traces: 3 }]);
  await ran({ commit: "new", error: TIMEOUT, minute: 30 });
  expect(await issues()).toMatchObject([{ state: "closed", traces: 4 }]);
  await ran({ commit: "newest", error: TIMEOUT, minute: 40 });
  expect(await issues()).toMatchObject([{ state: "open", traces: 5 }]);
});

test.each([
  ["the commit it was closed at", { commit: "mended" }],
  ["another release, where no commit is known", { release: "2" }],
  ["no version at all", {}],
])("a closed one is open again by a trace with %s", async (_title, run) => {
  await ran({ release: "1", error: TIMEOUT }, { commit: "mended", error: TIMEOUT });
  await close(NOON + 10 * 60_000, "mended");
  await ran({ release: "1", error: TIMEOUT, minute: 20 });
  expect(await issues()).toMatchObject([{ state: "closed" }]);
  await ran({ ...run, error: TIMEOUT, minute: 20 });
  expect(await issues()).toMatchObject([{ state: "open" }]);
});

test("a deleted trace leaves its issue, and the last one takes it along", async () => {
  const [first = "", second = ""] = await ran({ error: TIMEOUT, user: "erika" }, { error: TIMEOUT });
  const remove = (id: string) => deleteTraces(database.query, { projectId, reader: { kind: "operator" }, ids: [id] });
  await remove(first);
  expect(await issues()).toMatchObject([{ traces: 1 }]);
  await remove(second);
  await countAndFind(database, projectId);
  expect(await issues()).toEqual([]);
});
