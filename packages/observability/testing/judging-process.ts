import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { createRedis } from "@sightline/foundation/redis";
import { createJudgeTasks } from "#judges/judge-tasks.ts";
import { createModelAccess } from "#models/model-access.ts";
import { runItem } from "#playground/run-item.ts";
import { createStreamPublisher } from "#otlp/stream-publisher.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { ALERT_CONFIG } from "./api-rig.ts";

export type JudgingProcessOptions = {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly stream: string;
  readonly leaseSeconds: number;
};

/** A replica that judges, in a process of its own, to be killed: `node judging-process.ts OPTIONS`, as JSON. */
const { databaseUrl, redisUrl, stream, leaseSeconds } = JSON.parse(process.argv[2] ?? "") as JudgingProcessOptions;
// It goes when the one that started it goes.
process.stdin.resume().on("end", () => process.exit());
const log = createLog({ name: "judges", level: "info" });
const { query } = createDatabase<ObservabilitySchema>({ url: databaseUrl, poolSize: 6, applicationName: "judging-process", log });
const redis = createRedis({ url: redisUrl, name: "judging-process", log });
await redis.client.connect();
const publisher = createStreamPublisher({ redis: redis.client, stream, partitions: 1, clock: systemClock, log, version: "test" });
const tuning = { leaseSeconds, firstRetryMs: 10 };
createJudgeTasks({ query, log, clock: systemClock, access: createModelAccess(ALERT_CONFIG), publisher, runItem, tuning }).start();
