import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentPageSchema, type Experiment } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { pythonProgram } from "#testing/python-program.ts";

const CONFIG = fileURLToPath(new URL("../../sdk/testing/item-tests.config.ts", import.meta.url));
const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

/** The plugins of test runners in real processes of these, against the real API, and traces through a real stream. */
describe("items of a dataset as tests", () => {
  let database: TestDatabase<ObservabilitySchema>;
  let consumer: ConsumerRig;
  let rig: EvaluationRig;
  let address: string;
  let cache: string;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    consumer = await createConsumerRig(database);
    rig = await createEvaluationRig(database);
    await consumer.start();
    address = await rig.api.server.listen({ port: 0, host: "127.0.0.1" });
    cache = await mkdtemp(join(tmpdir(), "sightline-evaluate-"));
  });
  afterAll(async () => {
    await rig.close();
    await consumer.close();
    await database.drop();
    await rm(cache, { recursive: true });
  });

  async function makeItems() {
    const called = [{ type: "tool", tool: "find_order" }];
    const datasetId = await rig.makeDataset([
      { input: "one", expected: "hello one", required: true },
      { input: "looks", checks: called, required: true },
      { input: "misses", checks: called, required: true },
      { input: "fails", required: true },
      { input: "two", expected: "hello me" },
    ]);
    const items = await rig.readItems(datasetId);
    return { datasetId, idOf: (wanted: string) => items.find(({ input }) => input === wanted)?.id ?? "" };
  }

  async function run([program = "", ...words]: readonly string[], datasetId: string, options: { cwd?: string; env?: NodeJS.ProcessEnv }) {
    const env = {
      ...process.env,
      ...options.env,
      XDG_CACHE_HOME: cache,
      NO_COLOR: "1",
      COLUMNS: "300",
      DATASET: datasetId,
      OBS_API_URL: address,
      OBS_API_KEY: rig.key,
      OBS_PROJECT_ID: rig.projectId,
      OBS_REDIS_URL: consumer.redis.url,
      OBS_STREAM_NAME: consumer.stream,
    };
    const ended = promisify(execFile)(program, words, { ...options, env, timeout: 60_000 });
    return await ended.then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { readonly code: number; readonly stdout: string }) => ({ code: error.code, stdout: error.stdout }),
    );
  }

  async function experimentOf(datasetId: string): Promise<Experiment | undefined> {
    const { items } = experimentPageSchema.parse((await rig.get(`/experiments?dataset_id=${datasetId}`)).body);
    expect(items).toHaveLength(1);
    return items[0];
  }

  describe("of pytest", needsPython, () => {
    const pytest = async (datasetId: string, ...rest: readonly string[]) => {
      const { program, options } = pythonProgram("-m");
      return await run([...program, "pytest", "-p", "sightline_pytest", "-rA", "testing/item_tests.py", ...rest], datasetId, options);
    };

    test("required ones fail the run, the others are left to the gate", { timeout: 60_000 }, async () => {
      const { datasetId, idOf } = await makeItems();
      const { code, stdout } = await pytest(datasetId);
      const about = (input: string, number: number) => `testing/item_tests.py::test_agent[${idOf(input)} #${number}]`;
      expect(stdout).toContain(`PASSED ${about("one", 2)}`);
      expect(stdout).toContain(`PASSED ${about("looks", 1)}`);
      expect(stdout).toContain(
        `FAILED ${about("misses", 1)} - Failed: a required item failed: checks: find_order is called: it was called 0 times`,
      );
      expect(stdout).toContain(`FAILED ${about("fails", 2)} - Failed: a required item failed: LookupError: no order`);
      expect(stdout).toContain(`XFAIL ${about("two", 1)} - left to the gate: exact: 0`);
      expect(stdout).toContain(
        "FAILED testing/item_tests.py::test_without_a_dataset[items] - Failed: EvaluationError: The project has no dataset",
      );
      expect(stdout).toContain("version 1 · 5 items × 2 · 8 succeeded, 2 failed · finished");
      expect(stdout).toContain("5 failed, 5 passed, 2 xfailed");
      expect(code).toBe(1);
      expect(await experimentOf(datasetId)).toMatchObject({ name: "test_agent", state: "finished", runs: { succeeded: 8, failed: 2 } });
    });

    test("only those that are chosen are run", { timeout: 60_000 }, async () => {
      const { datasetId, idOf } = await makeItems();
      const { code, stdout } = await pytest(datasetId, "-k", `${idOf("one")} or own`);
      expect(stdout).toContain("3 passed");
      expect(code).toBe(0);
      expect(await experimentOf(datasetId)).toMatchObject({ state: "cancelled", runs: { succeeded: 2, failed: 0 } });
    });

    test("Ctrl-C cancels what runs", { timeout: 60_000 }, async () => {
      const datasetId = await rig.makeDataset([{ input: "one" }, { input: "interrupts" }]);
      expect((await pytest(datasetId)).code).toBe(2);
      expect(await experimentOf(datasetId)).toMatchObject({ state: "cancelled", runs: { failed: 0, missing: 0 } });
    });
  });

  describe("of Vitest", () => {
    const vitest = async (datasetId: string, ...rest: readonly string[]) =>
      await run([process.execPath, VITEST, "run", "--config", CONFIG, "--reporter", "verbose", ...rest], datasetId, {
        cwd: dirname(CONFIG),
      });

    test("required ones fail the run, the others are left to the gate", { timeout: 60_000 }, async () => {
      const { datasetId, idOf } = await makeItems();
      const { code, stdout } = await vitest(datasetId);
      const about = (input: string, number: number) => `item-tests.ts > agent over ${datasetId} > ${idOf(input)} #${number}`;
      expect(stdout).toContain(`✓ ${about("one", 2)}`);
      expect(stdout).toContain(`✓ ${about("looks", 1)}`);
      expect(stdout).toContain(`× ${about("misses", 1)}`);
      expect(stdout).toContain("→ a required item failed: checks: find_order is called: it was called 0 times");
      expect(stdout).toContain(`× ${about("fails", 2)}`);
      expect(stdout).toContain("→ a required item failed: RangeError: no order");
      expect(stdout).toContain(`↓ ${about("two", 1)}`);
      expect(stdout).toContain("[left to the gate: exact: 0]");
      expect(stdout).toContain("version 1 · 5 items × 2 · 8 succeeded, 2 failed · finished");
      expect(stdout).toContain("4 failed | 5 passed | 2 skipped");
      expect(code).toBe(1);
      expect(await experimentOf(datasetId)).toMatchObject({ name: "agent", state: "finished", runs: { succeeded: 8, failed: 2 } });
    });

    test("only those that are chosen are run", { timeout: 60_000 }, async () => {
      const { datasetId, idOf } = await makeItems();
      const { code, stdout } = await vitest(datasetId, "-t", idOf("one"));
      expect(stdout).toContain("2 passed");
      expect(code).toBe(0);
      expect(await experimentOf(datasetId)).toMatchObject({ state: "cancelled", runs: { succeeded: 2, failed: 0 } });
    });

    test("Ctrl-C cancels what runs", { timeout: 60_000 }, async () => {
      const datasetId = await rig.makeDataset([{ input: "one" }, { input: "interrupts" }]);
      expect((await vitest(datasetId)).code).toBe(1);
      expect(await experimentOf(datasetId)).toMatchObject({ state: "cancelled", runs: { failed: 0, missing: 0 } });
    });
  });
});
