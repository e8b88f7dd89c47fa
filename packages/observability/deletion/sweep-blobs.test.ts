import { createHash } from "node:crypto";
import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { deleteTraces } from "./delete-traces.store.ts";
import { findTimeBefore } from "./deletions.store.ts";
import { deleteUnneeded } from "./released-blobs.store.ts";
import { settledSeconds, sweepBlobs } from "./sweep-blobs.ts";

const WORDS = "words that were said twice";
const HASH = createHash("sha256").update(JSON.stringify(WORDS)).digest("hex");

const [EARLIER, LATER] = [new Date(0), new Date(Date.now() + 3_600_000)];

let database: TestDatabase<ObservabilitySchema>;
let projectId: string;
let producer: Producer;
let told: string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());
beforeEach(async () => {
  projectId = uuidv7();
  producer = createProducer(projectId);
  told = [];
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "p" });
});

describe("a content", () => {
  test("goes with the last trace that refers to it, once producers were told and what they had sent is written", async () => {
    const [one, two] = [uuidv7(), uuidv7()];
    await writeEvents(database, [blob(), refers(one), refers(two)]);
    await remove(one);
    await sweep();
    expect([await isKept(), told]).toEqual([true, []]);
    await remove(two);
    await sweep({ settledBefore: EARLIER });
    expect([await isKept(), told]).toEqual([true, [projectId]]);
    await sweep();
    expect([await isKept(), told]).toEqual([false, [projectId]]);
  });

  test("is kept when it is needed again meanwhile, and producers are told anew when that trace goes, too", async () => {
    const [one, two] = [uuidv7(), uuidv7()];
    await writeEvents(database, [blob(), refers(one)]);
    await remove(one);
    await sweep({ settledBefore: EARLIER });
    await writeEvents(database, [blob(), refers(two)]);
    await remove(two);
    await sweep({ settledBefore: EARLIER });
    expect(told).toEqual([projectId, projectId]);
    await writeEvents(database, [refers(uuidv7())]);
    await sweep();
    expect([await isKept(), await released()]).toEqual([true, 0]);
  });

  test("that nothing ever refers to goes, and one whose reference comes in a later batch stays, without a word to producers", async () => {
    await writeEvents(database, [blob()]);
    await writeEvents(database, [refers(uuidv7())]);
    await sweep();
    expect([await isKept(), await released(), told]).toEqual([true, 0, []]);
    const lost = createHash("sha256").update("lost").digest("hex");
    await writeEvents(database, [producer.event("blob", { sha256: lost, content: "lost" })]);
    await sweep();
    expect([await isKept(lost), told]).toEqual([false, [projectId]]);
  });

  test("stays while nobody can say what waits on the stream, or could tell producers", async () => {
    const one = uuidv7();
    await writeEvents(database, [blob(), refers(one)]);
    await remove(one);
    const refused = new Error("Redis is away");
    await sweep({ tell: () => Promise.reject(refused) });
    expect([await isKept(), await released()]).toEqual([true, 1]);
    await sweep({ settledBefore: await findTimeBefore(database.query, settledSeconds(Number.NaN)) });
    await sweep({ settledBefore: await findTimeBefore(database.query, settledSeconds(Number.NaN)) });
    expect([await isKept(), told]).toEqual([true, [projectId]]);
  });

  test("takes dead letters with it that hold it", async () => {
    const one = uuidv7();
    await writeEvents(database, [blob(), refers(one)]);
    const entry = JSON.stringify(["type", "blob", "project_id", projectId, "body", JSON.stringify({ sha256: HASH, content: WORDS })]);
    await database.pool.query(
      "insert into observability.dead_letters (id, stream, entry_id, project_id, reason, entry) values (gen_random_uuid(), 's', $1, $2, $3, $4)",
      [uuidv7(), projectId, WORDS, entry],
    );
    await remove(one);
    await sweep();
    const { rows } = await database.pool.query("select entry, state, reason from observability.dead_letters where project_id = $1", [
      projectId,
    ]);
    expect(rows).toEqual([{ entry: "[]", state: "deleted", reason: "deleted with what it belonged to" }]);
  });
});

describe("a batch that needs a content at the moment it goes", needsRealPostgres, () => {
  beforeEach(async () => {
    const one = uuidv7();
    await writeEvents(database, [blob(), refers(one)]);
    await remove(one);
    await sweep({ settledBefore: EARLIER });
  });

  test("and commits first has kept it", async () => {
    // Producers' rows are written last.
    const batch = await heldUpBy("select from observability.producers where project_id = $1 for update", () =>
      writeEvents(database, [blob(), refers(uuidv7())]),
    );
    const going = deleteUnneeded(database.query, { projectId, settledBefore: LATER });
    await waiting(2);
    await batch.letGo();
    expect([await going, await isKept(), await released()]).toEqual([{ deleted: 0, isMore: false }, true, 0]);
  });

  test("and comes second writes it anew", async () => {
    const deletion = await heldUpBy("select from observability.released_blobs where project_id = $1 for update", () =>
      deleteUnneeded(database.query, { projectId, settledBefore: LATER }),
    );
    const batch = writeEvents(database, [blob(), refers(uuidv7())]);
    await waiting(2);
    await deletion.letGo();
    await batch;
    expect([await isKept(), await released()]).toEqual([true, 0]);
  });
});

/** Runs work that waits for a lock which is held until it is let go. */
async function heldUpBy(lock: string, work: () => Promise<unknown>) {
  const client = await database.pool.connect();
  await client.query("begin");
  await client.query(lock, [projectId]);
  const held = work();
  await waiting(1);
  return {
    letGo: async () => {
      await client.query("commit");
      client.release();
      await held;
    },
  };
}

async function waiting(count: number): Promise<void> {
  const waits = "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await database.pool.query<{ count: number }>(waits)).rows[0]?.count).toBe(count);
}

type Sweep = { readonly settledBefore?: Date; readonly tell?: () => Promise<void> };

async function sweep({ settledBefore = LATER, tell }: Sweep = {}): Promise<void> {
  await sweepBlobs({
    each: eachOwnerUnderTest(),
    query: database.query,
    settledBefore,
    tellProducers: tell ?? (async (project) => void told.push(project)),
    signal: new AbortController().signal,
  });
}

async function remove(...ids: readonly string[]): Promise<void> {
  await deleteTraces(database.query, { projectId, reader: { kind: "operator" }, ids });
}

async function isKept(hash = HASH): Promise<boolean> {
  const { rowCount } = await database.pool.query("select from observability.blobs where project_id = $1 and sha256 = $2", [
    projectId,
    hash,
  ]);
  return rowCount === 1;
}

async function released(): Promise<number | null> {
  return (await database.pool.query("select from observability.released_blobs where project_id = $1", [projectId])).rowCount;
}

function blob() {
  return producer.event("blob", { sha256: HASH, content: WORDS });
}

function refers(traceId: string) {
  const body = { trace_id: traceId, name: "chat", started_at: new Date().toISOString(), input: { messages: [{ $blob: HASH }] } };
  return producer.event("trace.start", body);
}
