import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import type { Metrics } from "@sightline/foundation/http/metrics";
import { createRedis } from "@sightline/foundation/redis";
import type { ObservabilityConfig } from "#config.ts";
import { serveGrpc, type GrpcAddress } from "./grpc-intake.ts";
import { createIntakeMetrics } from "./intake-metrics.ts";
import { langfuseRoutes } from "./langfuse.routes.ts";
import { createLogMemory } from "./log-memory.ts";
import { otlpRoutes } from "./otlp.routes.ts";
import { createSpanMemory } from "./span-memory.ts";
import { createStreamPublisher, type StreamPublisher } from "./stream-publisher.ts";

type IntakeOptions = {
  readonly config: Pick<ObservabilityConfig, "OBSERVABILITY_REDIS_URL" | "OBSERVABILITY_STREAM_NAME" | "OBSERVABILITY_STREAMS">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly version: string;
  /** Where OTLP over gRPC is served too. */
  readonly grpc?: GrpcAddress | undefined;
};

export type OtlpIntake = {
  readonly publisher: Pick<StreamPublisher, "publish">;
  readonly routes: (server: HttpServer) => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Well below the silence after which a producer counts as gone. */
const ANNOUNCE_MS = 20_000;

/** `POST /v1/traces`: takes spans of any OpenTelemetry exporter and publishes them as events; keeps nothing itself. */
export function createOtlpIntake({ config, clock, log, metrics, version, grpc }: IntakeOptions): OtlpIntake {
  const redis = createRedis({ url: config.OBSERVABILITY_REDIS_URL, name: "sightline-otlp", log });
  const publisher = createStreamPublisher({
    redis: redis.client,
    stream: config.OBSERVABILITY_STREAM_NAME,
    partitions: config.OBSERVABILITY_STREAMS,
    clock,
    log,
    version,
  });
  const routesOfSpans = otlpRoutes({
    publisher,
    memory: createSpanMemory({ redis: redis.client, stream: config.OBSERVABILITY_STREAM_NAME }),
    logs: createLogMemory({ redis: redis.client, stream: config.OBSERVABILITY_STREAM_NAME, clock }),
    metrics: createIntakeMetrics(metrics),
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    publisher,
    routes: async (server) => {
      langfuseRoutes(publisher)(server);
      await routesOfSpans(server);
      if (grpc !== undefined) {
        await serveGrpc(server, grpc, log);
      }
    },
    start: async () => {
      // A Redis that is away is waited for: the connection goes on trying by itself.
      await redis.client.connect().catch(() => undefined);
      timer = setInterval(() => void publisher.announce(), ANNOUNCE_MS);
    },
    stop: async () => {
      clearInterval(timer);
      await publisher.close();
      await redis.close();
    },
  };
}
