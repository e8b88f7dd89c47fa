import { spawn } from "node:child_process";
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

/** `npm run prove:ingestion` sets it to 200,000. */
const EVENTS = Number(process.env["INGESTION_EVENTS"] ?? 4_000);
const EVENTS_OF_A_TRACE = 4;
const RATE = 200;
const TRIMMED = 300;
const PATIENCE = { timeout: 120_000 + EVENTS * 3, interval: 20 };

const TYPESCRIPT = fileURLToPath(new URL("../../sdk/testing/produce.ts", import.meta.url));

const toldSchema = z.strictObject({ producer: z.uuid(), recorded: z.int(), last: z.int(), dropped: z.int() });

let world: IngestionWorld;
afterEach(() => world.stop());

test(
  `of two producers in Python and two in TypeScript every event is a row or in a reported gap, whatever is killed and trimmed (TEST_SEED=${SEED})`,
  { skip: needsPython.skip || needsRealPostgres.skip, timeout: PATIENCE.timeout * 2 },
  async () => {
    const random = randomOf(SEED);
    world = await startIngestionWorld("postgres", HASTY_TUNING);
    const producers = [startInPython(), startInTypeScript(), startInPython(), startInTypeScript()];
    await vi.waitFor(async () => expect(await seenEvents()).toBeGreaterThan(0), PATIENCE);
    const disturbances = [killReplica, killRedis, killDatabase, trim, killRedis, killReplica];
    for (const disturb of disturbances) {
      await delay(random() * 1000);
      await disturb(random);
    }
    await vi.waitFor(async () => expect(await seenEvents()).toBeGreaterThan(EVENTS), PATIENCE);
    const told = await Promise.all(producers.map(async (producer) => toldSchema.parse(JSON.parse(await producer.stop()))));
    await vi.waitFor(async () => expect(await world.backlog()).toBe(0), PATIENCE);
    const ingested = await vi.waitFor(async () => {
      const found = await readIngested(world.database);
      expect(found.unsettled).toBe(0);
      return found;
    }, PATIENCE);

    const seen = await seenNumbers();
    expect(told.map(({ dropped }) => dropped)).toEqual([0, 0, 0, 0]);
    for (const { producer, last } of told) {
      const numbers = Array.from({ length: last }, (_, index) => `${producer} ${index + 1}`);
      expect(
        numbers.filter((number) => seen.has(number) === ingested.lost.has(number)),
        "each number is stored or reported, none is both",
      ).toEqual([]);
    }
    const given = told.reduce((sum, { last }) => sum + last, 0);
    const recorded = told.reduce((sum, each) => sum + each.recorded * EVENTS_OF_A_TRACE, 0);
    expect(new Set(ingested.halves).size, "no event is two rows").toBe(ingested.halves.length);
    expect(seen.size + ingested.lost.size).toBe(given);
    // What else has numbers are words about the producer itself, which may be among the lost.
    const missing = recorded - ingested.halves.length;
    expect(missing).toBeLessThanOrEqual(ingested.lost.size);
    expect(missing).toBeGreaterThanOrEqual(ingested.lost.size - (given - recorded));
    expect(ingested.lost.size).toBeGreaterThan(0);
    expect(ingested.openLetters).toBe(0);
    console.log(
      `${given} numbers: ${ingested.halves.length} rows, ${given - recorded} words about producers, ${ingested.lost.size} reported as lost`,
    );
  },
);

type Producer = { readonly stop: () => Promise<string> };

function startInPython(): Producer {
  const { program, options } = pythonProgram("testing/produce.py");
  return start(program, options);
}

function startInTypeScript(): Producer {
  return start([process.execPath, TYPESCRIPT], {});
}

function start([program, script]: readonly [string, string], options: { cwd?: string; env?: NodeJS.ProcessEnv }): Producer {
  const given = [script, world.redisServer.url, world.stream, world.projectId, String(RATE)];
  const child = spawn(program, given, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const told = text(child.stdout);
  return {
    stop: () => {
      child.stdin.end();
      return told;
    },
  };
}

async function seenEvents(): Promise<number> {
  return (await seenNumbers()).size;
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

async function killReplica(random: () => number): Promise<void> {
  const replica = world.replicas[random() < 0.5 ? 0 : 1];
  await replica?.kill();
  replica?.start();
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
