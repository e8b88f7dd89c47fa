import { z } from "zod";
import {
  booleanVariable,
  httpUrlVariable,
  integerVariable,
  jsonListVariable,
  logLevelVariable,
  pickVariables,
  portVariable,
  postgresUrlVariable,
  redisUrlVariable,
  type ConfigOf,
  type Variables,
} from "@sightline/foundation/config";
import { MAX_PARTITIONS } from "#events/partitions.ts";
import { allowedHostsVariable } from "@sightline/foundation/outbound/allowed-hosts";
import { encryptionKeysVariable } from "@sightline/foundation/secrets/sealing";

export const observabilityVariables = {
  DATABASE_URL: { doc: "PostgreSQL of identity and observability.", schema: postgresUrlVariable(), secret: true },
  OBSERVABILITY_DATABASE_URL: {
    doc: "On Citus: any node of the cluster, to which a `consumer` or `observability` connects for traces; each replica may have another. Without it DATABASE_URL, which leads to the coordinator.",
    schema: postgresUrlVariable().optional(),
    secret: true,
  },
  SECRET_KEY: {
    doc: "Random, url-safe, 32 bytes; the same as identity's.",
    schema: z.string("expected text").min(32, "expected at least 32 characters").max(512, "expected at most 512 characters"),
    secret: true,
  },
  API_KEY: {
    doc: "The operator's key: `studio_` and 64 hexadecimal characters.",
    schema: z.string("expected text").regex(/^studio_[0-9a-fA-F]{64}$/, "expected studio_ and 64 hexadecimal characters"),
    secret: true,
  },
  ENCRYPTION_KEYS: {
    doc: "Keys that seal secrets at rest, the same as identity's: of observability the addresses and secrets that alerts are sent with, and the keys that models are asked with. Without them there are neither.",
    schema: encryptionKeysVariable().optional(),
    secret: true,
  },
  PUBLIC_URL: {
    doc: "Address at which browsers open the console, for the links in alerts; the same as identity's.",
    schema: httpUrlVariable(),
    default: "http://localhost:3000",
  },
  OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS: {
    doc: "Lets alerts be sent to loopback and private addresses, and by plain http: whoever owns a project may then reach into that network.",
    schema: booleanVariable(),
    default: "false",
  },
  OBSERVABILITY_ALLOW_MODEL_HOSTS: {
    doc: "Hosts of your own network that models may be asked at: names (`models.example.org`, `*.corp.example`), addresses or ranges (`10.0.0.0/8`), with commas between. They may be reached without TLS.",
    schema: allowedHostsVariable(),
    default: "",
  },
  CORS_ORIGINS: { doc: "JSON list of further origins that browsers may call from.", schema: jsonListVariable(), default: "[]" },
  LOG_LEVEL: { doc: "DEBUG, INFO, WARNING or ERROR.", schema: logLevelVariable(), default: "INFO" },
  ENVIRONMENT: {
    doc: "development, staging or production.",
    schema: z.enum(["development", "staging", "production"], "expected development, staging or production"),
    default: "production",
  },
  OBSERVABILITY_ENABLED: { doc: "Off: the consumer reads nothing.", schema: booleanVariable(), default: "true" },
  OBSERVABILITY_REDIS_URL: {
    doc: "Redis with the event stream. Several hosts separated by commas (`redis://a:6379,b:6379,c:6379`) are nodes of a Redis Cluster.",
    schema: redisUrlVariable(),
    secret: true,
  },
  OBSERVABILITY_STREAM_NAME: { doc: "The event stream.", schema: nameVariable(), default: "observability:events" },
  OBSERVABILITY_STREAMS: {
    doc: "Partitions of the event stream, each with all events of its producers; more than one spread it over the nodes of a Redis Cluster. The same for every role; SDKs learn it from Redis when they start. 1 is the one stream of old.",
    schema: integerVariable(1, MAX_PARTITIONS),
    default: "1",
  },
  OBSERVABILITY_GROUP_NAME: { doc: "The consumer group that reads it.", schema: nameVariable(), default: "observability" },
  OBSERVABILITY_CONSUMER_NAME: {
    doc: "First part of a consumer's name; each process adds its own instance, so that replicas never share one.",
    schema: nameVariable(),
    default: "consumer",
  },
  OBSERVABILITY_BATCH_SIZE: { doc: "Events read at once.", schema: integerVariable(1, 10_000), default: "100" },
  OBSERVABILITY_PORT: { doc: "Port of the observability API.", schema: portVariable(), default: "8000" },
  OTLP_GRPC_PORT: {
    doc: "Port on which the observability API takes OTLP over gRPC too, by convention 4317; without it there is none. It speaks no TLS: that is a proxy's part.",
    schema: portVariable().optional(),
  },
  OBSERVABILITY_PUBLIC_URL: {
    doc: "Address under which exporters and clients reach the observability API; the console and the start show it.",
    schema: httpUrlVariable(),
    default: "http://localhost:8000",
  },
  OBSERVABILITY_PUBLIC_REDIS_URL: {
    doc: "Address under which observed applications reach the Redis with the event stream, where it is another than OBSERVABILITY_REDIS_URL; the console and the start show it, without user and password.",
    schema: redisUrlVariable().optional(),
    secret: true,
  },
  OBSERVABILITY_CONSUMER_PORT: {
    doc: "Port of the consumer's `/health` and `/metrics`; with 0 a free one, which its log names, so that copies on one host don't collide.",
    schema: portVariable(),
    default: "0",
  },
  IDENTITY_JWKS_URL: {
    doc: "Where the keys that sign access tokens are published.",
    schema: httpUrlVariable(),
    default: "http://localhost:8070/.well-known/jwks.json",
  },
  IDENTITY_EPOCHS_URL: {
    doc: "Identity's feed of accounts and sessions whose access tokens stopped to count early, honoured within a minute.",
    schema: httpUrlVariable().optional(),
  },
} as const satisfies Variables;

/** What the consumer reads: no secret but the addresses of its stores. */
export const consumerVariables = pickVariables(observabilityVariables, [
  "DATABASE_URL",
  "OBSERVABILITY_DATABASE_URL",
  "LOG_LEVEL",
  "OBSERVABILITY_ENABLED",
  "OBSERVABILITY_REDIS_URL",
  "OBSERVABILITY_STREAM_NAME",
  "OBSERVABILITY_STREAMS",
  "OBSERVABILITY_GROUP_NAME",
  "OBSERVABILITY_CONSUMER_NAME",
  "OBSERVABILITY_BATCH_SIZE",
  "OBSERVABILITY_CONSUMER_PORT",
]);

export type ObservabilityConfig = ConfigOf<typeof observabilityVariables>;

/** Present in Redis while a consumer is alive; the name is part of the contract. */
export const HEARTBEAT_KEY = "studio:consumer:heartbeat";

/** Entries that each partition of the stream keeps; part of the contract. */
export const MAX_STREAM_LENGTH = 100_000;

function nameVariable() {
  return z.string().regex(/^\S{1,200}$/, "expected a name without spaces, at most 200 characters");
}
