import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { expect, vi } from "vitest";
import { tracePageSchema, traceSchema, type Trace } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createApiRig } from "./api-rig.ts";
import { createConsumerRig } from "./consumer-rig.ts";
import { everywhere, readFailures } from "./read-failures.ts";

/** What an agent says of its runs because of how it is built. */
export type GraphTruth = {
  readonly name: string;
  readonly traceName: string;
  readonly status: string;
  /** `from -via-> to`, with ` ×n` when it was gone more than once. */
  readonly taken: readonly string[];
  /** Traces of that name. */
  readonly traces: number;
};

export type GraphFixture = Awaited<ReturnType<typeof createGraphFixture>>;

/** Real agents under a real SDK, in processes of their own, and what the platform then says of their runs. */
export async function createGraphFixture() {
  const database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  const rig = await createConsumerRig(database);
  const api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
  await rig.start();
  return {
    api,
    database,
    projectId: rig.projectId,
    /** Runs a program with the stream's address behind its own arguments, until all that it published is stored; returns what it printed. */
    async run(program: readonly string[], rest: readonly string[] = [], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
      const [file = "", ...script] = program;
      const given = [...script, rig.redis.url, rig.stream, rig.projectId, ...rest];
      const { stdout } = await promisify(execFile)(file, given, { ...options, timeout: 60_000 });
      await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), { timeout: 20_000 });
      return stdout;
    },
    async tracesNamed(name: string): Promise<readonly Trace[]> {
      const query = `limit=200&name=${encodeURIComponent(name)}`;
      const page = tracePageSchema.parse((await api.get(`/api/v1/projects/${rig.projectId}/traces?${query}`)).body);
      const answers = await Promise.all(page.items.map(({ id }) => api.get(`/api/v1/traces/${id}`)));
      return answers.map(({ status, body }) => {
        expect({ status, error: body["message"] }).toEqual({ status: 200, error: undefined });
        return traceSchema.parse(body);
      });
    },
    async close() {
      await api.close();
      await rig.close();
      await database.drop();
    },
  };
}

/** What is stored of every run, beside what is known of it. */
export async function compareWithTruths(fixture: GraphFixture, truths: readonly GraphTruth[]) {
  const stored = await Promise.all(
    truths.map(async ({ traceName }) => {
      const traces = await fixture.tracesNamed(traceName);
      return traces.map((trace) => ({ traceName, status: trace.status, taken: spellTaken(trace) }));
    }),
  );
  const known = truths.map(({ traceName, status, taken, traces }) =>
    Array.from({ length: traces }, () => ({ traceName, status, taken: taken.toSorted() })),
  );
  return { stored, known };
}

/** What is told of the agent whose node caught a failure of its tool twice before the recursion limit ended it. */
export async function expectCaughtFailures(fixture: GraphFixture): Promise<void> {
  const traceName = "a tool whose failure is caught, again and again, until the limit #1";
  const { outline, ...told } = await readFailures({ ...fixture, traceName });
  expect(told).toEqual({
    counts: everywhere(3),
    causes: ["find_order", "find_order"],
    caught: { find_order: "again" },
    reason: undefined,
    exported: { causes: ["find_order", "find_order"], reason: undefined },
  });
  expect(outline).toMatch(/^error of the run itself: GraphRecursionError: Recursion limit of 2 reached/mu);
  expect(outline).toMatch(/^failed 2 times, caught by again \(step \w+\): again > find_order \(tool, step \w+\)$/mu);
}

export function spellTaken(trace: Trace | undefined): readonly string[] {
  return (trace?.graph?.taken ?? [])
    .map(({ from, to, via, count }) => `${from ?? "?"} -${via}-> ${to}${count === 1 ? "" : ` ×${count}`}`)
    .toSorted();
}
