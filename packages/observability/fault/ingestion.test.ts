import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { insertProject } from "#store/projects.store.ts";
import { HASTY_TUNING, startIngestionWorld, type IngestionWorld } from "#testing/ingestion-world.ts";
import { readFigures, readIngested, type Ingested } from "#testing/ingested.ts";
import { createNumberedProducer, type NumberedEntry } from "#testing/numbered-events.ts";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { replayLetters } from "#testing/replay-letters.ts";

/** `npm run prove:ingestion` sets them to 200,000 and 30. */
const EVENTS = Number(process.env["INGESTION_EVENTS"] ?? 3_000);
const KILLS = Number(process.env["INGESTION_KILLS"] ?? 4);
const TRIMS = 2;
const PRODUCERS = 8;
const PUBLISHED_AT_ONCE = 100;
/** Publishers wait for the consumers when so many entries are on the stream. */
const BACKLOG = Math.min(Math.max(EVENTS / 10, 1_000), 20_000);
const PATIENCE = { timeout: 120_000 + EVENTS * 3, interval: 20 };

let world: IngestionWorld;
afterEach(() => world.stop());

/** `INGESTION_DATABASE=pglite` proves it of the embedded one. */
const DATABASE =
  (process.env["INGESTION_DATABASE"] ?? (needsRealPostgres.skip ? "pglite" : "postgres")) === "pglite" ? "pglite" : "postgres";

test(
  `every event is one row, one dead letter or in a reported gap, however often database, Redis and consumers are killed (TEST_SEED=${SEED})`,
  async () => {
    const random = randomOf(SEED);
    world = await startIngestionWorld(DATABASE, HASTY_TUNING);
    const homelessProjectId = uuidv7();
    const producers = Array.from({ length: PRODUCERS }, () =>
      createNumberedProducer({ projectId: world.projectId, homelessProjectId, random, poison: 0.01 }),
    );
    const sent: NumberedEntry[] = [];
    const trimmed = new Set<string>();

    const disturbed = new AbortController();
    const publishing = producers.map(async (producer) => {
      // To the last kill, so that none comes when all is done.
      while (sent.length < EVENTS || !disturbed.signal.aborted) {
        const entries = producer.next(PUBLISHED_AT_ONCE);
        await world.publish(entries);
        sent.push(...entries);
        if (random() < 0.05) {
          await world.publish(entries);
        }
        await vi.waitFor(async () => expect(await world.backlog()).toBeLessThan(BACKLOG), PATIENCE);
      }
    });
    const disturbances = plan(random);
    const disturbing = (async () => {
      for (const [index, disturb] of disturbances.entries()) {
        const from = ((index + random()) / (disturbances.length + 1)) * EVENTS;
        await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(from), PATIENCE);
        await delay(random() * 200);
        await vi.waitFor(async () => expect(await world.inHand()).toBeGreaterThan(0), { ...PATIENCE, interval: 2 });
        await disturb(random, trimmed);
      }
      disturbed.abort();
    })();
    await Promise.all([...publishing, disturbing]);
    const byes = producers.map((producer) => producer.bye());
    await world.publish(byes);
    await vi.waitFor(async () => expect(await world.backlog()).toBe(0), PATIENCE);
    const ingested = await settled();

    const { lost, rows, letters } = ingested;
    const isLost = (entry: NumberedEntry) => lost.has(`${entry.producerId} ${entry.seq}`);
    const idsOf = (accepts: (entry: NumberedEntry) => boolean) => sent.filter(accepts).map(({ id }) => id);
    const events = idsOf((entry) => entry.fate === "row" && !isLost(entry));
    expect(compare(rows, events), "rows = events − reported gaps, none twice").toEqual(SAME);
    expect(compare(ingested.halves, events), "each of them is the start or the end of a trace or an observation").toEqual(SAME);
    const numbers = new Set([...sent, ...byes].map(({ producerId, seq }) => `${producerId} ${seq}`));
    expect(
      [...lost].filter((number) => !numbers.has(number)),
      "gaps are of numbers that were given",
    ).toEqual([]);
    expect(ingested.lostEvents, "no number is in two gaps").toBe(lost.size);
    expect(
      idsOf(isLost).filter((id) => !trimmed.has(id)),
      "nothing is lost that was not trimmed",
    ).toEqual([]);
    expect(lost.size, "what was trimmed is reported").toBeGreaterThan(0);

    const setAside = new Set(letters.keys());
    const poison = new Set(idsOf(({ fate }) => fate !== "row"));
    expect(
      [...setAside].filter((id) => !poison.has(id)),
      "only poison is set aside",
    ).toEqual([]);
    const counted = idsOf((entry) => (entry.fate === "unreadable" || entry.fate === "refused") && !isLost(entry));
    expect(
      counted.filter((id) => !setAside.has(id)),
      "all poison with a number is set aside or in a gap",
    ).toEqual([]);
    const uncounted = idsOf(({ fate, id }) => (fate === "homeless" || fate === "garbage") && !trimmed.has(id));
    expect(
      uncounted.filter((id) => !setAside.has(id)),
      "all other poison is set aside, unless it was trimmed",
    ).toEqual([]);

    await insertProject(world.database.query, { id: homelessProjectId, tenantId: "tenant-1", name: "found" });
    const fates = new Map(sent.map(({ id, fate }) => [id, fate]));
    const { database, redisServer, stream } = world;
    const replayed = await replayLetters({ database, redisUrl: redisServer.url, stream, fateOf: (id) => fates.get(id) });
    await vi.waitFor(async () => expect(await world.backlog()).toBe(0), PATIENCE);
    const afterwards = await settled();
    expect(replayed.size).toBeGreaterThan(0);
    expect(compare(afterwards.rows, [...rows, ...replayed]), "what was replayed is a row").toEqual(SAME);
    expect(afterwards.openLetters, "no dead letter is left").toBe(0);
    expect(afterwards.lost).toEqual(lost);
    const figures = await vi.waitFor(async () => {
      const found = await readFigures(world.database);
      expect(found).toMatchObject({ marks: 0 });
      return found;
    }, PATIENCE);
    expect(figures, "each row is counted once").toMatchObject({
      counted_traces: figures?.traces,
      counted_observations: figures?.observations,
    });
    console.log(
      `${DATABASE}: ${sent.length} entries, ${KILLS} kills, ${TRIMS} trims of ${trimmed.size} entries; ${rows.length} rows, ${lost.size} events in ${ingested.gaps} gaps, ${setAside.size} poisoned entries set aside, ${replayed.size} of them replayed`,
    );
  },
  PATIENCE.timeout * 2,
);

