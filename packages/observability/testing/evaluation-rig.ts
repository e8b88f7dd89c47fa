import { createTestRedis } from "@sightline/foundation/testing/test-redis";
import type { TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { createdApiKeySchema, datasetSchema, experimentSchema, itemPageSchema, writtenItemsSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createApiRig } from "./api-rig.ts";

export type EvaluationRig = Awaited<ReturnType<typeof createEvaluationRig>>;

/** A project of `tenant-1` with a key that may evaluate, and what tests of datasets and experiments ask of it. */
export async function createEvaluationRig(database: TestDatabase<ObservabilitySchema>) {
  const redis = await createTestRedis();
  const names = { stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` };
  const api = await createApiRig({ database, redisUrl: redis.url, ...names });
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  const base = `/api/v1/projects/${projectId}`;
  const made = await api.post(`${base}/keys`, { name: "ci", scopes: ["evaluate"] }, "tenant-1:admin");
  const { key } = createdApiKeySchema.parse(made.body);
  return {
    api,
    projectId,
    base,
    key,
    get: (path: string, token = key) => api.get(base + path, token),
    post: (path: string, body: object, token = key) => api.post(base + path, body, token),
    makeDataset: async (items: readonly object[] = [], fields: object = {}) => {
      const { body } = await api.post(`${base}/datasets`, { name: uuidv7(), ...fields }, key);
      const dataset = datasetSchema.parse(body);
      if (items.length > 0) {
        writtenItemsSchema.parse((await api.post(`${base}/datasets/${dataset.id}/items`, { items }, key)).body);
      }
      return dataset.id;
    },
    begin: async (datasetId: string, fields: object = {}) => {
      const { body } = await api.post(`${base}/experiments`, { dataset_id: datasetId, name: "try", ...fields }, key);
      return experimentSchema.parse(body);
    },
    /** A file as the body of an import. */
    importFile: async (
      datasetId: string,
      content: string | Buffer,
      type = "application/x-ndjson",
      headers: Readonly<Record<string, string>> = {},
    ) => {
      const answer = await api.server.inject({
        method: "POST",
        url: `${base}/datasets/${datasetId}/items/import`,
        payload: content,
        headers: { authorization: `Bearer ${key}`, "content-type": type, ...headers },
      });
      return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
    },
    exportFile: (datasetId: string, query: string) =>
      api.server.inject({ url: `${base}/datasets/${datasetId}/items/export${query}`, headers: { authorization: `Bearer ${key}` } }),
    readItems: async (datasetId: string) => {
      const { body } = await api.get(`${base}/datasets/${datasetId}/items?limit=200`, key);
      return itemPageSchema.parse(body).items;
    },
    close: async () => {
      await api.close();
      await redis.close();
    },
  };
}
