import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { tracePageSchema, type TracePage } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { indexTexts } from "#text/index-texts.ts";
import type { Producer } from "./agent-run.ts";
import { createApiRig, type ApiRig } from "./api-rig.ts";
import { findText } from "./find-text.ts";

export const AT = "2026-11-21T10:00:00.000Z";
export const SYSTEM = {
  role: "system",
  content: "You help the customers of Northwind with their orders, and say nothing that you don't know.",
};

type Step = {
  readonly kind?: "llm" | "tool";
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: string;
  readonly reasoning?: string;
  readonly parameters?: Record<string, unknown>;
};

/** A trace with a step. */
export function saying(by: Producer, step: Step, { id = uuidv7(), user }: { readonly id?: string; readonly user?: string } = {}) {
  const [ids, status] = [{ trace_id: id, observation_id: uuidv7() }, step.error === undefined ? "success" : "failure"] as const;
  const { kind = "llm", parameters, reasoning } = step;
  return {
    id,
    step: ids.observation_id,
    events: [
      by.event("trace.start", { trace_id: id, name: "agent", started_at: AT, ...(user === undefined ? {} : { user_id: user }) }),
      by.event("observation.start", { ...ids, parent_id: null, kind, name: "call", started_at: AT, input: step.input }),
      by.event("observation.end", {
        ...ids,
        ended_at: AT,
        duration_ms: 1,
        status,
        output: step.output,
        ...(step.error === undefined ? {} : { error: step.error }),
        ...(reasoning === undefined ? {} : { reasoning: { text: reasoning, truncated: false, original_chars: reasoning.length } }),
        ...(parameters === undefined ? {} : { tool_entry: { tool_name: "call", parameters, result: step.output, timestamp: AT, status } }),
      }),
      by.event("trace.end", { trace_id: id, ended_at: AT, status: "success" }),
    ],
  };
}

export type TextFixture = {
  readonly database: TestDatabase<ObservabilitySchema>;
  readonly api: ApiRig;
  readonly createProject: () => Promise<string>;
  /** Reads all that a project has written. */
  readonly index: (projectId: string) => Promise<void>;
  readonly list: (projectId: string, q: string, cursor?: string | null) => Promise<TracePage>;
  /** The ids of the traces that a query finds. */
  readonly found: (projectId: string, q: string) => Promise<readonly string[]>;
  /** How many texts are kept of a project. */
  readonly countTexts: (projectId: string) => Promise<number>;
  /** Where a text is, in any column of any table. */
  readonly whereIs: (text: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export async function createTextFixture(): Promise<TextFixture> {
  const database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  const redis = await createTestRedis();
  const api = await createApiRig({
    database,
    redisUrl: redis.url,
    stream: `${redis.prefix}events`,
    heartbeatKey: `${redis.prefix}heartbeat`,
  });
  async function list(projectId: string, q: string, cursor?: string | null): Promise<TracePage> {
    const after = cursor === undefined || cursor === null ? "" : `&cursor=${cursor}`;
    const { status, body } = await api.get(`/api/v1/projects/${projectId}/traces?q=${encodeURIComponent(q)}${after}`);
    if (status !== 200) {
      throw new Error(`${q}: ${JSON.stringify(body)}`);
    }
    return tracePageSchema.parse(body);
  }
  return {
    database,
    api,
    createProject: async () => {
      const id = uuidv7();
      await insertProject(database.query, { id, tenantId: "tenant-1", name: "texts" });
      return id;
    },
    index: async (projectId) => {
      while ((await indexTexts(database.query, projectId)) > 0) {
        // What is left.
      }
    },
    list,
    found: async (projectId, q) => (await list(projectId, q)).items.map(({ id }) => id),
    countTexts: async (projectId) => {
      const { rows } = await database.pool.query<{ count: number }>(
        "select count(*)::int as count from observability.step_texts where project_id = $1",
        [projectId],
      );
      return rows[0]?.count ?? -1;
    },
    whereIs: (text) => findText(database, redis.client, [text]),
    close: async () => {
      await api.close();
      await redis.close();
      await database.drop();
    },
  };
}
