import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { readIngested } from "#testing/ingested.ts";
import { HASTY_TUNING, startIngestionWorld, type IngestionWorld } from "#testing/ingestion-world.ts";
import { pythonProgram } from "#testing/python-program.ts";

/** `npm run prove:ingestion` sets them to 200,000 and 30. */
const EVENTS = Number(process.env["INGESTION_EVENTS"] ?? 4_000);
const DISTURBANCES = Number(process.env["INGESTION_KILLS"] ?? 7);
const EVENTS_OF_A_TRACE = 4;
const RATE = 200;
const TRIMMED = 300;
/** How often both SDKs send one. */
const HEARTBEAT_MS = 10_000;
const PATIENCE = { timeout: 120_000 + EVENTS * 3, interval: 20 };

const TYPESCRIPT = fileURLToPath(new URL("../../sdk/testing/produce.ts", import.meta.url));

const toldSchema = z.strictObject({ producer: z.uuid(), recorded: z.int(), last: z.int(), dropped: z.int() });

let world: IngestionWorld;
/** Two in Python and two in TypeScript; one that is killed is followed by another in the same language. */
let producers: Producer[];
let killedProducers: number;
/** How often those that were killed may have spoken of themselves. */
let wordsOfKilled: number;
afterEach(() => world.stop());

test(
  `of two producers in Python and two in TypeScript every event is a row or in a reported gap, whatever is killed and trimmed (TEST_SEED=${SEED})`,
  { skip: needsPython.skip || needsRealPostgres.skip, timeout: PATIENCE.timeout * 2 },
  async () => {
    const random = randomOf(SEED);
    world = await startIngestionWorld("postgres", HASTY_TUNING);
    producers = [startInPython(), startInTypeScript(), startInPython(), startInTypeScript()];
    [killedProducers, wordsOfKilled] = [0, 0];
    await vi.waitFor(async () => expect(await countSeen()).toBeGreaterThan(0), PATIENCE);
    for (const [index, disturb] of plan(random).entries()) {
      const from = ((index + random()) / (DISTURBANCES + 1)) * EVENTS;
      await vi.waitFor(async () => expect(await countSeen()).toBeGreaterThan(from), PATIENCE);
      await delay(random() * 1000);
      await disturb(random);
    }
    await vi.waitFor(async () => expect(await countSeen()).toBeGreaterThan(EVENTS), PATIENCE);
    const told = await Promise.all(producers.map(async (producer) => toldSchema.parse(JSON.parse(await producer.stop()))));
    await vi.waitFor(async () => expect(await world.backlog()).toBe(0), PATIENCE);
    const ingested = await vi.waitFor(async () => {
      const found = await readIngested(world.database);
      expect(found.unsettled).toBe(0);
      return found;
    }, PATIENCE);

    expect(told.map(({ dropped }) => dropped)).toEqual([0, 0, 0, 0]);
    const seen = await seenNumbers();
    // Of one that was killed nobody knows more than the last number that arrived, or that a later gap or word tells of.
    const last = new Map([...lastNumbers(seen, ingested.lost), ...told.map((each) => [each.producer, each.last] as const)]);
    for (const [producer, end] of last) {
      const numbers = Array.from({ length: end }, (_, index) => `${producer} ${index + 1}`);
      expect(
        numbers.filter((number) => seen.has(number) === ingested.lost.has(number)),
        "each number is stored or reported, none is both",
      ).toEqual([]);
    }
    const given = [...last.values()].reduce((sum, end) => sum + end, 0);
    expect(seen.size + ingested.lost.size).toBe(given);
    expect(new Set(ingested.halves).size, "no event is two rows").toBe(ingested.halves.length);
    // What else has numbers are words about the producer itself.
    const words = told.reduce((sum, each) => sum + each.last - each.recorded * EVENTS_OF_A_TRACE, wordsOfKilled);
    expect(seen.size - ingested.halves.length, "what was stored is a row, unless it is such a word").toBeLessThanOrEqual(words);
    expect(seen.size - ingested.halves.length).toBeGreaterThan(0);
    expect(killedProducers).toBeGreaterThan(0);
    expect(ingested.lost.size).toBeGreaterThan(0);
    expect(ingested.openLetters).toBe(0);
    console.log(
      `${given} numbers of ${last.size} producers, ${DISTURBANCES} disturbances (${killedProducers} producers killed): ${ingested.halves.length} rows, ${ingested.lost.size} reported as lost`,
    );
  },
);

