import type { TestDatabase } from "@sightline/foundation/testing/test-database";
import { createdApiKeySchema, tracePageSchema, traceSchema, transcriptPageSchema, type ApiKeyScope, type Trace } from "#contract.ts";
import { decodeEntry } from "#events/stream-entry.ts";
import type { StreamEvent } from "#events/event.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createApiRig, type ApiRig } from "./api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "./consumer-rig.ts";
import { writeEvents } from "./write-events.ts";

export type OtlpRig = {
  readonly api: ApiRig;
  readonly rig: ConsumerRig;
  /** Where exporters send to. */
  readonly url: string;
  readonly key: string;
  readonly makeKey: (scopes?: readonly ApiKeyScope[]) => Promise<{ readonly id: string; readonly key: string }>;
  /** Sends a request to the intake. */
  readonly send: (
    body: object | string | Buffer,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
    readonly bytes: Buffer;
  }>;
  /** From now and ever on, dollars for a million tokens of the model. */
  readonly setPrice: (
    model: string,
    price: { readonly input: number; readonly output: number; readonly cache_read: number },
  ) => Promise<void>;
  /** What is on the stream, each entry read by the consumer's own reader. */
  readonly streamed: () => Promise<readonly StreamEvent[]>;
  /** Writes what is on the stream to the tables, in the given order. */
  readonly store: (order?: (events: readonly StreamEvent[]) => readonly StreamEvent[]) => Promise<void>;
  readonly traces: () => Promise<readonly Trace[]>;
  /** Nothing on the stream and no traces; quicker than another rig. */
  /** What a trace's transcript says, a line for each part. */
  readonly said: (traceId: string) => Promise<readonly string[]>;
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const CLEAR = ["payloads", "observations", "traces", "producers"].map((table) => `delete from observability.${table}`).join("; ");

/** The API on a port of its own, a project with a key, and an empty stream. */
export async function createOtlpRig(database: TestDatabase<ObservabilitySchema>, redisUrl?: string): Promise<OtlpRig> {
  const rig = await createConsumerRig(database);
  const { stream, heartbeatKey, projectId } = rig;
  const api = await createApiRig({ database, redisUrl: redisUrl ?? rig.redis.url, stream, heartbeatKey });
  const url = await api.server.listen({ port: 0, host: "127.0.0.1" });
  const makeKey: OtlpRig["makeKey"] = async (scopes = ["ingest"]) => {
    const { body } = await api.post(`/api/v1/projects/${projectId}/keys`, { name: "agent", scopes }, "tenant-1:admin");
    return createdApiKeySchema.parse(body);
  };
  const streamed = async () => {
    const entries = await rig.redis.client.xrange(stream, "-", "+");
    return entries.map(([, fields]) => {
      const decoded = decodeEntry(fields);
      if (!decoded.ok) {
        throw new Error(decoded.reason);
      }
      return decoded.event;
    });
  };
  const { key } = await makeKey();
  return {
    api,
    rig,
    url,
    key,
    makeKey,
    send: async (body, headers = {}) => {
      const answer = await api.server.inject({
        method: "POST",
        url: "/v1/traces",
        headers: { "content-type": "application/json", ...("authorization" in headers ? {} : { "x-api-key": key }), ...headers },
        payload: body,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body, bytes: answer.rawPayload };
    },
    setPrice: async (model, price) => {
      const answer = await api.server.inject({
        method: "PUT",
        url: `/api/v1/projects/${projectId}/prices`,
        headers: { authorization: "Bearer tenant-1:admin" },
        payload: { model, ...price, valid_from: "2026-01-01T00:00:00Z" },
      });
      if (answer.statusCode !== 204) {
        throw new Error(answer.body);
      }
    },
    streamed,
    store: async (order = (events) => events) => writeEvents(database, order(await streamed())),
    traces: async () => {
      const page = tracePageSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces`)).body);
      return Promise.all(
        page.items.map(async ({ id }) => traceSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces/${id}`)).body)),
      );
    },
    said: async (traceId) => {
      const { body } = await api.get(`/api/v1/projects/${projectId}/traces/${traceId}/transcript`, "tenant-1:admin");
      return transcriptPageSchema
        .parse(body)
        .items.flatMap(({ messages }) =>
          messages.flatMap(({ role, parts }) =>
            parts.map(({ type, name, text }) =>
              `${role} ${type} ${type === "tool_call" ? (name ?? "") : type === "tool_result" ? "" : text}`.trim(),
            ),
          ),
        );
    },
    clear: async () => {
      await rig.redis.client.del(stream, ...(await rig.redis.client.keys(`{${stream}}:otlp:*:*`)));
      await database.pool.query(CLEAR);
    },
    close: async () => {
      await api.close();
      const counters = await rig.redis.client.keys(`{${stream}}:otlp:*`);
      if (counters.length > 0) {
        await rig.redis.client.del(...counters);
      }
      await rig.close();
    },
  };
}
