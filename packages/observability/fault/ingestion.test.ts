import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { startIngestionWorld, type IngestionWorld } from "#testing/ingestion-world.ts";
import { readIngested } from "#testing/ingested.ts";
import { createNumberedProducer, type NumberedEntry } from "#testing/numbered-events.ts";
import { randomOf } from "#testing/random.ts";

/** `npm run prove:ingestion` sets them to 200,000 and 30. */
const EVENTS = Number(process.env["INGESTION_EVENTS"] ?? 6_000);
const KILLS = Number(process.env["INGESTION_KILLS"] ?? 4);
const SEED = Number(process.env["INGESTION_SEED"] ?? Date.now() % 1_000_000);
const TRIMS = 2;
const PRODUCERS = 8;
const PUBLISHED_AT_ONCE = 100;
/** Publishers wait for the consumers when so many entries are on the stream. */
const BACKLOG = Math.max(3_000, Math.min(EVENTS / 10, 20_000));
const PATIENCE = { timeout: 120_000 + EVENTS * 3, interval: 20 };

/** As in the product, but that nobody need wait: an entry is taken over after half a second and not fifteen. */
const TUNING = {
  blockMs: 100,
  claimIdleMs: 500,
  claimEveryMs: 200,
  reorderWindowMs: 4_000,
  findGapsEveryMs: 200,
  firstRetryMs: 20,
  lastRetryMs: 500,
};

let world: IngestionWorld;
afterEach(() => world.stop());

for (const [kind, options] of [
  ["postgres", needsRealPostgres],
  ["pglite", {}],
] as const) {
  const wanted = process.env["INGESTION_DATABASE"] ?? (EVENTS > 10_000 ? "postgres" : "both");
  test(
    `every event is one row, one dead letter or in a reported gap, however often ${kind}, Redis and consumers are killed`,
    { ...options, skip: (wanted !== "both" && wanted !== kind) || ("skip" in options && options.skip), timeout: PATIENCE.timeout * 2 },
    () => prove(kind),
  );
}

async function prove(kind: "postgres" | "pglite"): Promise<void> {
  const random = randomOf(SEED);
  world = await startIngestionWorld(kind, TUNING);
  const homelessProjectId = uuidv7();
  const producers = Array.from({ length: PRODUCERS }, () =>
    createNumberedProducer({ projectId: world.projectId, homelessProjectId, random, poison: 0.01 }),
  );
  const sent: NumberedEntry[] = [];
  const trimmed = new Set<string>();

  const publishing = producers.map(async (producer) => {
    while (sent.length < EVENTS) {
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
      await disturb(random, trimmed);
    }
  })();
  await Promise.all([...publishing, disturbing]);
  const byes = producers.map((producer) => producer.bye());
  await world.publish(byes);
  await vi.waitFor(async () => expect(await world.backlog()).toBe(0), PATIENCE);
  const ingested = await vi.waitFor(async () => {
    const found = await readIngested(world.database);
    expect(found.unsettled).toBe(0);
    return found;
  }, PATIENCE);

  const { lost, rows, letters } = ingested;
  const isLost = (entry: NumberedEntry) => lost.has(`${entry.producerId} ${entry.seq}`);
  const events = sent.filter(({ fate }) => fate === "row");
  const numberedPoison = sent.filter(({ fate }) => fate === "unreadable" || fate === "refused");
  const otherPoison = sent.filter(({ fate }) => fate === "homeless" || fate === "garbage");
  const idsOf = (entries: readonly NumberedEntry[]) => entries.map(({ id }) => id).toSorted();
  expect(rows.toSorted(), "rows = events − reported gaps, none twice").toEqual(idsOf(events.filter((event) => !isLost(event))));
  expect(ingested.halves.toSorted(), "each row has both halves that arrived").toEqual(rows.toSorted());
  expect(ingested.lostEvents, "no gap counts a number twice").toBe(lost.size);
  const numbers = new Set([...sent, ...byes].map(({ producerId, seq }) => `${producerId} ${seq}`));
  expect(
    [...lost].filter((number) => !numbers.has(number)),
    "gaps are of numbers that were given",
  ).toEqual([]);
  const lostEntries = sent.filter(isLost);
  expect(
    lostEntries.filter(({ id }) => !trimmed.has(id)),
    "nothing is lost that was not trimmed",
  ).toEqual([]);
  expect(lostEntries.length).toBeGreaterThan(0);

  const lettersOf = new Set(letters.keys());
  expect(
    [...lettersOf].filter((id) => !idsOf([...numberedPoison, ...otherPoison]).includes(id)),
    "only poison is set aside",
  ).toEqual([]);
  expect(idsOf(numberedPoison.filter(({ id }) => !lettersOf.has(id)))).toEqual(idsOf(numberedPoison.filter(isLost)));
  expect(otherPoison.filter(({ id }) => !lettersOf.has(id) && !trimmed.has(id))).toEqual([]);
  console.log(
    `${kind}, seed ${SEED}: ${sent.length} entries, ${KILLS} kills, ${TRIMS} trims of ${trimmed.size} entries; ${rows.length} rows, ${lost.size} events in ${ingested.gaps} gaps, ${lettersOf.size} poisoned entries set aside`,
  );
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
