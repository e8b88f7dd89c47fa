import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { datasetPageSchema, experimentPageSchema, type Experiment } from "@sightline/observability/contract";
import { z } from "zod";
import { exchangeJobToken } from "#cli/sign-in/job-token.ts";
import { UsageError } from "#settings/failure.ts";

export type EvaluationClient = {
  readonly get: (path: string) => Promise<unknown>;
  /** Of a text the body is lines of JSON. */
  readonly post: (path: string, body?: object | string) => Promise<unknown>;
};

/** What Sightline was asked, and did not take. */
export class RefusedError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = "RefusedError";
    this.status = status;
  }
}

const TIMEOUT_MS = 60_000;
const detailSchema = z.object({ message: z.string() });
const refusalSchema = z.object({ error: z.string(), message: z.string(), details: z.array(detailSchema).catch([]) });

/** Asks the project of OBS_PROJECT_ID with OBS_API_KEY, or as the CI job that it is, `ask` in place of `fetch`. @throws {UsageError} where one of them is missing or of no such form. */
export async function createEvaluationClient(address: string | undefined, ask: typeof fetch = fetch): Promise<EvaluationClient> {
  const url = URL.parse(address ?? process.env["OBS_API_URL"] ?? "");
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new UsageError(
      "The address of observability (--url or OBS_API_URL) starts with https:// or http:// and holds no name and no password.",
    );
  }
  const project = z.uuid().safeParse(process.env["OBS_PROJECT_ID"]);
  if (!project.success) {
    throw new UsageError("OBS_PROJECT_ID is no project's id: the project's settings show it.");
  }
  const given = process.env["OBS_API_KEY"] ?? "";
  const key = given === "" ? await exchangeJobToken() : /^studio_[0-9a-f]{64}$/i.test(given) ? given : undefined;
  if (key === undefined) {
    throw new UsageError(
      "OBS_API_KEY is no API key: make one with “Evaluate” in the project's settings, and copy all of it; or set SIGHTLINE_WORKLOAD in CI.",
    );
  }
  const base = `${url.origin}${url.pathname.replace(/\/*$/, "")}/api/v1/projects/${project.data}`;
  const call = (method: "GET" | "POST") => async (path: string, body?: object | string) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": typeof body === "string" ? "application/x-ndjson" : "application/json" }),
    };
    const sent = { method, ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }) };
    const response = await ask(base + path, { headers, ...sent, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
      (error: unknown) => {
        throw new Error(`${url.origin} does not answer: ${errorMessage(error)}`, { cause: error });
      },
    );
    const answer = parseJson(await response.text());
    if (!response.ok) {
      const refused = refusalSchema.safeParse(answer).data;
      throw new RefusedError(
        response.status,
        refused === undefined
          ? `${url.origin} answers ${response.status}; is the address right?`
          : `${[refused.message, ...refused.details.map(({ message }) => message)].join(" ")} (${refused.error})`,
      );
    }
    return answer;
  };
  return { get: call("GET"), post: call("POST") };
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
