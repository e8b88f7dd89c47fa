import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createAnnotationRig, type AnnotationRig } from "#testing/annotation-rig.ts";
import { claimSlot } from "./slots.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: AnnotationRig;
let projectId: string;
let base: string;
const as = (person: string) => `tenant-1:member:${person}`;
/** Statements that wait for a lock. */
const WAITING = `select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;

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

/** Holds the table until so many statements wait for it, and then lets all of them go on. */
async function atOnce<Result>(count: number, start: () => readonly Promise<Result>[]): Promise<readonly Result[]> {
  const barrier = await database.pool.connect();
  await barrier.query("begin; lock table observability.annotations in access exclusive mode");
  const started = start();
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(`${WAITING} and relation = 'observability.annotations'::regclass`);
    expect(rows).toHaveLength(count);
  });
  await barrier.query("commit");
  barrier.release();
  return Promise.all(started);
}

test(
  "eight people at once get no more slots than there are, over two replicas, and each trace once",
  { skip: needsRealPostgres.skip },
  async () => {
    const other = createDatabase<ObservabilitySchema>({ url: database.url, poolSize: 8, applicationName: "other", log: silentLog });
    const replica = await rig.createReplica({ ...database, ...other });
    const [traces, annotators, people] = [await endTraces(12), 3, Array.from({ length: 8 }, (_, at) => as(`person-${at}`))];
    const queue = await makeQueue(traces, { annotators });
    const given: string[] = [];
    while (given.length < traces.length * annotators) {
      // All of them wait at one barrier, some twice, as by a second tab; all answer before anybody asks again.
      const asking = people.flatMap((person, at) =>
        [rig.api, ...(at < 3 ? [replica] : [])].map((_rig, tab) => [person, (at + tab) % 2 === 0 ? rig.api : replica] as const),
      );
      const claims = await atOnce(asking.length, () =>
        asking.map(async ([person, from]) => [person, await queue.claim(person, from)] as const),
      );
      const held = new Set(claims.flatMap(([person, trace]) => (trace === undefined ? [] : [`${person} ${trace}`])));
      expect(held.size).toBeGreaterThan(0);
      await Promise.all(
        [...held].map(async (each, at) => {
          const [person = "", trace = ""] = each.split(" ");
          expect(
            (await queue.say(person, trace, { labels: [{ name: "polite", value: true }] }, at % 2 === 0 ? rig.api : replica)).status,
          ).toBe(200);
        }),
      );
      given.push(...held);
    }
    expect(new Set(given).size).toBe(given.length);
    const labels = await Promise.all(traces.map(async (trace) => (await rig.scoresOf(base, trace)).length));
    expect(labels).toEqual(traces.map(() => annotators));
    expect(await queue.read()).toMatchObject({ done: traces.length, for_you: 0 });
    await replica.close();
    await other.close();
  },
);

test("two tabs of one person that ask at once are given one and the same trace", { skip: needsRealPostgres.skip }, async () => {
  const [trace = ""] = await endTraces(1);
  const { id } = await makeQueue([trace], { annotators: 2 });
  const queue = { projectId, id, reader: { kind: "operator" } } as const;
  const { second } = await database.query.transaction().execute(async (transaction) => {
    expect(await claimSlot(transaction, queue, "ann")).toBe(trace);
    // It has chosen the other slot of the trace, and waits to learn whether the first tab is let pass.
    const started = claimSlot(database.query, queue, "ann");
    await vi.waitFor(async () => expect((await database.pool.query(`${WAITING} and locktype = 'transactionid'`)).rows).toHaveLength(1));
    return { second: started };
  });
  expect(await second).toBe(trace);
  const { rows } = await database.pool.query("select from observability.annotations where queue_id = $1 and annotator = 'ann'", [id]);
  expect(rows).toHaveLength(1);
});

test("of two who end a trace at once the second makes scores of both", { skip: needsRealPostgres.skip }, async () => {
  const [trace = ""] = await endTraces(1);
  const queue = await makeQueue([trace], { annotators: 2 });
  const people = [as("ann"), as("bob")];
  await queue.claim(as("ann"));
  await queue.claim(as("bob"));
  const label = { labels: [{ name: "polite", value: true }] };
  const answers = await atOnce(2, () => people.map((person) => queue.say(person, trace, label)));
  expect(answers.filter(({ body }) => body["is_done"] === true)).toHaveLength(1);
  expect(await rig.scoresOf(base, trace)).toHaveLength(2);
});