type Producer = {
  readonly startedAt: number;
  /** Lets it send what is left; what it tells of itself. */
  readonly stop: () => Promise<string>;
  readonly kill: () => Promise<void>;
  readonly again: () => Producer;
};

function startInPython(): Producer {
  const { program, options } = pythonProgram("testing/produce.py");
  return start(program, options, startInPython);
}

function startInTypeScript(): Producer {
  return start([process.execPath, TYPESCRIPT], {}, startInTypeScript);
}

function start(
  [program, script]: readonly [string, string],
  options: { cwd?: string; env?: NodeJS.ProcessEnv },
  again: () => Producer,
): Producer {
  const given = [script, world.redisServer.url, world.stream, world.projectId, String(RATE)];
  const child = spawn(program, given, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const told = text(child.stdout);
  const ended = once(child, "exit");
  return {
    startedAt: Date.now(),
    stop: () => {
      child.stdin.end();
      return told;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    again,
  };
}

type Disturb = (random: () => number) => Promise<void>;

/** Each of them once before any comes again. */
function plan(random: () => number): readonly Disturb[] {
  const kinds = [killReplica, killRedis, killProducer, killDatabase, trim, killRedis, killProducer];
  return Array.from({ length: DISTURBANCES }, (_, index) => {
    const chosen = index < kinds.length ? index : Math.floor(random() * kinds.length);
    return kinds[chosen] ?? trim;
  });
}

async function countSeen(): Promise<number> {
  const count = "select coalesce(sum(upper(range) - lower(range)), 0)::int as count from observability.producers, unnest(seen) as range";
  const { rows } = await world.database.pool.query<{ count: number }>(count).catch(() => ({ rows: [] }));
  return rows[0]?.count ?? 0;
}

/** The numbers that were stored, as `producer seq`; none while the database is away. */
async function seenNumbers(): Promise<ReadonlySet<string>> {
  const { rows } = await world.database.pool
    .query<{ producer_id: string; first: number; past: number }>(
      "select producer_id, lower(range) as first, upper(range) as past from observability.producers, unnest(seen) as range",
    )
    .catch(() => ({ rows: [] }));
  return new Set(
    rows.flatMap(({ producer_id: producer, first, past }) =>
      Array.from({ length: past - first }, (_, index) => `${producer} ${first + index}`),
    ),
  );
}

function lastNumbers(...numbers: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const number of numbers.flatMap((each) => [...each])) {
    const [producer = "", seq] = number.split(" ");
    last.set(producer, Math.max(last.get(producer) ?? 0, Number(seq)));
  }
  return last;
}

async function killReplica(random: () => number): Promise<void> {
  const replica = world.replicas[random() < 0.5 ? 0 : 1];
  await replica?.kill();
  replica?.start();
}

async function killProducer(random: () => number): Promise<void> {
  const index = Math.floor(random() * producers.length);
  const killed = producers[index];
  await killed?.kill();
  killedProducers += 1;
  wordsOfKilled += 1 + Math.ceil((Date.now() - (killed?.startedAt ?? 0)) / HEARTBEAT_MS);
  producers = producers.map((producer) => (producer === killed ? producer.again() : producer));
}

async function killRedis(random: () => number): Promise<void> {
  await world.redisServer.kill();
  await delay(random() * 1000);
  await world.redisServer.start();
}

async function killDatabase(random: () => number): Promise<void> {
  await world.databaseServer.kill();
  await delay(random() * 1000);
  await world.databaseServer.start();
}

/** Entries that nobody has read are lost, as when the stream is too short for an outage. */
async function trim(): Promise<void> {
  await Promise.all(world.replicas.map((replica) => replica.kill()));
  await vi.waitFor(async () => expect(await world.backlog()).toBeGreaterThan(TRIMMED * 2), PATIENCE);
  await world.trim(TRIMMED);
  world.replicas.forEach((replica) => replica.start());
}
