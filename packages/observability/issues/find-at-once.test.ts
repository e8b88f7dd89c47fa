import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { failingRun } from "#testing/failing-run.ts";
import { sweepRetention } from "#testing/in-the-background.ts";
import { makeOld } from "#testing/make-old.ts";
import { writeEvents } from "#testing/write-events.ts";
import { findIssues } from "./find-issues.store.ts";

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

/** Traces that fail in three ways, counted, their issues not found yet. */
async function failed(count: number): Promise<readonly string[]> {
  const producer = createProducer(projectId);
  const ids = Array.from({ length: count }, () => uuidv7());
  await writeEvents(
    database,
    ids.flatMap((traceId, at) =>
      failingRun(producer, { traceId, at: new Date(), tool: `tool${at % 3}`, error: `ValueError: no ${at}`, user: "erika" }),
    ),
  );
  while (await countMarkedTraces(database.query, projectId)) {
    // The traces that are left.
  }
  return ids;
}

async function found(): Promise<readonly unknown[]> {
  const { rows } = await database.pool.query(`
    select issue.traces, count(trace.*)::int as counted from observability.issues as issue
    left join observability.issue_traces as trace on trace.project_id = issue.project_id and trace.issue_id = issue.id
    group by issue.project_id, issue.id, issue.traces order by 1, 2`);
  return rows;
}

test("replicas at the same time count each trace once, while others are deleted", needsRealPostgres, async () => {
  const ids = await failed(900);
  const drain = async () => {
    while (await findIssues(database.query, projectId)) {
      // The traces that are left.
    }
  };
  const remove = deleteTraces(database.query, { projectId, reader: { kind: "operator" }, ids: ids.slice(0, 300) });
  await Promise.all([drain(), drain(), drain(), remove]);
  await countAndFind(database, projectId);
  expect(await found()).toEqual([200, 200, 200].map((traces) => ({ traces, counted: traces })));
});

test("traces that are kept no longer leave their issues", async () => {
  await failed(4);
  await countAndFind(database, projectId);
  await makeOld(database);
  await sweepRetention(database.query);
  await countAndFind(database, projectId);
  expect(await found()).toEqual([]);
});

test("what fails in more ways than a project has room for is one issue", async () => {
  await database.pool.query(
    `insert into observability.issues (project_id, id, fingerprint, title, facts, traces)
     select $1::uuid, gen_random_uuid(), number::text, 'known', '{}', 1 from generate_series(1, 4999) as number`,
    [projectId],
  );
  await failed(3);
  await countAndFind(database, projectId);
  const { rows } = await database.pool.query("select title, traces from observability.issues where title <> 'known' order by traces");
  expect(rows).toMatchObject([{ traces: 1 }, { title: expect.stringContaining("Other failures"), traces: 2 }]);
});
