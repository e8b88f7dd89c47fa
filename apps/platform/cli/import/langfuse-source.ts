import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";
import { RefusedError } from "#cli/eval/client.ts";
import { UsageError } from "#settings/failure.ts";
import { fetchPatiently } from "./fetch-patiently.ts";
import {
  datasetSchema,
  experimentItemSchema,
  experimentSchema,
  itemSchema,
  pageOf,
  promptSchema,
  promptVersionSchema,
  runItemSchema,
  runSchema,
  scoreSchema,
  traceSchema,
  type LangfuseDataset,
} from "./langfuse-schemas.ts";

/** A run of an item, of either version; `hasFailed` and `output` are undefined where Langfuse keeps them in the trace alone. */
export type SourceRun = {
  readonly item: string;
  readonly trace: string;
  readonly observation: string | undefined;
  readonly at: string;
  readonly hasFailed: boolean;
  readonly output: unknown;
};
export type SourceExperiment = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: unknown;
  readonly at: string;
  readonly runs: () => Promise<readonly SourceRun[]>;
};
export type LangfuseSource = ReturnType<typeof openLangfuse>;

const PAGE = 100;
const SINCE = "fromStartTime=1970-01-01T00:00:00Z";
const NOT_THERE = [400, 404, 405, 410, 501];

/** A Langfuse project's public API, by LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_HOST. @throws {UsageError} where they say nothing. */
export function openLangfuse(environment: Readonly<Record<string, string | undefined>>) {
  const host = URL.parse(environment["LANGFUSE_HOST"] ?? environment["LANGFUSE_BASE_URL"] ?? "https://cloud.langfuse.com");
  const [name = "", secret = ""] = [environment["LANGFUSE_PUBLIC_KEY"], environment["LANGFUSE_SECRET_KEY"]];
  if (host === null || !["http:", "https:"].includes(host.protocol) || host.username !== "" || host.password !== "") {
    throw new UsageError("LANGFUSE_HOST starts with https:// or http:// and holds no name and no password.");
  }
  if (name === "" || secret === "") {
    throw new UsageError("Set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY: the Langfuse project's settings show them.");
  }
  const base = `${host.origin}${host.pathname.replace(/\/+$/, "")}/api/public`;
  const authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;

  async function get<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
    const response = await fetchPatiently(base + path, { headers: { authorization }, redirect: "error" }).catch((error: unknown) => {
      throw new Error(`${host?.origin} does not answer: ${errorMessage(error)}`, { cause: error });
    });
    const text = await response.text();
    const asked = path.split("?")[0];
    if (!response.ok) {
      throw new RefusedError(response.status, `Langfuse answers ${response.status} to ${asked}; are host and keys right?`);
    }
    const read = schema.safeParse(parseJson(text));
    if (!read.success) {
      throw new Error(`Langfuse's answer to ${asked} is not what it publishes: ${z.prettifyError(read.error)}`);
    }
    return read.data;
  }

  async function readAll<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>[]> {
    const rows: z.output<T>[] = [];
    for (let next: string | undefined = ""; next !== undefined;) {
      const asked: string = `${path}${path.includes("?") ? "&" : "?"}limit=${PAGE}${next}`;
      // eslint-disable-next-line no-await-in-loop -- a page says where the next begins.
      const { data, meta } = await get(asked, pageOf(schema));
      rows.push(...data);
      const isByCursor = typeof meta.cursor === "string";
      next = isByCursor
        ? `&cursor=${encodeURIComponent(meta.cursor ?? "")}`
        : meta.page < meta.totalPages
          ? `&page=${meta.page + 1}`
          : undefined;
    }
    return rows;
  }

  const readRuns = async (dataset: LangfuseDataset): Promise<readonly SourceExperiment[]> => {
    const found = await orElse(readAll(`/datasets/${encodeURIComponent(dataset.name)}/runs`, runSchema), []);
    return found.map((run) => ({
      ...run,
      description: run.description ?? "",
      at: run.createdAt,
      runs: async () => {
        const query = new URLSearchParams({ datasetId: dataset.id, runName: run.name });
        const items = await readAll(`/dataset-run-items?${query.toString()}`, runItemSchema);
        return items.map((item) => ({
          item: item.datasetItemId,
          trace: item.traceId,
          observation: item.observationId ?? undefined,
          at: item.createdAt,
          hasFailed: false,
          output: undefined,
        }));
      },
    }));
  };

  return {
    datasets: () => readAll("/v2/datasets", datasetSchema),
    items: (dataset: string) => readAll(`/dataset-items?datasetName=${encodeURIComponent(dataset)}`, itemSchema),
    /** Version 4's experiments; none from a version 3. */
    experiments: () => orElse(readAll(`/experiments?${SINCE}&fields=core,metadata`, experimentSchema), []),
    /** Version 3's runs of a dataset; none from a version 4, which has them as experiments. */
    runs: readRuns,
    experimentItems: async (id: string): Promise<readonly SourceRun[]> => {
      const items = await readAll(`/experiment-items?${SINCE}&experimentId=${encodeURIComponent(id)}&fields=core,io`, experimentItemSchema);
      return items.map((item) => ({
        item: item.experimentItemId,
        trace: item.traceId,
        observation: item.id,
        at: item.startTime,
        hasFailed: item.level === "ERROR",
        output: item.output,
      }));
    },
    output: async (trace: string) => (await orElse(get(`/traces/${encodeURIComponent(trace)}`, traceSchema), { output: null })).output,
    /** By version 3 of the endpoint, or where that is not there by version 2. */
    scores: async () =>
      (await orElse(readAll("/v3/scores?fields=details,subject", scoreSchema), undefined)) ??
      readAll("/v2/scores?fields=score", scoreSchema),
    prompts: () => readAll("/v2/prompts", promptSchema),
    prompt: (prompt: string, version: number) =>
      get(`/v2/prompts/${encodeURIComponent(prompt)}?version=${version}&resolve=false`, promptVersionSchema),
  };
}

/** What is asked, or `other` where this version of Langfuse has no such thing. */
async function orElse<T, U>(asked: Promise<T>, other: U): Promise<T | U> {
  return asked.catch((error: unknown) => {
    if (error instanceof RefusedError && NOT_THERE.includes(error.status)) {
      return other;
    }
    throw error;
  });
}
