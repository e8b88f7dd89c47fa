import { systemClock } from "@sightline/foundation/clock";
import type { TestDatabase } from "@sightline/foundation/testing/test-database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { v7 as uuidv7 } from "uuid";
import { judgeDetailSchema, judgementPageSchema, modelConnectionSchema, type JudgeDefinitionInput, type ModelProvider } from "#contract.ts";
import { createJudgeTasks, type JudgeTuning } from "#judges/judge-tasks.ts";
import { createModelAccess } from "#models/model-access.ts";
import { runItem } from "#playground/run-item.ts";
import { createStreamPublisher } from "#otlp/stream-publisher.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer } from "./agent-run.ts";
import { ALERT_CONFIG } from "./api-rig.ts";
import { countAndFind } from "./count-and-find.ts";
import { createOtlpRig } from "./otlp-rig.ts";
import { writeEvents } from "./write-events.ts";

export type JudgeRig = Awaited<ReturnType<typeof createJudgeRig>>;

const ADMIN = "tenant-1:admin";
export const MODEL = "judge-1";

type AskedModel = { readonly provider: ModelProvider; readonly model: string };
const OPENAI_COMPATIBLE: AskedModel = { provider: "openai-compatible", model: MODEL };
/** All ways to ask: of Anthropic's models the newer ones take a schema, the others a tool. */
export const ASKED_MODELS: readonly AskedModel[] = [
  OPENAI_COMPATIBLE,
  { provider: "anthropic", model: "claude-sonnet-4-5" },
  { provider: "anthropic", model: "claude-3-haiku" },
];

/** A project of `tenant-1` with a connection to a model, prices, and what judges do in the background, step by step. */
export async function createJudgeRig(
  database: TestDatabase<ObservabilitySchema>,
  modelUrl: string,
  { provider, model }: AskedModel = OPENAI_COMPATIBLE,
) {
  const otlp = await createOtlpRig(database);
  const { api, rig } = otlp;
  const { projectId } = rig;
  const base = `/api/v1/projects/${projectId}`;
  await otlp.setPrice(model, { input: 1, output: 10, cache_read: 1 });
  const connected = await api.post(`${base}/model-connections`, { name: "fake", provider, base_url: modelUrl, key: "sk-secret-1" }, ADMIN);
  const connection = modelConnectionSchema.parse(connected.body);
  const publisher = createStreamPublisher({
    redis: rig.redis.client,
    stream: rig.stream,
    partitions: 1,
    clock: systemClock,
    log: silentLog,
    version: "test",
  });
  const createTasks = (tuning: Partial<JudgeTuning> = {}) =>
    createJudgeTasks({
      query: database.query,
      log: silentLog,
      clock: systemClock,
      access: createModelAccess(ALERT_CONFIG),
      publisher,
      runItem,
      tuning: { firstRetryMs: 0, ...tuning },
    });
  const tasks = createTasks();
  const definition: JudgeDefinitionInput = {
    connection_id: connection.id,
    model,
    rubric: "Is the answer polite?\n{{answer}}",
    variables: [{ name: "answer", of: "trace", path: "/output" }],
    output: { type: "boolean" },
  };
  return {
    ...otlp,
    base,
    projectId,
    connection,
    definition,
    createTasks,
    tasks,
    get: async (path: string, token = ADMIN) => api.get(base + path, token),
    post: async (path: string, body: object = {}, token = ADMIN) => api.post(base + path, body, token),
    patch: async (path: string, body: object, token = ADMIN) => api.patch(base + path, body, token),
    makeEvaluator: async (changes: Partial<JudgeDefinitionInput> = {}, name = `polite ${uuidv7()}`) => {
      const { body } = await api.post(`${base}/evaluators`, { name, definition: { ...definition, ...changes } }, ADMIN);
      return judgeDetailSchema.parse(body);
    },
    readEvaluator: async (id: string) => judgeDetailSchema.parse((await api.get(`${base}/evaluators/${id}`, ADMIN)).body),
    readJudgements: async (id: string, query = "?limit=200") =>
      judgementPageSchema.parse((await api.get(`${base}/evaluators/${id}/judgements${query}`, ADMIN)).body).items,
    /** Traces that ended, counted. */
    endTraces: async (
      traces: readonly {
        readonly output: unknown;
        readonly user?: string;
        readonly name?: string;
        readonly input?: unknown;
        readonly tool?: string;
      }[],
    ) => {
      const producer = createProducer(projectId, new Date());
      const at = () => new Date().toISOString();
      const ids = traces.map(() => uuidv7());
      const events = traces.flatMap(({ output, user, name = "agent", input = { question: "where?" }, tool }, index) => [
        producer.event("trace.start", {
          trace_id: ids[index] ?? "",
          name,
          started_at: at(),
          input,
          ...(user === undefined ? {} : { user_id: user }),
        }),
        ...(tool === undefined
          ? []
          : [
              producer.event("observation.start", {
                trace_id: ids[index] ?? "",
                observation_id: uuidv7(),
                parent_id: null,
                kind: "tool",
                name: tool,
                started_at: at(),
              }),
            ]),
        producer.event("trace.end", { trace_id: ids[index] ?? "", ended_at: at(), status: "success", output }),
      ]);
      await writeEvents(database, events);
      await countAndFind(database, projectId);
      return ids;
    },
    /** Has live rules choose, judges what waits, and writes the judges' traces. */
    judgeAll: async () => {
      await countAndFind(database, projectId);
      await tasks.chooseDue();
      await tasks.judgeDue();
      await otlp.store();
      await countAndFind(database, projectId);
    },
  };
}
