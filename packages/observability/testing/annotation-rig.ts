import { createTestRedis } from "@sightline/foundation/testing/test-redis";
import type { TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { annotatedTracePageSchema, annotationQueueListSchema, claimedTraceSchema, createdQueueSchema, scorePageSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "./agent-run.ts";
import { createApiRig } from "./api-rig.ts";
import { countAndFind } from "./count-and-find.ts";
import { writeEvents } from "./write-events.ts";

export type AnnotationRig = Awaited<ReturnType<typeof createAnnotationRig>>;

const ADMIN = "tenant-1:admin";

/** An API, and projects of `tenant-1` with configs for the scores `polite` (boolean), `stars` (1 to 5) and `notes` (text). */
export async function createAnnotationRig(database: TestDatabase<ObservabilitySchema>) {
  const redis = await createTestRedis();
  const createReplica = (of: TestDatabase<ObservabilitySchema>) =>
    createApiRig({ database: of, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  const api = await createReplica(database);
  return {
    api,
    createReplica,
    makeProject: async () => {
      const projectId = uuidv7();
      const base = `/api/v1/projects/${projectId}`;
      await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
      await api.put(`${base}/score-configs`, { name: "polite", data_type: "boolean" }, ADMIN);
      await api.put(`${base}/score-configs`, { name: "stars", data_type: "number", minimum: 1, maximum: 5 }, ADMIN);
      await api.put(`${base}/score-configs`, { name: "notes", data_type: "text" }, ADMIN);
      return { projectId, base };
    },
    endTraces: async (projectId: string, count: number): Promise<readonly string[]> => {
      const producer = createProducer(projectId, new Date());
      const ids = Array.from({ length: count }, () => uuidv7());
      const at = new Date().toISOString();
      const events = ids.flatMap((id) => [
        producer.event("trace.start", { trace_id: id, name: "agent", started_at: at, input: { question: id }, user_id: "customer" }),
        producer.event("trace.end", { trace_id: id, ended_at: at, status: "success", output: "an answer" }),
      ]);
      await writeEvents(database, events);
      await countAndFind(database, projectId);
      return ids;
    },
    makeQueue: async (base: string, traces: readonly string[], fields: object = {}) => {
      const made = await api.post(`${base}/annotation-queues`, { name: uuidv7(), scores: ["polite"], ...fields }, ADMIN);
      const { id } = createdQueueSchema.parse(made.body);
      const path = `${base}/annotation-queues/${id}`;
      await api.post(`${path}/traces`, { traces: traces.map((each) => ({ trace_id: each })) }, ADMIN);
      return {
        id,
        path,
        claim: async (person: string, from = api) =>
          claimedTraceSchema.parse((await from.post(`${path}/claims`, {}, person)).body).trace_id ?? undefined,
        say: (person: string, trace: string, given: object, to = api) => to.put(`${path}/traces/${trace}`, given, person),
        read: async (person = ADMIN) => {
          const queues = annotationQueueListSchema.parse((await api.get(`${base}/annotation-queues`, person)).body);
          return queues.items.find((queue) => queue.id === id);
        },
        list: async (person = ADMIN, query = "") => annotatedTracePageSchema.parse((await api.get(`${path}/traces${query}`, person)).body),
      };
    },
    scoresOf: async (base: string, trace: string) => {
      const { items } = scorePageSchema.parse((await api.get(`${base}/scores?trace_id=${trace}`, ADMIN)).body);
      return items.map(({ name, value, author, source, queue_id: queue, is_resolution: settles }) => ({
        name,
        value,
        author,
        source,
        queue,
        settles,
      }));
    },
    close: async () => {
      await api.close();
      await redis.close();
    },
  };
}
