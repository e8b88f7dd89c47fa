import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { Kysely, PostgresDialect } from "kysely";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parseTraceQuery } from "#contract.ts";
import { readSeries } from "#query/figures/metrics.store.ts";
import { listEntries } from "#query/list/list-traces.store.ts";
import { findRun } from "#query/steps/find-run.store.ts";
import { findSkeleton } from "#query/steps/steps.store.ts";
import { findTraceContent } from "#query/steps/trace-content.store.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { MAX_UNFINISHED_DELIVERIES } from "#ingest/tuning.ts";
import { HASTY_TUNING } from "#testing/ingestion-world.ts";
import { startClusterWorld, type ClusterWorld } from "#testing/cluster-world.ts";
import { readIngested } from "#testing/ingested.ts";
import { createNumberedProducer, type NumberedEntry } from "#testing/numbered-events.ts";
import { countedAnew, readCounted } from "#testing/read-counted.ts";

const PROJECTS = 8;
const AT_ONCE = 60;
const PATIENCE = { timeout: 240_000, interval: 100 };
const reader = { kind: "operator" } as const;

let world: ClusterWorld;
const random = randomOf(SEED);
const sent: (NumberedEntry & { readonly projectId: string })[] = [];
let producers: readonly ReturnType<typeof createNumberedProducer>[];

beforeAll(async () => {
  world = await startClusterWorld({ projects: PROJECTS });
  const projects = [...world.projectsOf.values()].flat();
  producers = projects.map((projectId) => createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 }));
}, PATIENCE.timeout);
afterAll(() => world.stop());

test(
  `events of several projects are each written once, though a consumer is killed in the middle (TEST_SEED=${SEED})`,
  PATIENCE,
  async () => {
    expect([...world.projectsOf.keys()], "both workers have projects").toHaveLength(2);
    await publishRounds(3);
    await vi.waitFor(async () => expect(await world.backlog()).toBeLessThan(sent.length * 0.9), PATIENCE);
    await world.replicas[0]?.kill();
    expect(await world.backlog(), "it was killed while there was work").toBeGreaterThan(0);
    await publishRounds(2);
    world.replicas[0]?.start();
    await everythingIsWritten();
  },
);

test("lists, traces and figures of a project are read on one node, each statement by one task", PATIENCE, async () => {
  const [projectId = ""] = [...world.projectsOf.values()].flat();
  // A reader that waits for whoever counts gets what is counted already.
  await vi.waitFor(async () => expect(await countRows("trace_marks")).toBe(0), PATIENCE);
  const passed = new Map<string, readonly unknown[]>();
  const query = new Kysely<ObservabilitySchema>({
    dialect: new PostgresDialect({ pool: world.database.pool }),
    log: ({ query: { sql, parameters } }) => void passed.set(sql, parameters),
  });
  await readPages(query, projectId);
  const read = [...passed].filter(
    ([text]) => /\b(?:from|join) observability\./.test(text) && !/\b(?:insert into|delete from|update) observability/.test(text),
  );
  expect(read.length).toBeGreaterThan(8);
  for (const [statement, parameters] of read) {
    const { rows } = await world.database.pool.query<Record<"QUERY PLAN", string>>(`explain (costs off) ${statement}`, [...parameters]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan, statement).toMatch(/Task Count: 1\n/);
    expect(plan, statement).not.toMatch(/Distributed Subplan/);
  }
});

test(
  "while a worker is away the projects of the other are read, and what is sent is written and counted once it is back",
  PATIENCE,
  async () => {
    const [[lostPort, lost], [, kept]] = [...world.projectsOf] as unknown as [[number, string[]], [number, string[]]];
    const worker = world.nodes.find(({ url }) => Number(new URL(url).port) === lostPort);
    await vi.waitFor(async () => expect(await countRows("trace_marks")).toBe(0), PATIENCE);
    await worker?.kill();
    await publishRounds(1);
    for (const projectId of kept) {
      // What is to be counted does not keep the list from being read.
      const { rows } = await world.database.pool.query<{ id: string }>(
        "select id from observability.traces where project_id = $1 limit 1",
        [projectId],
      );
      await world.database.pool.query("insert into observability.trace_marks (project_id, trace_id) values ($1, $2)", [
        projectId,
        rows[0]?.id,
      ]);
      await readPages(world.database.query, projectId);
    }
    await expect(readPages(world.database.query, lost[0] ?? "")).rejects.toThrow(/connection|connect/);
    await publishRounds(3);
    // Longer than it takes to be delivered as often as what consumers die of.
    await delay(HASTY_TUNING.claimIdleMs * 2 * MAX_UNFINISHED_DELIVERIES);
    expect(await world.backlog(), "what can't be written waits, all of it").toBe(AT_ONCE * PROJECTS * 4);
    await worker?.start();
    await everythingIsWritten();
    await vi.waitFor(async () => expect((await countRows("trace_marks")) + (await countRows("hourly_marks"))).toBe(0), PATIENCE);
    const counted = await readCounted(world.database);
    expect(counted).toEqual(await countedAnew(world.database));
  },
);

async function publishRounds(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const producer of producers) {
      const entries = producer.next(AT_ONCE);
      sent.push(...entries.map((entry) => ({ ...entry, projectId: producer.projectId })));
      await world.publish(entries);
    }
  }
}

async function countRows(table: string): Promise<number> {
  const { rows } = await world.database.pool.query<{ count: number }>(`select count(*) from observability.${table}`);
  return rows[0]?.count ?? 0;
}

async function everythingIsWritten(): Promise<void> {
  await vi.waitFor(async () => expect(await world.backlog()).toBe(0), PATIENCE);
  const { rows, halves, letters, lostEvents } = await readIngested(world.database);
  const ids = sent.map(({ id }) => id).toSorted();
  expect(rows.toSorted(), "payloads").toEqual(ids);
  expect(halves.toSorted(), "halves of traces and observations").toEqual(ids);
  expect([letters.size, lostEvents]).toEqual([0, 0]);
}

/** What the console's pages of a project read. */
async function readPages(query: Query, projectId: string): Promise<void> {
  const now = new Date();
  const common = { projectId, reader, now, order: "desc", after: undefined, limit: 50 } as const;
  const { rows } = await listEntries(query, { ...common, terms: [], sort: "started" });
  await listEntries(query, { ...common, terms: parseTraceQuery("status:success run").terms, sort: "duration" });
  const [{ id: traceId } = { id: "" }] = rows;
  expect(await findTrace(query, { reader, projectId, traceId })).toMatchObject({ id: traceId });
  const run = await findRun(query, { reader, projectId, traceId });
  if (run === undefined) {
    throw new Error("A trace that is listed has runs");
  }
  await findSkeleton(query, run);
  await findTraceContent(query, run);
  await readSeries(
    query,
    { projectId, reader, from: new Date(now.getTime() - 86_400_000), to: now, kind: undefined, name: undefined, model: undefined },
    1,
  );
}
