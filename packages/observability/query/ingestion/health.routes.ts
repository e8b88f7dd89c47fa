import type { Clock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { runCheck } from "@sightline/foundation/health";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { redisServers, type RedisConnection } from "@sightline/foundation/redis";
import { detailedHealthSchema, healthSchema, type DetailedHealth } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { publicly } from "./public-check.ts";
import { incidentWarnings, redisWarnings } from "./health-warnings.ts";
import type { StreamState } from "#events/stream-state.ts";

type HealthOptions = {
  readonly database: Database<ObservabilitySchema>;
  readonly redis: RedisConnection;
  readonly stream: StreamState;
  readonly heartbeatKey: string;
  readonly clock: Clock;
  readonly version: string;
};

/** Serves `/health` and `/health/detailed`. Both answer 200 as long as the process answers: the body says what is down. */
export function healthRoutes(options: HealthOptions) {
  return (server: HttpServer): void => {
    server.get(
      "/health",
      { config: { auth: "public" }, schema: { summary: "Whether the process answers", response: { 200: healthSchema } } },
      async () => ({
        status: "healthy" as const,
        version: options.version,
      }),
    );

    server.get(
      "/health/detailed",
      {
        config: { auth: "public" },
        schema: { summary: "Database, Redis and consumer, with warnings; always 200", response: { 200: detailedHealthSchema } },
      },
      async () => {
        const [database, redis, consumer, ofRedis, ofConsumer] = await Promise.all([
          runCheck(publicly("PostgreSQL", options.database.check)),
          runCheck(publicly("Redis", options.redis.check)),
          consumerComponent(options),
          redisWarnings(redisServers(options.redis.client), options.stream),
          incidentWarnings(options.database, options.clock.now()),
        ]);
        const isDegraded = database.status === "down" || redis.status === "down" || consumer.status === "down";
        return {
          status: isDegraded ? ("degraded" as const) : ("healthy" as const),
          timestamp: options.clock.now().toISOString(),
          version: options.version,
          components: { database, redis: { ...redis, ...ofRedis }, consumer: { ...consumer, ...ofConsumer } },
        };
      },
    );
  };
}

async function consumerComponent({ redis, heartbeatKey }: HealthOptions): Promise<DetailedHealth["components"]["consumer"]> {
  let isAlive = false;
  const check = async () => {
    isAlive = (await redis.client.exists(heartbeatKey)) === 1;
  };
  const result = await runCheck(publicly("The heartbeat", { name: "consumer", check }));
  if (result.status === "down") {
    return { status: "unknown", error: result.error };
  }
  return isAlive
    ? { status: "up" }
    : { status: "down", error: "There is no heartbeat: no consumer runs, or none can write to the database." };
}