type Comparison = { readonly missing: readonly string[]; readonly unexpected: readonly string[]; readonly twice: number };

const SAME: Comparison = { missing: [], unexpected: [], twice: 0 };

function compare(actual: readonly string[], expected: readonly string[]): Comparison {
  const [found, wanted] = [new Set(actual), new Set(expected)];
  return {
    missing: [...wanted].filter((id) => !found.has(id)).slice(0, 10),
    unexpected: [...found].filter((id) => !wanted.has(id)).slice(0, 10),
    twice: actual.length - found.size,
  };
}

/** When every hole was judged. */
async function settled(): Promise<Ingested> {
  return vi.waitFor(async () => {
    const found = await readIngested(world.database);
    expect(found.unsettled).toBe(0);
    return found;
  }, PATIENCE);
}

type Disturbance = (random: () => number, trimmed: Set<string>) => Promise<void>;

/** Each kind of server is killed before any is killed again; trims come in the middle and near the end. */
function plan(random: () => number): readonly Disturbance[] {
  const victims = [
    () => killReplica(0),
    () => killServer("databaseServer", random),
    () => killServer("redisServer", random),
    () => killReplica(1),
  ];
  const kills = Array.from({ length: KILLS }, (_, index) => {
    const chosen = index < victims.length ? index : Math.floor(random() * victims.length);
    return victims[chosen] ?? (() => killReplica(0));
  });
  const every = Math.ceil(KILLS / TRIMS);
  return kills.flatMap((kill, index) => ((index + 1) % every === 0 ? [kill, trim] : [kill]));
}

async function killReplica(index: number): Promise<void> {
  const replica = world.replicas[index];
  await replica?.kill();
  expect(await world.backlog(), "a consumer was killed while there was work").toBeGreaterThan(0);
  replica?.start();
}

async function killServer(name: "databaseServer" | "redisServer", random: () => number): Promise<void> {
  await world[name].kill();
  await delay(random() * 500);
  await world[name].start();
}

/** Of a backlog that consumers have read a part of and died with, the older half is lost, as when the stream is too short. */
async function trim(_random: () => number, trimmed: Set<string>): Promise<void> {
  await Promise.all(world.replicas.map((replica) => replica.kill()));
  await vi.waitFor(async () => expect(await world.backlog()).toBeGreaterThan(BACKLOG / 4), PATIENCE);
  for (const fields of await world.trim(Math.floor(BACKLOG / 8))) {
    const id = fields[0] === "hello" ? fields[1] : fields[fields.indexOf("id") + 1];
    trimmed.add(id ?? "");
  }
  world.replicas.forEach((replica) => replica.start());
}
