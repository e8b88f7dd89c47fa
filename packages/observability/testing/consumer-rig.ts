import { systemClock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import type { Logger } from "@sightline/foundation/log";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import type { StreamEvent } from "#events/event.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createStreamConsumer, type Consumer, type ConsumerOptions } from "#ingest/stream-consumer.ts";
import { defaultTuning, type Tuning } from "#ingest/tuning.ts";
import { insertProject } from "#store/projects.store.ts";
import { fieldsOf } from "./agent-run.ts";

type StartOptions = {
  readonly tuning?: Partial<Tuning>;
  readonly log?: Logger;
  readonly database?: Database<ObservabilitySchema>;
  readonly config?: Partial<ConsumerOptions["config"]>;
};

export type ConsumerRig = {
  readonly database: TestDatabase<ObservabilitySchema>;
  readonly redis: TestRedis;
  readonly stream: string;
  readonly group: string;
  readonly heartbeatKey: string;
  readonly projectId: string;
  readonly publish: (events: readonly StreamEvent[]) => Promise<void>;
  readonly start: (options?: StartOptions) => Promise<{ readonly consumer: Consumer; readonly metric: (name: string) => Promise<number> }>;
  readonly close: () => Promise<void>;
};

const quick: Partial<Tuning> = { blockMs: 50, firstRetryMs: 20, lastRetryMs: 100, heartbeatEveryMs: 0, maskingKnownMs: 0 };

/** The database emptied but for one project, a stream and a group of the test's own, and consumers over them that are stopped at the end. */
export async function createConsumerRig(database: TestDatabase<ObservabilitySchema>): Promise<ConsumerRig> {
  await clearTables(database);
  const redis = await createTestRedis();
  const [stream, group, heartbeatKey] = [`${redis.prefix}events`, `${redis.prefix}group`, `${redis.prefix}heartbeat`];
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  const started: Consumer[] = [];
  return {
    database,
    redis,
    stream,
    group,
    heartbeatKey,
    projectId,
    publish: async (events) => {
      const pipeline = redis.client.pipeline();
      for (const event of events) {
        pipeline.xadd(stream, "*", ...fieldsOf(event));
      }
      await pipeline.exec();
    },
    start: async (options = {}) => {
      const metrics = createMetrics("test");
      const consumer = createStreamConsumer(
        {
          config: {
            OBSERVABILITY_ENABLED: true,
            OBSERVABILITY_REDIS_URL: redis.url,
            OBSERVABILITY_STREAM_NAME: stream,
            OBSERVABILITY_STREAMS: 1,
            OBSERVABILITY_GROUP_NAME: group,
            OBSERVABILITY_CONSUMER_NAME: "consumer",
            OBSERVABILITY_BATCH_SIZE: 100,
            ...options.config,
          },
          log: options.log ?? silentLog,
          clock: systemClock,
          database: options.database ?? database,
          metrics,
        },
        heartbeatKey,
        { ...defaultTuning, ...quick, ...options.tuning },
      );
      started.push(consumer);
      await consumer.start();
      return {
        consumer,
        metric: async (name) => {
          const values = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
          return values.reduce((sum, { value }) => sum + value, 0);
        },
      };
    },
    close: async () => {
      await Promise.all(started.map((consumer) => consumer.stop()));
      await redis.client.del(stream, heartbeatKey);
      await redis.close();
    },
  };
}

export async function clearTables(database: Database<ObservabilitySchema>): Promise<void> {
  const { rows } = await database.pool.query<{ tables: string }>(
    "select string_agg(format('observability.%I', tablename), ', ') as tables from pg_tables where schemaname = 'observability'",
  );
  await database.pool.query(`truncate ${rows[0]?.tables}`);
}

/** Everything that events write, in a fixed order, without what depends on when it was written. */
export async function tablesOf(database: Database<ObservabilitySchema>): Promise<unknown> {
  const tables: Record<string, string> = {
    traces: "select to_jsonb(row) - 'day' - 'left_hour' as row from observability.traces as row order by project_id, id",
    observations:
      "select to_jsonb(row) - 'day' - 'left_hour' as row from observability.observations as row order by project_id, trace_id, id",
    payloads: "select to_jsonb(row) - 'day' as row from observability.payloads as row order by project_id, trace_id, event_id",
    scores: "select to_jsonb(row) - 'received_at' as row from observability.scores as row order by project_id, trace_id, event_id",
    graphs: "select * from observability.graphs order by project_id, graph_hash",
    blobs: "select * from observability.blobs order by project_id, sha256",
    producers:
      "select project_id, producer_id, first_event_at, last_event_at, seen, announced_seq, hello, dropped, dropped_seq, ended_at from observability.producers order by 1, 2",
  };
  const entries: [string, unknown][] = [];
  for (const [name, statement] of Object.entries(tables)) {
    entries.push([name, (await database.pool.query(statement)).rows]);
  }
  return Object.fromEntries(entries);
}

export async function countOf(database: Database<ObservabilitySchema>, table: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(`select count(*) from observability.${table}`);
  return rows[0]?.count ?? 0;
}
