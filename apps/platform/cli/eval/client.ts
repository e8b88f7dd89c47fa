import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { datasetPageSchema, experimentPageSchema, type Experiment } from "@sightline/observability/contract";
import { z } from "zod";
import { UsageError } from "#settings/failure.ts";

export type EvaluationClient = Readonly<Record<"get" | "post", (path: string) => Promise<unknown>>>;

const TIMEOUT_MS = 60_000;
const refusalSchema = z.object({ error: z.string(), message: z.string() });

/** Asks the project of OBS_PROJECT_ID with OBS_API_KEY. @throws {UsageError} where one of them is missing or of no such form. */
export function createEvaluationClient(given: string | undefined): EvaluationClient {
  const url = URL.parse(given ?? process.env["OBS_API_URL"] ?? "");
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new UsageError(
      "The address of observability (--url or OBS_API_URL) starts with https:// or http:// and holds no name and no password.",
    );
  }
  const key = process.env["OBS_API_KEY"] ?? "";
  if (!/^studio_[0-9a-f]{64}$/i.test(key)) {
    throw new UsageError("OBS_API_KEY is no API key: make one with “Evaluate” in the project's settings, and copy all of it.");
  }
  const project = z.uuid().safeParse(process.env["OBS_PROJECT_ID"]);
  if (!project.success) {
    throw new UsageError("OBS_PROJECT_ID is no project's id: the project's settings show it.");
  }
  const base = `${url.origin}${url.pathname.replace(/\/*$/, "")}/api/v1/projects/${project.data}`;
  const ask = (method: "GET" | "POST") => async (path: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(base + path, { method, headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
      (error: unknown) => {
        throw new Error(`${url.origin} does not answer: ${errorMessage(error)}`, { cause: error });
      },
    );
    const body = parseJson(await response.text());
    if (!response.ok) {
      const refused = refusalSchema.safeParse(body).data;
      throw new Error(
        refused === undefined ? `${url.origin} answers ${response.status}; is the address right?` : `${refused.message} (${refused.error})`,
      );
    }
    return body;
  };
  return { get: ask("GET"), post: ask("POST") };
}

type Wanted = { readonly dataset: string; readonly branch: string };

/** The newest experiment of a branch over a dataset. @throws {Error} where there is no such dataset. */
export async function findNewest(client: EvaluationClient, { dataset, branch }: Wanted): Promise<Experiment | undefined> {
  const [found] = datasetPageSchema.parse(await client.get(`/datasets?name=${encodeURIComponent(dataset)}`)).items;
  if (found === undefined) {
    throw new Error(`The project has no dataset ${dataset}.`);
  }
  const query = new URLSearchParams({ dataset_id: found.id, branch, limit: "1" });
  return experimentPageSchema.parse(await client.get(`/experiments?${query.toString()}`)).items[0];
}
